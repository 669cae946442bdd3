// My hand: a fan of cards to choose from by click, by dragging across, by touch and by typing ranks.

import { card, id, inOrder, name, rankOf, withSuits } from "./cards.js";
import { h } from "./dom.js";
import * as settings from "./settings.js";
import { t } from "./words.js";

const NARROWEST = 22; // pixels of a card that must stay free for a finger; below, the hand goes into two rows

/** @typedef {{ text: string, element: any, chosen: boolean }} Held a card in my hand */

export class Hand {
  /** @param {() => void} onchange called when the choice has changed */
  constructor(onchange) {
    this.onchange = onchange;
    /** @type {Held[]} left to right */ this.cards = [];
    this.element = h("div.hand", { role: "group", "aria-label": t("hand") });
    this.element.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => this.press(event));
    this.element.addEventListener("click", (/** @type {MouseEvent} */ event) => event.detail === 0 && this.toggle(this.find(event.target)));
    this.observer = new ResizeObserver(() => this.lay());
    this.observer.observe(this.element);
  }

  /** Shows these cards; those that stay keep their place in the choice. @param {string[]} texts */
  set(texts) {
    const wanted = inOrder(withSuits(texts), settings.get("sort"));
    const stay = staying(this.cards, wanted);
    const old = this.cards;
    this.cards = wanted.map((text) => stay.get(id(text))?.shift() ?? this.make(text));
    old.filter((one) => !this.cards.includes(one)).forEach((one) => one.element.remove());
    this.cards.forEach((one, i) => {
      if (this.element.children[i] !== one.element) this.element.insertBefore(one.element, this.element.children[i] ?? null);
    });
    this.lay();
    this.tabs();
  }

  /** The cards come one after the other. */
  deal() {
    const from = { opacity: 0, translate: "0 -60px" };
    this.cards.forEach((one, i) =>
      one.element.animate([from, {}], { duration: 300, delay: i * 28, easing: "ease-out", fill: "backwards" }),
    );
  }

  /** @param {string} text */
  make(text) {
    const element = card(text, "button", { "aria-pressed": "false", tabindex: "-1" });
    return { text, element, chosen: false };
  }

  /** Where each card lies: one soft arc, or two straight rows where there is no room. */
  lay() {
    const first = this.cards[0]?.element;
    if (!first) return;
    const edge = 14;
    const room = this.element.clientWidth;
    const width = first.offsetWidth;
    const n = this.cards.length;
    /** @param {number} count */
    const step = (count) => (count > 1 ? Math.min(width * 0.7, (room - width - 2 * edge) / (count - 1)) : 0);
    const rows = step(n) < NARROWEST ? 2 : 1;
    const each = Math.ceil(n / rows);
    this.element.classList.toggle("tworows", rows === 2);
    this.cards.forEach((one, i) => {
      const line = Math.floor(i / each);
      const count = Math.min(each, n - line * each);
      const off = (i % each) - (count - 1) / 2;
      const bend = rows === 1 && n > 3 ? off / Math.max(8, n / 2) : 0;
      place(one.element, room / 2 - width / 2 + off * step(each), bend, rows - 1 - line);
    });
  }

  /** @param {any} target */
  find(target) {
    const element = target?.closest?.(".card");
    return this.cards.find((one) => one.element === element);
  }

  /** A press chooses or lets go; moving on does the same to the cards passed over. @param {PointerEvent} event */
  press(event) {
    const first = this.find(event.target);
    if (!first || event.button > 0) return;
    event.preventDefault();
    const chosen = !first.chosen;
    this.choose(first, chosen);
    first.element.focus({ preventScroll: true });
    this.tabs(first);
    /** @param {PointerEvent} moved */
    const move = (moved) => {
      const one = this.find(document.elementFromPoint(moved.clientX, moved.clientY));
      if (one && one.chosen !== chosen) this.choose(one, chosen);
    };
    const end = () => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", end);
      document.removeEventListener("pointercancel", end);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  /** @param {Held | undefined} one */
  toggle(one) {
    if (one) this.choose(one, !one.chosen);
  }

  /** @param {Held} one @param {boolean} chosen */
  choose(one, chosen, quiet = false) {
    one.chosen = chosen;
    one.element.classList.toggle("chosen", chosen);
    one.element.setAttribute("aria-pressed", String(chosen));
    if (!quiet) this.onchange();
  }

  get chosen() {
    return this.cards.filter((one) => one.chosen).map((one) => one.text);
  }

  clear() {
    this.cards.forEach((one) => this.choose(one, false, true));
    this.onchange();
  }

  /** Chooses exactly these cards. @param {string[]} texts */
  select(texts) {
    const wanted = texts.map(name);
    for (const one of this.cards) {
      const at = wanted.indexOf(name(one.text));
      this.choose(one, at >= 0, true);
      if (at >= 0) wanted.splice(at, 1);
    }
    this.onchange();
  }

  /** The next card of a rank; when all are chosen, none of it. @param {string} rank */
  type(rank) {
    const all = this.cards.filter((one) => rankOf(one.text) === rank);
    const next = all.findLast((one) => !one.chosen);
    if (next) this.choose(next, true);
    else all.forEach((one) => this.choose(one, false));
    return all.length > 0;
  }

  /** Arrow keys walk over the hand. @param {number} by */
  walk(by) {
    const at = this.cards.findIndex((one) => one.element === document.activeElement);
    const next = this.cards[at < 0 ? 0 : (at + by + this.cards.length) % this.cards.length];
    next?.element.focus();
    this.tabs(next);
  }

  /** One card can be reached with Tab. */
  tabs(on = this.cards.find((one) => one.element.tabIndex === 0) ?? this.cards[0]) {
    this.cards.forEach((one) => (one.element.tabIndex = one === on ? 0 : -1));
  }

  /** Where the chosen cards are on the screen, for those that fly from there. */
  rectangles() {
    return new Map(this.cards.filter((one) => one.chosen).map((one) => [id(one.text), one.element.getBoundingClientRect()]));
  }

  close() {
    this.observer.disconnect();
  }
}

/**
 * Which of the cards held stay, by card. Of two that are alike the one that was chosen goes: it is the one that was played.
 * @param {Held[]} cards @param {string[]} wanted
 */
function staying(cards, wanted) {
  /** @type {Map<string, Held[]>} */ const stay = new Map(wanted.map((text) => [id(text), []]));
  for (const [text, kept] of stay) {
    const held = cards.filter((one) => id(one.text) === text);
    const number = wanted.filter((one) => id(one) === text).length;
    const first = [...held].sort((a, b) => Number(a.chosen) - Number(b.chosen)).slice(0, number);
    kept.push(...held.filter((one) => first.includes(one)));
  }
  return stay;
}

/** @param {HTMLElement} element @param {number} x @param {number} bend @param {number} row */
function place(element, x, bend, row) {
  element.style.setProperty("--x", `${x.toFixed(1)}px`);
  element.style.setProperty("--turn", `${(bend * 5).toFixed(2)}deg`);
  element.style.setProperty("--drop", `${(bend * bend * 10).toFixed(1)}px`);
  element.style.setProperty("--row", String(row));
}
