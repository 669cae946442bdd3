// What is heard and felt at a table: short tones made here, no files; a telephone also shakes. One switch for both.

import * as settings from "./settings.js";

/** @typedef {"deal" | "card" | "pass" | "turn" | "few" | "bomb" | "won" | "lost"} Sound */
/** @typedef {[start: number, frequency: number, length: number, loudness: number, wave: OscillatorType]} Note times in seconds */

/** What each sound is made of; how long to shake, in milliseconds. @type {Record<Sound, { notes: Note[], shake: number | number[] }>} */
const SOUNDS = {
  deal: { notes: Array.from({ length: 7 }, (_, i) => [i * 0.055, 900 + (i % 3) * 160, 0.03, 0.05, "triangle"]), shake: 0 },
  card: { notes: [[0, 520, 0.05, 0.12, "triangle"], [0.02, 260, 0.06, 0.1, "sine"]], shake: 0 },
  pass: { notes: [[0, 220, 0.09, 0.07, "sine"]], shake: 0 },
  turn: { notes: [[0.16, 660, 0.12, 0.09, "sine"], [0.28, 880, 0.16, 0.09, "sine"]], shake: [25] },
  few: { notes: [[0.05, 988, 0.08, 0.08, "square"], [0.17, 988, 0.08, 0.08, "square"]], shake: [20, 40, 20] },
  bomb: { notes: [[0, 110, 0.5, 0.35, "sawtooth"], [0, 55, 0.7, 0.4, "sine"], [0.03, 73, 0.4, 0.25, "square"]], shake: [90, 40, 120] },
  won: { notes: [523, 659, 784, 1047].map((tone, i) => [i * 0.13, tone, 0.3, 0.12, "triangle"]), shake: [40, 40, 40, 40, 120] },
  lost: { notes: [392, 349, 294].map((tone, i) => [i * 0.18, tone, 0.3, 0.1, "sine"]), shake: [60] },
};

/** @type {AudioContext|undefined} */ let speaker;

/** @param {Sound} name */
function sound(name) {
  if (!settings.get("sound") || !navigator.userActivation?.hasBeenActive) return; // browsers are silent before a first touch
  const { notes, shake } = SOUNDS[name];
  if (shake) navigator.vibrate?.(shake);
  const heard = (speaker ??= new AudioContext());
  if (speaker.state === "suspended") speaker.resume();
  notes.forEach((note) => tone(heard, note));
}

/** A tone that swells at once and dies away. @param {AudioContext} to @param {Note} note */
function tone(to, [start, frequency, length, loudness, wave]) {
  const [source, volume, at] = [to.createOscillator(), to.createGain(), to.currentTime + start];
  source.type = wave;
  source.frequency.setValueAtTime(frequency, at);
  source.frequency.exponentialRampToValueAtTime(frequency * 0.85, at + length);
  volume.gain.setValueAtTime(0.0001, at);
  volume.gain.exponentialRampToValueAtTime(loudness, at + 0.012);
  volume.gain.exponentialRampToValueAtTime(0.0001, at + length);
  source.connect(volume).connect(to.destination);
  source.start(at);
  source.stop(at + length + 0.02);
}

/**
 * The sounds of a change from one state of a table to the next. @returns {Sound[]}
 * @param {Server.StateOut | null} before @param {Server.StateOut} state
 */
export function soundsOf(before, state) {
  /** @type {Sound[]} */ const found = [];
  const latest = state.history.at(-1);
  const opening = state.history.length < state.seats.length; // others may have led before the cards are shown
  if (opening && (before?.hand.length ?? 0) < state.hand.length) found.push("deal");
  if (before && latest && state.history.length > before.history.length) {
    found.push(state.seats[latest.seat].put?.bomb ? "bomb" : latest.cards.length ? "card" : "pass");
    if (state.seats.some((seat, i) => i !== state.seat && isFew(seat.left) && !isFew(before.seats[i].left))) found.push("few");
  }
  if (before && state.status === "over" && before.status !== "over" && state.seat !== null)
    found.push(state.result?.winners.includes(state.seat) ? "won" : "lost");
  /** @param {Server.StateOut | null} one */
  const due = (one) => Boolean(one?.legal?.length || one?.bids?.length);
  if (due(state) && (!due(before) || before?.version !== state.version)) found.push("turn");
  return found;
}

/** Whether a seat is about to go out. @param {number} left */
export const isFew = (left) => left === 1 || left === 2;

/** @param {Server.StateOut | null} before @param {Server.StateOut} state */
export const react = (before, state) => soundsOf(before, state).forEach(sound);
