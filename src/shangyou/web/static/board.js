// A position as piles of cards: a tap on a card of the pack puts it into the chosen pile, a tap on it there takes it back.

import { card, compare, name, read, sign, sorted, spoken, withSuits } from "./cards.js";
import { h, put } from "./dom.js";
import { t } from "./words.js";

/**
 * What a board shows and changes.
 * @typedef {{ name: string, label: string }} Pile
 * @typedef {object} Position
 * @property {Record<string, number>} pack how many there are of each card
 * @property {Pile[]} piles
 * @property {(pile: string) => string[]} cardsOf
 * @property {(pile: string, card: string) => number} rest how many more of a card a pile can take
 * @property {(pile: string, card: string) => void} add
 * @property {(pile: string, card: string) => void} remove
 */

export class Board {
  /** @param {Position} position */
  constructor(position) {
    this.position = position;
    this.pile = position.piles[0].name; // which cards go into
    this.piles = Object.fromEntries(position.piles.map((pile) => [pile.name, this.makePile(pile)]));
    this.pack = Object.entries(position.pack).map(([text, copies]) => this.makeCard(name(text), copies));
    this.hint = h("p.key");
    const suited = this.pack.some((one) => read(one.text).suit);
    const picker = h("div.picker", { role: "group", "aria-label": t("pos.cards"), class: suited ? "suited" : "" }, bySuit(this.pack).map((one) => one.button));
    this.element = h(
      "div.board",
      {},
      h("div.piles", {}, Object.values(this.piles).map((pile) => pile.element)),
      h("div.packbox", {}, this.hint, picker),
    );
    this.draw();
  }

  /** @param {Pile} pile */
  makePile({ name: pile, label }) {
    const title = h("button.title", { type: "button", "data-pile": pile, onclick: () => this.aim(pile) });
    const cards = h("div.cards", { role: "group", "aria-label": label });
    const fault = h("p.fault", { id: `fault-${pile}` });
    return { label, title, cards, fault, element: h("section.pile-box", {}, title, cards, fault) };
  }

  /** @param {string} text @param {number} copies */
  makeCard(text, copies) {
    const { rank, suit } = read(text);
    const left = h("small", { "aria-hidden": "true" });
    const red = suit === "h" || suit === "d" || rank === "B";
    const onclick = () => this.rest(text) > 0 && this.act(() => this.position.add(this.pile, text));
    const button = h("button.pick", { type: "button", "data-pick": text, class: red ? "red" : "", onclick }, h("span", {}, rankSign(rank)), h("span", {}, sign(suit)), copies > 1 && left);
    return { text, button, left };
  }

  /** @param {string} text */
  rest(text) {
    return this.position.rest(this.pile, text);
  }

  /** @param {string} pile the one that cards now go into */
  aim(pile) {
    this.pile = pile;
    this.draw();
  }

  /** @param {() => void} change */
  act(change) {
    change();
    this.draw();
  }

  draw() {
    for (const [pile, parts] of Object.entries(this.piles)) this.drawPile(pile, parts);
    for (const { text, button, left } of this.pack) {
      const rest = this.rest(text);
      left.textContent = String(rest);
      button.setAttribute("aria-disabled", String(rest <= 0)); // it keeps the focus, unlike a disabled button
      button.setAttribute("aria-label", t("pos.add", { card: spoken(text), n: rest }));
    }
    this.hint.textContent = t("pos.into", { pile: this.piles[this.pile].label });
  }

  /** @param {string} pile @param {any} parts */
  drawPile(pile, { label, title, cards, element }) {
    const held = sorted(this.position.cardsOf(pile));
    const had = [...cards.children].indexOf(document.activeElement);
    put(title, h("span", {}, label), h("b", {}, String(held.length)));
    title.setAttribute("aria-pressed", String(pile === this.pile));
    element.classList.toggle("target", pile === this.pile);
    put(cards, withSuits(held).map((text) => this.heldCard(pile, text)));
    if (had >= 0) (cards.children[Math.min(had, held.length - 1)] ?? title).focus();
  }

  /** @param {string} pile @param {string} text */
  heldCard(pile, text) {
    const label = t("pos.remove", { card: spoken(text) });
    return card(text, "button", { "aria-label": label, onclick: () => this.act(() => this.position.remove(pile, name(text))) });
  }

  /** Says what is wrong beside the pile it is about; nothing without a pile. @param {string} pile @param {string} reason */
  blame(pile, reason) {
    for (const [one, { fault, title }] of Object.entries(this.piles)) {
      fault.textContent = one === pile ? reason : "";
      if (one === pile) title.setAttribute("aria-describedby", fault.id);
      else title.removeAttribute("aria-describedby");
    }
  }
}

/** @param {string} rank */
const rankSign = (rank) => ({ T: "10", S: "☆", B: "★" })[rank] ?? rank;

/** Suit after suit, jokers last, as the pack lies on the page. @param {any[]} cards */
function bySuit(cards) {
  const place = (/** @type {{ text: string }} */ { text }) => ("SB".includes(read(text).rank) ? 9 : "shcd".indexOf(read(text).suit));
  return [...cards].sort((a, b) => place(a) - place(b) || compare(a.text, b.text));
}
