// Decisions as the adviser judged them, in the chance to win or in points: grades, what was lost, trying again.

import { h } from "./dom.js";
import { percent, signed } from "./hint.js";
import { againstStrongest, start } from "./start.js";
import { t } from "./words.js";

/**
 * @typedef {import("./finished_games.js").Measure} Measure
 * @typedef {Server.JudgementOut} Judgement
 * @typedef {{ judged: Server.Judged }} Judged a decision, with what was found in each measure
 * @typedef {Judgement["grade"]} Grade
 */

const SIGNS = { best: "✓", good: "", inaccuracy: "?!", mistake: "?", blunder: "??" };

/** Whether a decision is worth a word. @param {Judgement | null | undefined} judgement */
export const isWrong = (judgement) => judgement?.grade === "inaccuracy" || isBad(judgement);

/** @param {Judgement | null | undefined} judgement */
export const isBad = (judgement) => judgement?.grade === "mistake" || judgement?.grade === "blunder";

/** The measure a decision is judged in: this one, or the other where nothing is known in it. @param {Judged} one @param {Measure} measure */
export const knownIn = (one, measure) => (one.judged[measure] ? measure : measure === "win" ? "points" : "win");

/** @param {Judged} one @param {Measure} measure @returns {Judgement | null} */
export const judgementOf = (one, measure) => one.judged[knownIn(one, measure)];

/** A sign with the name of the grade, or the sign alone. @param {Grade} grade */
export const gradeMark = (grade, words = true) =>
  h(
    `span.grade.${grade}`,
    words ? {} : { title: t(`grade.${grade}`), role: "img", "aria-label": t(`grade.${grade}`) },
    SIGNS[grade],
    words && ` ${t(`grade.${grade}`)}`,
  );

/** A value in its measure. @param {number | null | undefined} value @param {Measure} measure */
export const valueText = (value, measure) => (measure === "win" ? percent(value) : signed(value, 2) || "–");

/** What a decision lost. @param {Judged} one @param {Measure} measure */
export function lostText(one, measure) {
  const judgement = judgementOf(one, measure);
  if (!judgement) return "–";
  const lost = judgement.best - judgement.made;
  if (judgement.grade === "best") return "–";
  return knownIn(one, measure) === "win"
    ? t("loss", { n: (100 * lost).toFixed(0) })
    : t("loss.points", { n: lost.toFixed(2) });
}

/** A choice between the measures. @param {Measure[]} measures @param {Measure} chosen @param {(measure: Measure) => void} onchange */
export function measureSwitch(measures, chosen, onchange) {
  if (measures.length < 2) return null;
  return h(
    "span.switch",
    { role: "group", "aria-label": t("measure") },
    measures.map((one) =>
      h(
        "button.small",
        { type: "button", "data-measure": one, "aria-pressed": String(one === chosen), onclick: () => one !== chosen && onchange(one) },
        t(`measure.${one}`),
      ),
    ),
  );
}

/**
 * The game from a turn on, or from the deal, against the strongest.
 * @param {import("./finished_games.js").Replay} replay @param {{ turn: number | null, seat: number }} decision
 */
export async function tryAgain({ id, game, rules, hands }, { turn, seat }) {
  const seats = await againstStrongest(game, rules, hands.length, seat);
  const cards = turn === null ? { same_deal: id } : { from: { replay: id, turn } };
  await start({ game, rules, seats, hints: true, pace: 700, ...cards });
}
