// The cloth: seats around it and the cards each has put down, for a live table and for a replay.

import { back, laid, row, speakAll } from "./cards.js";
import { h, put } from "./dom.js";
import { inWords } from "./said.js";
import * as settings from "./settings.js";
import { isFew } from "./sound.js";
import { t } from "./words.js";

/** @type {Record<number, string[]>} where seats sit, by their number */
const AROUND = { 1: ["me"], 2: ["me", "over"], 3: ["me", "right", "left"], 4: ["me", "right", "over", "left"] };

/**
 * @typedef {object} Place one seat as drawn
 * @property {string} name @property {string} [own] the agent's own name @property {string} kind @property {number} left @property {boolean} turn @property {boolean} landlord
 * @property {number|null} bid @property {boolean|null} [doubled] @property {boolean} passed @property {number} place @property {boolean} online
 * @property {{label: string, cards: string[], pattern?: string, bomb?: boolean}|null} put @property {boolean} [stands] whether it is to be beaten
 * @property {string[]|null} cards face up, if they may be seen
 * @property {string|null} [stand_in] @property {number} [helped] @property {any} [clock] an element
 */

/** @typedef {{ element: any, pile: any, down: any, seat: number }} Box a seat and what lies before it */

export class Felt {
  constructor() {
    this.middle = h("div.middle");
    this.element = h("div.felt");
    /** @type {Box[]} */ this.boxes = [];
  }

  /**
   * @param {Place[]} seats @param {number} mine the seat at the bottom
   * @param {{ fresh?: number, from?: Map<string, DOMRect>, leads?: boolean }} [news] who has just played, from where, and whether as the first
   */
  draw(seats, mine, { fresh = -1, from, leads = false } = {}) {
    const moves = fresh >= 0 && settings.moves();
    if (moves && leads) this.sweep(fresh);
    const starts = new Map(this.boxes.map((box) => [box.seat, box.pile.getBoundingClientRect()]));
    this.element.dataset.seats = String(seats.length);
    this.boxes = seats.map((place, seat) =>
      this.box(place, seat, AROUND[seats.length][(seat - mine + seats.length) % seats.length]),
    );
    put(
      this.element,
      this.boxes.map((box) => box.element),
      this.middle,
    );
    if (moves) fly(this.boxes[fresh], starts.get(fresh), from);
  }

  /** The cards of the last round go to who won it, who leads now. @param {number} winner */
  sweep(winner) {
    const end = this.boxes[winner]?.pile.getBoundingClientRect();
    for (const one of this.element.querySelectorAll(".put .row")) {
      const begin = one.getBoundingClientRect();
      const ghost = one.cloneNode(true);
      ghost.classList.add("swept");
      Object.entries({ left: begin.left, top: begin.top, width: begin.width }).forEach(([side, at]) => (ghost.style[side] = `${at}px`));
      ghost.style.setProperty("--w", getComputedStyle(one).getPropertyValue("--w"));
      document.body.append(ghost);
      const away = `translate(${end.left - begin.left}px, ${end.top - begin.top}px) scale(.3)`;
      const done = ghost.animate([{}, { transform: away, opacity: 0 }], { duration: 320, easing: "ease-in" });
      done.onfinish = done.oncancel = () => ghost.remove();
    }
  }

  /** @param {Place} place @param {number} seat @param {string} where */
  box(place, seat, where) {
    const pile = h("span.pile", {}, back(), h("b", {}, String(place.left)));
    const marks = [
      place.clock,
      place.landlord && h("span.mark.landlord", { title: t("landlord") }, t("landlord.short")),
      place.bid !== null &&
        place.bid !== undefined &&
        h("span.mark.bid", {}, inWords("bid", place.bid)),
      place.doubled !== null &&
        place.doubled !== undefined &&
        h("span.mark.doubled", { title: inWords("double", Number(place.doubled)) }, place.doubled ? "×2" : t("double.no")),
      isFew(place.left) && place.kind !== "me" && !place.place && h("span.mark.few", {}, t(`few.${place.left}`)),
      place.place > 0 && h("span.mark.out", {}, t("place", { n: place.place })),
      place.stand_in && h("span.mark.standin", {}, t("stand_in")),
      (place.helped ?? 0) > 0 && h("span.mark.helped", {}, t("helped", { n: place.helped })),
      place.kind === "bot" && h("span.mark.bot", {}, t("seat.bot")),
      ["person", "bot"].includes(place.kind) && !place.stand_in && place.online === false && h("span.mark.away", {}, t("away")),
    ];
    const label = t("seat.label", { name: place.name, n: place.left });
    const badge = h(
      "div.badge",
      { "aria-label": label, role: "group" },
      h("span.face", { "data-kind": place.kind, "aria-hidden": "true" }, initial(place)),
      h("div.who", {}, h("strong", { title: [place.name, place.own].filter(Boolean).join(" · ") }, place.name), h("span.marks", {}, marks)),
      pile,
    );
    const cards = place.cards && h("div.open", {}, row(place.cards));
    const down = h("div.put", {}, this.putDown(place));
    const state = `${place.turn ? "turn" : ""} ${place.stands ? "stands" : ""}`;
    const element = h(`section.seat.${where}`, { "data-seat": seat, class: state }, badge, cards, down);
    return { element, pile, down, seat };
  }

  /** @param {Place} place */
  putDown(place) {
    if (place.passed) return h("span.pass", {}, t("pass"));
    if (!place.put?.cards?.length) return place.put?.label === "pass" ? h("span.pass", {}, t("pass")) : null;
    const { pattern, bomb, cards } = place.put;
    const named = pattern && (bomb || cards.length > 2); // what a card or a pair is everybody sees
    return [
      laid(place.put, { "aria-label": speakAll(cards), role: "group" }),
      named && h("span.pattern", { class: bomb ? "bomb" : "" }, t(`pattern.${pattern}`)),
    ];
  }
}

/** @param {Place} place */
function initial(place) {
  if (place.kind === "open") return "…";
  return (place.name.trim()[0] ?? "?").toUpperCase();
}

/** The cards just put down come from where they were. @param {Box} box @param {DOMRect | undefined} start @param {Map<string, DOMRect> | undefined} from */
function fly(box, start, from) {
  const down = [...(box?.down.querySelectorAll(".card") ?? [])];
  down.forEach((element, i) => {
    const end = element.getBoundingClientRect();
    const begin = from?.get(element.dataset.face) ?? start;
    if (!begin || !begin.width) return;
    const moved = `translate(${begin.left - end.left}px, ${begin.top - end.top}px) scale(${(begin.width / end.width).toFixed(2)})`;
    element.animate(
      [
        { transform: moved, opacity: from ? 1 : 0.2 },
        { transform: "none", opacity: 1 },
      ],
      {
        duration: 280,
        delay: from ? 0 : i * 22,
        easing: "cubic-bezier(.2,.8,.3,1)",
        fill: "backwards",
      },
    );
  });
  const pass = box?.down.querySelector(".pass");
  pass?.animate(
    [
      { transform: "scale(.6)", opacity: 0 },
      { transform: "none", opacity: 1 },
    ],
    { duration: 200, easing: "ease-out" },
  );
}
