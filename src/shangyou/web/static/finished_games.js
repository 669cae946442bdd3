// Finished games, fetched from the server and put in the shape that replay and review draw.

import * as api from "./api.js";
import { name, without } from "./cards.js";
import { distinct, playerName } from "./names.js";
import { t } from "./words.js";

/** @param {string[] | null} cards */
const cardList = (cards) => (cards ?? []).map(name);

/**
 * @typedef {Server.ReplayTurn} Turn
 * @typedef {{ id: string, game: string, rules: string, players: string[], sides: number[], placesPaid: boolean, landlord: number,
 *             deal: string[][], hands: string[][], public: string[], mine: number|null, kinds: string[], bids: Server.BidOut[],
 *             turns: Turn[], scores: number[], winners: number[], places: number[], finished: boolean, title: string }} Replay
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
    mine: raw.mine,
    sides: raw.sides,
    placesPaid: raw.places_paid,
    landlord: raw.landlord ?? -1,
    deal: raw.deal.map(cardList),
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

/** The seat to look from: mine, or that of the first person. @param {Replay} replay */
export const seatBelow = ({ mine, kinds }) => mine ?? Math.max(0, kinds.indexOf("person"));

/** The names of the seats. @param {import("./finished_games.js").Replay} replay */
export const namesOf = ({ players, kinds, game, mine }) =>
  distinct(players.map((name, seat) => playerName({ name, kind: kinds[seat] }, game) || (seat === mine ? t("you") : t("seat.n", { n: seat + 1 }))));

/** The hand of each seat before turn `at`. @param {Replay} replay @param {number} at */
export function handsAt(replay, at) {
  const hands = replay.hands.map((cards) => [...cards]);
  for (const turn of replay.turns.slice(0, at)) hands[turn.seat] = without(hands[turn.seat], turn.cards);
  return hands;
}

/**
 * @typedef {Server.DecisionOut} Decision
 * @typedef {Server.ReviewOut["measure"]} Measure
 * @param {string} id @returns {Promise<Server.ReviewOut>}
 */
export async function fetchReview(id) {
  const review = await api.get(`replays/${id}/review`);
  return { ...review, decisions: review.decisions.map((one) => ({ ...one, candidates: withPlayed(one) })) };
}

/** The candidates with the play that was made, which comes last if it was none of them. @param {Decision} decision */
const withPlayed = ({ candidates, played }) =>
  candidates.some((one) => one.play === played.play) ? candidates : [...candidates, played];

/** The candidates of a decision, the best in a measure first. @param {Decision} decision @param {Measure} measure */
export const ranked = ({ candidates }, measure) =>
  candidates[0][measure] === null ? candidates : [...candidates].sort((a, b) => (b[measure] ?? 0) - (a[measure] ?? 0));
