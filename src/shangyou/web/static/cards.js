// Cards as texts ("7", "7s", "7♠", "S", "B") and as elements. What they are worth in a play the server knows.

import { h } from "./dom.js";
import { t } from "./words.js";

export const RANKS = "3456789TJQKA2SB";
const SUITS = "shcd";
const SIGNS = "♠♥♣♦";

/** @typedef {{ rank: string, suit: string }} Card suit is s, h, c, d or "" */

/** @param {string} text @returns {Card} */
export function read(text) {
  const ten = text.startsWith("10");
  const rank = ten ? "T" : text[0].toUpperCase();
  const rest = text.slice(ten ? 2 : 1);
  const at = Math.max(SUITS.indexOf(rest.toLowerCase() || "-"), SIGNS.indexOf(rest || "-"));
  return { rank, suit: at >= 0 && RANKS.indexOf(rank) < 13 ? SUITS[at] : "" };
}

/** One way to write each card, so that texts can be compared: "7s", "7", "B". */
export const name = (text) => {
  const card = read(text);
  return card.rank + card.suit;
};

export const rankOf = (text) => read(text).rank;

/** Splits "3344Th" or "3s 4s" into cards; what is no card is left out. */
export function split(text) {
  return (text.match(/(10|[3-9TJQKA2SB])([shcd♠♥♣♦])?/gi) ?? []).map(name);
}

/** Low to high. */
export function compare(a, b) {
  const [x, y] = [read(a), read(b)];
  return RANKS.indexOf(x.rank) - RANKS.indexOf(y.rank) || SUITS.indexOf(x.suit) - SUITS.indexOf(y.suit);
}

export const sorted = (cards, order = "low") => [...cards].sort(order === "low" ? compare : (a, b) => compare(b, a));

/** Whether two lists hold the same cards, `by` name or only by rank. */
export const same = (a, b, by = name) => a.length === b.length && a.map(by).sort().join() === b.map(by).sort().join();

/** In the order in which a label names them: the main group first, then kickers. */
export function asLabelled(cards, label) {
  const order = split(label ?? "").map(rankOf);
  const at = (text) => (order.includes(rankOf(text)) ? order.indexOf(rankOf(text)) : 99);
  return sorted(cards).sort((a, b) => at(a) - at(b));
}

/** What is left of `cards` without `gone`. */
export function without(cards, gone) {
  const rest = cards.map(name);
  for (const card of gone.map(name)) {
    const at = rest.indexOf(card);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}

export const sign = (suit) => (suit ? (SIGNS[SUITS.indexOf(suit)] ?? "") : "");

/** As read aloud: "ten of hearts". */
export function spoken(text) {
  const { rank, suit } = read(text);
  if (rank === "S" || rank === "B") return t(`card.${rank}`);
  const word = "TJQKA".includes(rank) ? t(`card.${rank}`) : rank;
  return suit ? t("card.of", { rank: word, suit: t(`suit.${suit}`) }) : word;
}

export const speakAll = (cards) => sorted(cards).map(spoken).join(", ");

/** The face of a card, to go into any element. */
function face(text) {
  const { rank, suit } = read(text);
  if (rank === "S" || rank === "B")
    return [
      h("span.joker", {}, t("card.joker")),
      h("span.star", {}, rank === "B" ? "★" : "☆"),
      h("span.which", {}, t(`card.${rank}.short`)),
    ];
  const shown = rank === "T" ? "10" : rank;
  return [h("span.rank", {}, shown), h("span.suit", {}, sign(suit)), h("span.mid", {}, suit ? sign(suit) : shown)];
}

const tint = (text) => {
  const { rank, suit } = read(text);
  if (rank === "S" || rank === "B") return rank === "B" ? "red.jester" : "black.jester";
  return suit === "" ? "bare" : suit === "h" || suit === "d" ? "red" : "black";
};

/** A card face up. @param {string} text @param {string} [tag] span, or button for one that can be chosen */
export function card(text, tag = "span", props = {}) {
  const more = tag === "span" ? { role: "img" } : { type: "button" };
  const faces = face(text).map((part) => (part.setAttribute("aria-hidden", "true"), part));
  return h(`${tag}.card.${tint(text)}`, { "aria-label": spoken(text), "data-card": name(text), ...more, ...props }, faces);
}

/** A play as it lies on the table. @param {{ cards: string[], label: string }} play */
export const laid = (play, props) => row(asLabelled(play.cards, play.label), props);

/** Cards side by side, overlapping. */
export function row(cards, props = {}) {
  const size = cards.length > 12 ? "lots" : cards.length > 6 ? "many" : "few";
  return h(
    `span.row.${size}`,
    props,
    cards.map((text, i) => card(text, "span", { vars: { "--i": i } })),
  );
}

export const back = (props = {}) => h("span.card.back", { "aria-hidden": "true", ...props });
