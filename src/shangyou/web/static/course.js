// The course of a game, turn by turn, in the chance to win or in points: under a replay and in a review.

import { h } from "./dom.js";
import { chart } from "./graph.js";
import { percent, signed } from "./hint.js";
import { isWrong } from "./judged.js";
import { fullName } from "./names.js";
import { t } from "./words.js";

/**
 * @typedef {import("./finished_games.js").Replay} Replay
 * @typedef {import("./finished_games.js").Measure} Measure
 */

/** Under rules that no champion knows. @param {string} adviser @param {string} game */
export const noChances = (adviser, game) => h("p.key", {}, t("chance.none", { name: fullName(adviser, game) }));

/**
 * What `seat` itself expected at its turns, in a measure; where everybody plays alone, everybody. Marks are where it went wrong.
 * @param {Replay} replay @param {Server.ReviewOut} review @param {Measure} measure @param {number} seat
 * @param {(at: number) => void} onpick @param {(seat: number) => string} nameOf
 */
export function courseChart(replay, review, measure, seat, onpick, nameOf) {
  const alone = replay.sides.length > 2 && new Set(replay.sides).size === replay.sides.length;
  const seats = alone ? [seat, ...replay.hands.keys()].filter((one, i, all) => all.indexOf(one) === i) : [seat];
  const last = replay.turns.length;
  /** @param {number} of */
  const values = (of) => {
    const all = Array(last + 1).fill(null);
    for (const one of review.decisions) if (one.seat === of) all[one.turn] = one.judged[measure]?.best ?? null;
    if (replay.finished) all[last] = measure === "points" ? replay.scores[of] : Number(replay.winners.includes(of));
    return all;
  };
  const lines = seats.map((of, i) => ({ name: nameOf(of), values: values(of), className: "abcd"[i] }));
  const marks = review.decisions
    .filter((one) => one.seat === seat && isWrong(one.judged[measure]))
    .map((one) => ({ at: one.turn, className: one.judged[measure]?.grade }));
  const graph = chart(lines, { ...scale(lines, review, measure), label: t(`course.${measure}`), marks, onpick });
  return {
    graph,
    legend: alone
      ? h(
          "span.legend",
          {},
          lines.map((line) => h(`span.${line.className}`, {}, line.name)),
        )
      : null,
  };
}

/**
 * Chances from 0 to 1; points as far as they go, with the places where these are paid.
 * @param {import("./graph.js").Line[]} lines @param {Server.ReviewOut} review @param {Measure} measure
 */
function scale(lines, review, measure) {
  if (measure === "win") return { low: 0, high: 1, middle: 0.5, ticks: [0, 0.5, 1].map((value) => ({ value, text: percent(value) })) };
  const known = lines.flatMap((line) => line.values.flatMap((value) => value ?? []));
  const values = [0, ...known, ...review.paid];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const ticks = review.paid.length
    ? review.paid.map((value, i) => ({ value, text: t("place.short", { n: i + 1 }) }))
    : [low, 0, high].map((value) => ({ value, text: signed(value) }));
  return { low, high, middle: 0, ticks };
}
