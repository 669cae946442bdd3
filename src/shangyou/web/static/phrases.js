// Preset phrases: a few words to everybody at the table, which can be muted.

import { announce, h, put, svg } from "./dom.js";
import * as settings from "./settings.js";
import { t } from "./words.js";

/** @typedef {Server.PhraseRequest["phrase"]} Phrase @type {Phrase[]} */
const PHRASES = ["hello", "good_luck", "well_played", "thanks", "sorry", "hurry", "wow", "good_game"];
const SHOWN_FOR = 6000; // milliseconds

/** A speech bubble. */
const bubble = () =>
  svg(
    "svg",
    { viewBox: "0 0 20 18", width: 20, height: 18, "aria-hidden": "true" },
    svg("path", { d: "M3 1h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H9l-5 4v-4H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2z", fill: "currentColor" }),
  );

export class Phrases {
  /** @param {(message: Server.table_to_server) => void} send */
  constructor(send) {
    this.send = send;
    this.said = h("ul.said", { "aria-label": t("phrases") });
    this.menu = h("details.phrases", { hidden: true });
    this.menu.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.escape(event));
    this.element = h("div.talk", {}, this.said, this.menu);
    this.drawMenu();
  }

  /** Whoever sits at a table with other people may say something. @param {Server.StateOut} state */
  draw(state) {
    this.menu.hidden = state.seat === null || !state.seats.some((seat) => seat.kind === "person");
  }

  drawMenu() {
    const muted = settings.get("muted");
    /** @param {any} event */
    const mute = (event) => settings.change({ muted: event.target.checked }, true);
    put(
      this.menu,
      h("summary.icon-button", { "aria-label": t("phrases"), title: t("phrases"), "data-does": "phrases" }, bubble()),
      h(
        "div.choices",
        {},
        PHRASES.map((phrase) =>
          h("button.small", { type: "button", "data-does": `say-${phrase}`, onclick: () => this.say(phrase) }, t(`phrase.${phrase}`)),
        ),
        h("label.switch", {}, h("input", { type: "checkbox", name: "muted", checked: muted, onchange: mute }), t("phrases.mute")),
      ),
    );
  }

  /** @param {Phrase} phrase */
  say(phrase) {
    this.menu.open = false;
    this.menu.querySelector("summary").focus();
    this.send({ kind: "phrase", phrase });
  }

  /** @param {any} event */
  escape(event) {
    if (event.key !== "Escape" || !this.menu.open) return;
    event.stopPropagation();
    this.menu.open = false;
    this.menu.querySelector("summary").focus();
  }

  /** Somebody has said something. @param {{ seat: number, phrase: string }} message @param {string} name @param {boolean} mine */
  hear(message, name, mine) {
    if (settings.get("muted") && !mine) return;
    const text = t(`phrase.${message.phrase}`);
    const line = h("li", { "data-phrase": message.phrase, "data-seat": message.seat }, h("b", {}, name), " ", text);
    this.said.querySelector(`[data-seat="${message.seat}"]`)?.remove(); // one a seat, so that nobody can cover the cards
    this.said.append(line);
    if (!mine) announce(`${name}: ${text}`);
    setTimeout(() => line.remove(), SHOWN_FOR);
  }
}
