// The clock of a table: how much time each person has, shown at their seat. The server counts; between its messages this counts on.

import { announce, h } from "./dom.js";
import { t } from "./words.js";

const LOW = 10; // seconds

export class Clock {
  /** @type {Server.StateOut} */ state = /** @type {any} */ (null); // until it is drawn first
  heard = 0;
  /** @type {any[]} an element for each seat whose time runs */ faces = [];

  constructor() {
    this.ticking = setInterval(() => this.tick(), 250);
  }

  /** What is to stand at each seat. @param {Server.StateOut} state */
  draw(state) {
    this.state = state;
    this.heard = performance.now();
    const goesOn = state.clock && ["bidding", "doubling", "playing"].includes(state.status);
    this.faces = state.seats.map((seat, i) => goesOn && seat.kind !== "agent" && !seat.stand_in && this.face(i));
    this.tick();
    return this.faces;
  }

  /** @param {number} seat */
  face(seat) {
    return h("span.mark.clock", { role: "timer", "aria-label": t("clock"), "data-clock": seat, class: this.runs(seat) ? "runs" : "" });
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
