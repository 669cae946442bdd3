// The chance to win, turn by turn, under a replay and in a review.

import { h } from "./dom.js";
import { agentName } from "./felt.js";
import { chart } from "./graph.js";
import { percent } from "./hint.js";
import { t } from "./words.js";

/** @typedef {import("./finished_games.js").Decision} Decision */

/** Under rules that no champion knows. @param {string} adviser */
export const noChances = (adviser) => h("p.key", {}, t("chance.none", { name: agentName(adviser) }));

/**
 * The chance to win as `seat` itself saw it at its turns; where everybody plays alone, everybody's.
 * @param {import("./finished_games.js").Replay} replay @param {Decision[]} decisions @param {number} mistake
 * @param {number} seat @param {(at: number) => void} onpick @param {(seat: number) => string} nameOf
 */
export function winChart(replay, decisions, mistake, seat, onpick, nameOf) {
  const alone = replay.sides.length > 2 && new Set(replay.sides).size === replay.sides.length;
  const seats = alone ? [seat, ...replay.hands.keys()].filter((one, i, all) => all.indexOf(one) === i) : [seat];
  /** @param {number} of */
  const values = (of) => {
    const all = Array(replay.turns.length + 1).fill(null);
    for (const one of decisions) if (one.seat === of && one.win !== null) all[one.turn] = one.win;
    if (replay.finished) all[replay.turns.length] = replay.winners.includes(of) ? 1 : 0;
    return all;
  };
  const lines = seats.map((of, i) => ({ name: nameOf(of), values: values(of), className: "abcd"[i] }));
  const marks = decisions.filter((one) => one.seat === seat && one.loss > mistake).map((one) => ({ at: one.turn }));
  const ticks = [0, 0.5, 1].map((value) => ({ value, text: percent(value) }));
  const graph = chart(lines, { low: 0, high: 1, middle: 0.5, label: t("chance"), marks, onpick, ticks });
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
