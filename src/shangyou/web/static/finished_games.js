// Finished games as the server keeps them, put in the shape that replay and review draw.

import * as api from "./api.js";
import { name, without } from "./cards.js";

const cardList = (cards) => (cards ?? []).map(name);

/**
 * @typedef {{ seat: number, play: number, label: string, cards: string[], think_ms?: number }} Turn
 * @typedef {{ id: string, game: string, rules: string, players: string[], landlord: number, hands: string[][], public: string[], mine: number|null,
 *             kinds: string[], bids: any[], turns: Turn[], scores: number[], winners: number[], places: number[], finished: boolean, title: string }} Kept
 */

/** @param {string} id @returns {Promise<Kept>} */
export async function fetchGame(id) {
  const raw = await api.get(`replays/${id}`);
  const turns = raw.turns.map((turn) => ({ ...turn, cards: turn.cards.map(name) }));
  const players = raw.hands.map((_, i) => raw.players[i] ?? { name: "", kind: "unknown" });
  return {
    id,
    game: raw.game,
    rules: raw.rules,
    title: raw.name,
    players: players.map((one) => one.name),
    kinds: players.map((one) => one.kind),
    mine: await mySeat(id, players),
    landlord: raw.landlord ?? -1,
    hands: raw.hands.map(cardList),
    public: cardList(raw.public),
    bids: raw.bids,
    turns,
    ...raw.result,
  };
}

/** My finished games, latest first; who has never played has none. */
export async function myGames() {
  const me = await api.get("me");
  return me.known ? api.get("me/games") : [];
}

/** Where I sat, as far as can be told: the only person, or what my own list says. */
async function mySeat(id, players) {
  const people = players.flatMap((one, seat) => (one.kind === "person" ? [seat] : []));
  if (people.length < 2) return people[0] ?? null;
  const mine = await myGames();
  return mine.find((one) => one.replay === id)?.seat ?? people[0];
}

/** What each seat holds before turn `at`. @param {Kept} kept */
export function handsAt(kept, at) {
  const hands = kept.hands.map((cards) => [...cards]);
  for (const turn of kept.turns.slice(0, at)) hands[turn.seat] = without(hands[turn.seat], turn.cards);
  return hands;
}

/**
 * @typedef {{ turn: number, seat: number, choices: number, win: number|null, loss: number, played: any, best: any, candidates: any[] }} Decision
 * @param {string} id @returns {Promise<{ decisions: Decision[], mistake: number, adviser: string, chances: boolean }>} chances: whether the adviser tells any
 */
export async function fetchReview(id) {
  const { decisions, mistake, adviser } = await api.get(`replays/${id}/review`);
  return {
    decisions: decisions.map((one) => ({ ...one, best: one.candidates[0], candidates: withPlayed(one) })),
    mistake,
    adviser,
    chances: decisions.some((one) => one.win !== null),
  };
}

/** What was played stands among the candidates, last if it was none of them. */
const withPlayed = ({ candidates, played }) =>
  candidates.some((one) => one.play === played.play) ? candidates : [...candidates, played];
