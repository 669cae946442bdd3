// The settings of a person, stored in this browser only.

const KEY = "shangyou-settings";
export const SORTS = ["high", "low", "groups"]; // of the hand: high cards left, low cards left, large groups left

/**
 * What is wished for a game in the lobby; clock: one of those of public_tables.js.
 * @typedef {{ seats: string[], rules: Record<string, any>, pace: number, hints: boolean, clock?: string, listed?: boolean, level?: string }} Wish
 * @typedef {{ game?: string, wishes?: Record<string, Partial<Wish>> }} Lobby
 */

const DEFAULTS = {
  language: navigator.language?.startsWith("zh") ? "zh" : "en",
  theme: "auto", // auto, light, dark
  motion: true,
  sound: true, // and vibration
  size: "normal", // small, normal, large
  sort: "high", // one of SORTS
  nickname: "",
  lobby: /** @type {Lobby} */ ({}), // the last choice of game, seats and so on
  table: "", // the last table
  duplicates: /** @type {Record<string, string>} */ ({}), // tables that got the cards of an earlier game, and which
  muted: false, // phrases of others
  puzzles: /** @type {Record<string, string[]>} */ ({}), // days on which the puzzle of the day was solved, by game
  lessons: /** @type {Record<string, number>} */ ({}), // how far each tutorial has come
};

const listeners = new Set();
let current = { ...DEFAULTS, ...read() };

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}");
  } catch {
    return {};
  }
}

/** @template {keyof typeof DEFAULTS} K @param {K} name @returns {typeof DEFAULTS[K]} */
export const get = (name) => current[name];

/** @param {Partial<typeof DEFAULTS>} changes @param {boolean} [quiet] whether the page need not be drawn again */
export function change(changes, quiet = false) {
  current = { ...current, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // private windows may refuse; the choice then lasts as long as the page
  }
  apply();
  if (!quiet) listeners.forEach((listener) => listener());
}

/** @param {() => void} listener */
export const onchange = (listener) => listeners.add(listener);

/** Whether things may move. */
export const moves = () => current.motion && !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Puts the choices where the style sheet sees them. */
export function apply() {
  const root = document.documentElement;
  root.lang = current.language === "zh" ? "zh-Hans" : "en";
  root.dataset.theme = current.theme;
  root.dataset.size = current.size;
  root.dataset.motion = current.motion ? "on" : "off";
}
