// What the adviser makes of a turn of a finished game when it thinks longer: better and better, before the reader's eyes.

import * as api from "./api.js";
import { h } from "./dom.js";
import { bars } from "./hint.js";
import { agentName } from "./names.js";
import { t } from "./words.js";

export class Thoughts {
  /** @param {import("./finished_games.js").Replay} replay @param {(turn: number) => void} onchange called when more is known of a turn */
  constructor(replay, onchange) {
    this.replay = replay;
    this.onchange = onchange;
    /** @type {Map<number, { hint?: any, fault?: string }>} by turn */ this.known = new Map();
    this.leaving = new AbortController();
  }

  /** What is known of a turn, or a button that asks. @param {number} turn @param {number} made the play that was made */
  draw(turn, made) {
    const known = this.known.get(turn);
    if (!known || known.fault)
      return [
        known && h("p.key", { role: "status" }, known.fault),
        h("button.longer", { type: "button", onclick: () => this.ask(turn) }, t("hint.longer")),
      ];
    const { hint } = known;
    return [
      hint && h("h3", {}, agentName(hint.agent, this.replay.game)),
      hint && bars(hint.suggestions, undefined, { top: 3, made }),
      (!hint || hint.thinking) && h("p.key", { role: "status" }, t("hint.thinking")),
    ];
  }

  /** @param {number} turn */
  async ask(turn) {
    /** @param {{ hint?: any, fault?: string }} known */
    const show = (known) => {
      this.known.set(turn, known);
      this.onchange(turn);
    };
    show({});
    try {
      if (!(await api.get("me")).known) await api.post("me", {}); // searches are counted by person
      await api.events(`replays/${this.replay.id}/thought?turn=${turn}`, (hint) => show({ hint }), this.leaving.signal);
    } catch (error) {
      if (!this.leaving.signal.aborted) show({ fault: error.message });
    }
  }

  close() {
    this.leaving.abort();
  }
}
