// The clock of a table: how much time each person has. The server counts; between its messages this counts on.

import { announce, h, put } from "./dom.js";
import { t } from "./words.js";

const LOW = 10; // seconds

export class ClockLine {
  /** @type {Server.StateOut} */ state = /** @type {any} */ (null); // until it is drawn first
  heard = 0;
  /** @type {any[]} an element for each seat that has a clock */ faces = [];

  constructor() {
    this.element = h("div.clocks", { role: "group", "aria-label": t("clock"), hidden: true });
    this.ticking = setInterval(() => this.tick(), 250);
  }

  /** @param {Server.StateOut} state @param {(seat: number) => string} nameOf */
  draw(state, nameOf) {
    this.state = state;
    this.heard = performance.now();
    const goesOn = ["bidding", "doubling", "playing"].includes(state.status);
    this.element.hidden = !state.clock || !goesOn;
    if (this.element.hidden) return;
    this.faces = state.seats.map((seat) => seat.kind !== "agent" && !seat.stand_in && h("b", { role: "timer" }));
    put(
      this.element,
      this.faces.map(
        (face, seat) =>
          face && h("span.clock", { "data-clock": seat, class: this.runs(seat) ? "runs" : "" }, nameOf(seat), " ", face),
      ),
    );
    this.tick();
  }

  /** @param {number} seat */
  runs(seat) {
    return this.state.seats[seat].turn;
  }

  /** Seconds of the move and of the reserve that a seat has now. @param {number} seat */
  left(seat) {
    const { move, left_ms, spent_ms } = /** @type {Server.ClockState} */ (this.state.clock);
    const spent = this.runs(seat) ? (spent_ms + performance.now() - this.heard) / 1000 : 0;
    return { move: Math.max(0, move - spent), reserve: Math.max(0, left_ms[seat] / 1000 - Math.max(0, spent - move)) };
  }

  tick() {
    if (this.element.hidden) return;
    this.faces.forEach((face, seat) => face && this.show(face, seat));
  }

  /** @param {any} face @param {number} seat */
  show(face, seat) {
    const { move, reserve } = this.left(seat);
    const low = this.runs(seat) && move + reserve < LOW;
    if (low && !face.classList.contains("low") && seat === this.state.seat) announce(t("clock.low", { n: LOW }));
    face.classList.toggle("low", low);
    const text = this.runs(seat) && move > 0 ? `${written(move)} + ${written(reserve)}` : written(reserve);
    if (face.textContent !== text) face.textContent = text;
  }

  close() {
    clearInterval(this.ticking);
  }
}

/** Seconds as 1:05. @param {number} seconds */
function written(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
