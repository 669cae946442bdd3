// Finished games, fetched from the server and put in the shape that replay and review draw.

import * as api from "./api.js";
import { name, without } from "./cards.js";

const cardList = (cards) => (cards ?? []).map(name);

/**
 * @typedef {{ seat: number, play: number, label: string, cards: string[], think_ms?: number }} Turn
 * @typedef {{ id: string, game: string, rules: string, players: string[], sides: number[], placesPaid: boolean, landlord: number, hands: string[][], public: string[], mine: number|null,
 *             kinds: string[], bids: import("./said.js").Said[], turns: Turn[], scores: number[], winners: number[], places: number[], finished: boolean, title: string }} Replay
 */

/** @param {string} id @returns {Promise<Replay>} */
export async function fetchReplay(id) {
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
    sides: raw.sides,
    placesPaid: raw.places_paid,
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

/** The seat I had, as far as is known: that of the only person, or the one in my own list. */
async function mySeat(id, players) {
  const people = players.flatMap((one, seat) => (one.kind === "person" ? [seat] : []));
  if (people.length < 2) return people[0] ?? null;
  const mine = await myGames();
  return mine.find((one) => one.replay === id)?.seat ?? people[0];
}

/** The hand of each seat before turn `at`. @param {Replay} replay */
export function handsAt(replay, at) {
  const hands = replay.hands.map((cards) => [...cards]);
  for (const turn of replay.turns.slice(0, at)) hands[turn.seat] = without(hands[turn.seat], turn.cards);
  return hands;
}

/**
 * @typedef {{ turn: number, seat: number, choices: number, win: number|null, loss: number, played: any, best: any, candidates: any[] }} Decision
 * @param {string} id @returns {Promise<{ decisions: Decision[], mistake: number, adviser: string, chances: boolean }>} chances: whether the adviser gives any
 */
export async function fetchReview(id) {
  const { decisions, mistake, adviser, judged } = await api.get(`replays/${id}/review`);
  return {
    decisions: decisions.map((one) => ({ ...one, best: one.candidates[0], candidates: withPlayed(one) })),
    mistake,
    adviser,
    judged,
    chances: decisions.some((one) => one.win !== null),
  };
}

/** The candidates with the play that was made, which comes last if it was none of them. */
const withPlayed = ({ candidates, played }) =>
  candidates.some((one) => one.play === played.play) ? candidates : [...candidates, played];
