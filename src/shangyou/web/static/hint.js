// Ranked plays as bars: the chance to win and the points to expect.

import { laid, speakAll } from "./cards.js";
import { h } from "./dom.js";
import { t } from "./words.js";

/** @typedef {Server.SuggestionOut} Suggestion @typedef {import("./finished_games.js").Measure} Measure */

/** A share as people write it; near the ends a digit more. @param {number | null | undefined} share */
export function percent(share) {
  if (share === null || share === undefined) return "–";
  const nearEnd = (share > 0.995 && share < 0.9995) || (share < 0.005 && share > 0.0005);
  return `${(100 * share).toFixed(nearEnd ? 1 : 0)}%`;
}

/** Points with their sign. @param {number | null | undefined} points */
export function signed(points, digits = 1) {
  if (points === null || points === undefined) return "";
  const text = Math.abs(points).toFixed(digits);
  return Number(text) === 0 ? text : `${points > 0 ? "+" : "−"}${text}`;
}

/**
 * @param {Suggestion[]} suggestions best first @param {(one: Suggestion) => void} [onpick]
 * @param {{ top?: number, made?: number, measure?: Measure }} [options]
 * how many to show, the play that was made, and whether chances or points come first
 */
export function bars(suggestions, onpick, { top = 8, made, measure = "win" } = {}) {
  const shown = suggestions.slice(0, top);
  const played = suggestions.find((one) => one.play === made);
  if (played && !shown.includes(played)) shown.push(played);
  return h(
    "ol.bars",
    {},
    shown.map((one) => h("li", {}, bar(one, suggestions, onpick, one.play === made, measure))),
  );
}

/**
 * @param {Suggestion} one @param {Suggestion[]} all @param {((one: Suggestion) => void) | undefined} onpick
 * @param {boolean} made @param {Measure} measure
 */
function bar(one, all, onpick, made, measure) {
  const byPoints = measure === "points" && one.points !== null;
  const share = byPoints ? shareOf(one, all, (other) => other.points) : (one.win ?? shareOf(one, all, (other) => other.value));
  const [chance, points] = [percent(one.win), signed(one.points)];
  const tag = onpick ? "button.bar" : "div.bar";
  const words = one.cards.length ? speakAll(one.cards) : t("pass");
  const label =
    one.win === null || one.win === undefined
      ? words
      : t("bar.label", { play: words, win: percent(one.win), points: signed(one.points) });
  const props = { "aria-label": label, class: made ? "made" : "", vars: { "--share": share }, "data-play": one.play };
  return h(
    tag,
    onpick ? { ...props, type: "button", onclick: () => onpick(one) } : props,
    h(
      "span.what",
      {},
      one.cards.length ? laid(one) : h("span.pass", {}, t("pass")),
      made && h("span.mark.made", {}, t("made")),
    ),
    h("span.track", { "aria-hidden": "true" }, h("span.fill")),
    byPoints
      ? h("span.figures", {}, h("b", { title: t("points") }, points), h("small", { title: t("chance") }, chance))
      : h("span.figures", {}, h("b", {}, chance), h("small", { title: t("points") }, points)),
  );
}

/**
 * Points, or the own order of an agent that gives no chances, between the least and the most there is.
 * @param {Suggestion} one @param {Suggestion[]} all @param {(one: Suggestion) => number | null | undefined} valueOf
 */
function shareOf(one, all, valueOf) {
  const values = all.map((other) => valueOf(other) ?? 0);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high > low ? ((valueOf(one) ?? 0) - low) / (high - low) : 1;
}
