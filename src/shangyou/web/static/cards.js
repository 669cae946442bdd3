// Cards as texts ("7", "7s", "7♠", "S", "B") and as elements. What they are worth in a play the server knows.
// "7~s" is a 7 of a game without suits that looks like a seven of spades: the suit is for the eye and is never sent.

import { h } from "./dom.js";
import { sheet } from "./faces.js";
import { t } from "./words.js";

export const RANKS = "3456789TJQKA2SB";
const SUITS = "shcd";
const SIGNS = "♠♥♣♦";

/** @typedef {{ rank: string, suit: string, eye: string }} Card suit and eye are s, h, c, d or "" */

/** @param {string} text @returns {Card} */
export function read(text) {
  const [real, eye = ""] = text.split("~");
  const ten = real.startsWith("10");
  const rank = ten ? "T" : real[0].toUpperCase();
  const rest = real.slice(ten ? 2 : 1);
  const at = Math.max(SUITS.indexOf(rest.toLowerCase() || "-"), SIGNS.indexOf(rest || "-"));
  return { rank, suit: at >= 0 && !isJoker(rank) ? SUITS[at] : "", eye };
}

/** @param {string} rank */
const isJoker = (rank) => rank === "S" || rank === "B";

/** One way to write each card, so that texts can be compared: "7s", "7", "B". @param {string} text */
export const name = (text) => {
  const card = read(text);
  return card.rank + card.suit;
};

/** The same with the suit for the eye. @param {string} text */
export const id = (text) => name(text) + (read(text).eye && `~${read(text).eye}`);

/** The suit for the eye of the nth card of a rank; ranks begin with different ones. @param {string} rank @param {number} n */
export const eyeSuit = (rank, n) => SUITS[((RANKS.indexOf(rank) * 5) >> 1) + (n % 4) & 3];

/** @param {string} text @param {string} eye */
export const dressed = (text, eye) => (isJoker(rankOf(text)) ? text : `${name(text)}~${eye}`);

/** Gives every card without a suit one for the eye, so that no two are alike. @param {string[]} texts */
export function withSuits(texts) {
  /** @type {Record<string, number>} */ const seen = {};
  return texts.map((text) => {
    const { rank, suit, eye } = read(text);
    if (suit || eye) return text;
    seen[rank] = (seen[rank] ?? 0) + 1;
    return dressed(text, eyeSuit(rank, seen[rank] - 1));
  });
}

/** @param {string} text */
export const rankOf = (text) => read(text).rank;

/** Splits "3344Th" or "3s 4s" into cards; what is no card is left out. @param {string} text */
export function split(text) {
  return (text.match(/(10|[3-9TJQKA2SB])([shcd♠♥♣♦])?/gi) ?? []).map(name);
}

/** Low to high. @param {string} a @param {string} b */
export function compare(a, b) {
  const [x, y] = [read(a), read(b)];
  return RANKS.indexOf(x.rank) - RANKS.indexOf(y.rank) || SUITS.indexOf(x.suit || x.eye) - SUITS.indexOf(y.suit || y.eye);
}

/** @param {string[]} cards @param {string} order low or high cards first */
export const sorted = (cards, order = "low") => [...cards].sort(order === "low" ? compare : (a, b) => compare(b, a));

/**
 * How a hand is sorted: "high" or "low" cards first, or "groups", the larger groups of one rank first.
 * @param {string[]} cards @param {string} order
 */
export function inOrder(cards, order) {
  const high = sorted(cards, order === "low" ? "low" : "high");
  if (order !== "groups") return high;
  /** @param {string} text */
  const size = (text) => cards.filter((one) => rankOf(one) === rankOf(text)).length;
  return high.sort((a, b) => size(b) - size(a));
}

/** Whether two lists hold the same cards, `by` name or only by rank. @param {string[]} a @param {string[]} b */
export const same = (a, b, by = name) => a.length === b.length && a.map(by).sort().join() === b.map(by).sort().join();

/** In the order in which a label names them: the main group first, then kickers. @param {string[]} cards @param {string} label */
function asLabelled(cards, label) {
  const order = split(label ?? "").map(rankOf);
  /** @param {string} text */
  const at = (text) => (order.includes(rankOf(text)) ? order.indexOf(rankOf(text)) : 99);
  return sorted(cards).sort((a, b) => at(a) - at(b));
}

/** What is left of `cards` without `gone`. @param {string[]} cards @param {string[]} gone */
export function without(cards, gone) {
  const rest = cards.map(name);
  for (const card of gone.map(name)) {
    const at = rest.indexOf(card);
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}

/** @param {string} suit */
export const sign = (suit) => (suit ? (SIGNS[SUITS.indexOf(suit)] ?? "") : "");

/** As read aloud: "ten of hearts". @param {string} text */
export function spoken(text) {
  const { rank, suit } = read(text);
  if (rank === "S" || rank === "B") return t(`card.${rank}`);
  const word = "TJQKA".includes(rank) ? t(`card.${rank}`) : rank;
  return suit ? t("card.of", { rank: word, suit: t(`suit.${suit}`) }) : word;
}

/** @param {string[]} cards */
export const speakAll = (cards) => sorted(cards).map(spoken).join(", ");

/** A card face up. @param {string} text @param {string} [tag] span, or button for one that can be chosen */
export function card(text, tag = "span", props = {}) {
  const { rank, suit, eye } = read(text);
  const shown = isJoker(rank) ? "" : suit || eye || eyeSuit(rank, 0);
  const tint = shown ? (shown === "h" || shown === "d" ? "red" : "black") : `joker.${rank === "B" ? "red" : "black"}`;
  const more = tag === "span" ? { role: "img" } : { type: "button" };
  const names = { "aria-label": spoken(text), "data-card": name(text), "data-face": id(text) };
  return h(`${tag}.card.${tint}`, { ...names, ...more, ...props }, sheet(rank, shown));
}

/** A play as it lies on the table. @param {{ cards: string[], label: string }} play @param {import("./dom.js").Props} [props] */
export const laid = (play, props) => row(asLabelled(play.cards, play.label), props);

/** Cards side by side, overlapping. @param {string[]} cards */
export function row(cards, props = {}) {
  const size = cards.length > 12 ? "lots" : cards.length > 6 ? "many" : "few";
  return h(
    `span.row.${size}`,
    props,
    withSuits(cards).map((text, i) => card(text, "span", { vars: { "--i": i } })),
  );
}

export const back = (props = {}) => h("span.card.back", { "aria-hidden": "true", ...props });
