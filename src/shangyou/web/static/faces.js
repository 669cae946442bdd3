// What is printed on a card, as SVG of our own: ranks, suits, pips, court cards and jokers. All on a sheet of 100 by 142.

import { svg } from "./dom.js";
import { t } from "./words.js";

/** @type {Record<string, string>} */
const SUIT = {
  s: "M0-10C3-5 10-1.5 10 3.5 10 6.5 7.5 8 5.5 8 3.6 8 2 7 1 5.5 1.2 8 2 9.5 3.5 10H-3.5C-2 9.5-1.2 8-1 5.5-2 7-3.6 8-5.5 8-7.5 8-10 6.5-10 3.5-10-1.5-3-5 0-10Z",
  h: "M0 9.5C-3 5.5-10 1-10-4.5-10-8-7.7-9.5-5.3-9.5-2.8-9.5-.9-8 0-5.6.9-8 2.8-9.5 5.3-9.5 7.7-9.5 10-8 10-4.5 10 1 3 5.5 0 9.5Z",
  c: "M0-10A4.6 4.6 0 0 1 3.7-2.7 4.6 4.6 0 1 1 1.2 4.7C1.3 7.5 2 9.3 3.5 10H-3.5C-2 9.3-1.3 7.5-1.2 4.7A4.6 4.6 0 1 1-3.7-2.7 4.6 4.6 0 0 1 0-10Z",
  d: "M0-10C2-6 5-2.5 8 0 5 2.5 2 6 0 10-2 6-5 2.5-8 0-5-2.5-2-6 0-10Z",
};
const [LEFT, MID, RIGHT] = [45, 62, 79];
/** @param {number} y */
const pair = (y) => [[LEFT, y], [RIGHT, y]];
/** @type {Record<string, number[][]>} where the pips of a rank stand */
const PIPS = {
  2: [[MID, 36], [MID, 106]],
  3: [[MID, 34], [MID, 71], [MID, 108]],
  4: [...pair(36), ...pair(106)],
  5: [...pair(36), [MID, 71], ...pair(106)],
  6: [...pair(34), ...pair(71), ...pair(108)],
  7: [...pair(34), ...pair(71), ...pair(108), [MID, 52]],
  8: [...pair(34), ...pair(71), ...pair(108), [MID, 52], [MID, 90]],
  9: [...pair(28), ...pair(57), ...pair(85), ...pair(114), [MID, 71]],
  T: [...pair(28), ...pair(57), ...pair(85), ...pair(114), [MID, 42], [MID, 100]],
};
const MIDDLE = 71; // half of the height: what is below is what is above, turned round

/** @param {string} suit @param {number} x @param {number} y @param {number} size */
const pip = (suit, x, y, size) => {
  const turned = y > MIDDLE ? " rotate(180)" : "";
  return svg("path", { d: SUIT[suit], transform: `translate(${x} ${y})${turned} scale(${size})` });
};

/**
 * The rank as printed; wide ones are fitted into the corner in every typeface.
 * @param {string} rank @param {number} x @param {number} y @param {number} size
 */
function rankAt(rank, x, y, size) {
  const fitted = "TQKA".includes(rank) ? { textLength: size * 0.78, lengthAdjust: "spacingAndGlyphs" } : {};
  return svg("text.rank", { x, y, "font-size": size, ...fitted }, rank === "T" ? "10" : rank);
}

/** @type {Record<string, string>} */
const HAIR = { J: "M51 50C48 34 52 26 62 26S76 34 73 50Z", Q: "M49 60C44 38 50 25 62 25S80 38 75 60Z", K: "M50 52C47 34 51 26 62 26S77 34 74 52Z" };
/** @type {Record<string, string>} */
const HAT = {
  J: "M47 32C50 20 68 16 78 26L74 33C66 29 56 29 47 32Z",
  Q: "M49 32L46 21 54 26 57 17 62 24 67 17 70 26 78 21 75 32C66 29 58 29 49 32Z",
  K: "M48 32V17L55 24 62 14 69 24 76 17V32C66 29 58 29 48 32Z",
};
/** @type {Record<string, string>} */
const MORE = { J: "M74 27C82 24 85 18 84 12 78 15 74 20 72 25Z", Q: "M59.5 55.5L62 52.5 64.5 55.5 62 58.5Z", K: "M53 45C53 59 58 62 62 62S71 59 71 45C68 51 65 50 62 50S56 51 53 45Z" };

/** A half figure, drawn twice. @param {string} rank */
function figure(rank) {
  return svg(
    "g",
    {},
    svg("path.hair", { d: HAIR[rank] }),
    svg("path.robe", { d: "M36 71C37 60 46 55 55 54H69C78 55 87 60 88 71Z" }),
    svg("path.trim", { d: "M55 54L62 71 69 54 73 55 66 71H58L51 55Z" }),
    svg("path.skin", { d: "M53 39C53 31 57 29 62 29S71 31 71 39 67 54 62 54 53 47 53 39Z" }),
    svg("path.line", { d: "M57.5 40h2.5M64 40h2.5M62 41v4.5M59.5 48.5q2.5 1.5 5 0" }),
    svg("path", { class: rank === "J" ? "robe" : rank === "K" ? "hair" : "trim", d: MORE[rank] }),
    svg("path.trim", { d: HAT[rank] }),
  );
}

/** @param {string} rank @param {string} suit */
function court(rank, suit) {
  const below = figure(rank);
  below.setAttribute("transform", `rotate(180 62 ${MIDDLE})`);
  const frame = svg("rect.frame", { x: 34, y: 10, width: 56, height: 122, rx: 5 });
  return [frame, figure(rank), below, pip(suit, 42.5, 20, 0.58), pip(suit, 81.5, 122, 0.58)];
}

/** A cap with three bells over a laughing face. */
function jester() {
  /** @param {number} x @param {number} y */
  const bell = (x, y) => svg("circle.trim", { cx: x, cy: y, r: 4.5 });
  return [
    svg("path.robe", { d: "M42 74C30 66 28 48 38 36 42 46 46 50 52 52 50 40 54 28 62 20 70 28 74 40 72 52 78 50 82 46 86 36 96 48 94 66 82 74 70 66 54 66 42 74Z" }),
    svg("path.skin", { d: "M45 72C54 66 70 66 79 72 80 90 73 102 62 102S44 90 45 72Z" }),
    svg("path.line", { d: "M53 79q3-3 6 0M65 79q3-3 6 0M62 81v6M53 90q9 9 18 0" }),
    svg("path.trim", { d: "M42 101L50 99 56 105 62 101 68 105 74 99 82 101 78 112 70 109 62 118 54 109 46 112Z" }),
    bell(38, 35),
    bell(62, 19),
    bell(86, 35),
  ];
}

/** @param {string} rank */
function joker(rank) {
  const word = [...t(`card.${rank}.side`)];
  const step = word.length > 3 ? 22 : 34;
  const letters = word.map((letter, i) => svg("text.word", { x: 15, y: 28 + i * step, "font-size": step * 0.95 }, letter));
  return [...letters, svg("g.art", {}, jester())];
}

/** @param {string} rank @param {string} suit */
function plain(rank, suit) {
  const art = PIPS[rank]?.map(([x, y]) => pip(suit, x, y, rank > "6" || rank === "T" ? 0.82 : 0.95));
  return [
    rankAt(rank, 18, 36, 36),
    pip(suit, 18, 55, 1.05),
    svg("g.art", {}, art ?? (rank === "A" ? pip(suit, MID, MIDDLE, 2.3) : court(rank, suit))),
    svg("g.bold", {}, rankAt(rank, 23, 50, 49), pip(suit, 46, 102, 2.7)),
  ];
}

const printed = new Map();

/** The sheet of a card, a copy of one drawn before. @param {string} rank @param {string} suit s, h, c or d; of jokers none */
export function sheet(rank, suit) {
  const key = rank + suit + document.documentElement.lang;
  if (!printed.has(key))
    printed.set(key, svg("svg", { viewBox: "0 0 100 142", "aria-hidden": "true" }, suit ? plain(rank, suit) : joker(rank)));
  return printed.get(key).cloneNode(true);
}
