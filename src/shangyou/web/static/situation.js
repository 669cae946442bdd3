// What the state of a table means for who sits there: what to do now, which play chosen cards are, what leaving costs.

import { rankOf, same, speakAll } from "./cards.js";
import { dueAt } from "./said.js";
import { t } from "./words.js";

/**
 * What is to be done now, and how urgent it looks.
 * @param {Server.StateOut} state @param {boolean} myTurn @param {(seat: number) => string} nameOf @returns {[string, string?]}
 */
export function toDo(state, myTurn, nameOf) {
  if (state.status === "over" || state.status === "left") return [""];
  if (state.forfeited !== null) return [t("forfeited"), "bad"];
  if (state.status === "open") return [t(state.seat === null ? "open.join" : state.listed ? "open.wait.listed" : "open.wait")];
  if (myTurn) return [t(myTask(state)), "turn"];
  const turn = state.seats.findIndex((seat) => seat.turn);
  return [turn >= 0 ? t("turn.other", { name: nameOf(turn) }) : ""];
}

/** @param {Server.StateOut} state */
function myTask(state) {
  const due = dueAt(state.status);
  if (due) return `turn.${due}`;
  if (!state.to_beat) return "turn.lead";
  return state.legal.length > 1 ? "turn.follow" : "turn.mustpass";
}

/** A turn as read aloud. @param {Server.TurnOut} turn @param {string} who */
export const description = (turn, who) =>
  turn.cards.length ? t("announce.play", { name: who, cards: speakAll(turn.cards) }) : t("announce.pass", { name: who });

/**
 * The legal play these cards are: the very cards, or the same ranks in other suits.
 * @param {string[]} cards @param {Server.PlayOut[]} legal
 */
export function matching(cards, legal) {
  if (!cards.length) return null;
  const plays = legal.filter((one) => one.cards.length === cards.length);
  return plays.find((one) => same(one.cards, cards)) ?? plays.find((one) => same(one.cards, cards, rankOf)) ?? null;
}

/** What is asked before a game is given up; nothing before the deal. @param {Server.StateOut} state */
export function costOfLeaving({ status, match, daily, rated, seats }) {
  if (status === "open") return "";
  if (daily) return "leave.daily";
  if (match) return "leave.match";
  return rated || seats.some((seat) => seat.kind === "person" && !seat.stand_in) ? "leave.loses" : "leave.sure";
}
