// The list of hints beside the table, or over it where there is no room.

import { h, put } from "./dom.js";
import { bars } from "./hint.js";
import { t } from "./words.js";

const OVER_THE_TABLE = "(max-width: 1020px)";

export class Advice {
  /** @param {(one: import("./hint.js").Suggestion) => void} onpick called with the suggestion that was clicked */
  constructor(onpick) {
    this.onpick = onpick;
    this.element = h("section.panel.hints", { hidden: true, "aria-label": t("hint.title") });
  }

  get open() {
    return !this.element.hidden;
  }

  /**
   * @param {import("./hint.js").Suggestion[]} suggestions best first @param {string} name of the agent whose they are
   * @param {boolean} thinking whether better ones follow @param {(() => void) | null} longer asks to think longer
   */
  show(suggestions, name, thinking, longer) {
    /** @param {import("./hint.js").Suggestion} one */
    const pick = (one) => {
      if (matchMedia(OVER_THE_TABLE).matches) this.hide();
      this.onpick(one);
    };
    const close = h("button.close", { type: "button", "aria-label": t("close"), onclick: () => this.hide() }, "×");
    put(
      this.element,
      h("header", {}, h("h2", {}, t("hint.by", { name })), close),
      bars(suggestions, pick),
      h("p.key", {}, t(suggestions.some((one) => one.win !== null) ? "hint.key" : "hint.order")),
      thinking && h("p.key", { role: "status" }, t("hint.thinking")),
      longer && h("button.longer", { type: "button", onclick: longer }, t("hint.longer")),
    );
    this.element.hidden = false;
    document.body.classList.add("hinted");
  }

  hide() {
    this.element.hidden = true;
    document.body.classList.remove("hinted");
  }
}
