// What a result was made of: the cards, my decisions, and the rest. The figures shown add up.

import { h } from "./dom.js";
import { percent, signed } from "./hint.js";
import { t } from "./words.js";

/**
 * @typedef {import("./finished_games.js").Measure} Measure
 * @typedef {Server.Account} Account
 */

/** A change of a value: in points of a percent, or in points. @param {number} change @param {Measure} measure */
export const changeText = (change, measure) => (measure === "win" ? `${signed(100 * change, 0)}%` : signed(change, 2));

/** Rounded as they are shown; the rest takes what rounding the others left. @param {Account} account */
function rounded({ even, deal, play, result }) {
  /** @param {number} value */
  const round = (value) => Math.round(100 * value) / 100;
  const [a, b, c] = [round(even), round(even + deal) - round(even), round(play)];
  return { even: a, deal: b, play: c, rest: result - a - b - c, result };
}

/** @param {Account} account @param {Measure} measure */
export function accountPanel(account, measure) {
  const parts = rounded(account);
  /** @param {number} one */
  const value = (one) => (measure === "win" ? percent(one) : signed(one, 2));
  /** @param {string} name @param {string} text */
  const part = (name, text, sign = "") =>
    h(`div.part.${name}`, {}, h("span", {}, t(`account.${name}`)), h("b", { class: sign }, text));
  /** @param {"deal" | "play" | "rest"} name */
  const change = (name) => part(name, changeText(parts[name], measure), parts[name] < 0 ? "less" : parts[name] > 0 ? "more" : "");
  return h(
    "section.panel.account",
    {},
    h("h2", {}, t("account")),
    h(
      "p",
      {},
      t(`account.${measure}`, {
        deal: value(parts.even + parts.deal),
        play: measure === "win" ? String(Math.round(-100 * parts.play)) : (-parts.play).toFixed(2),
        rest: changeText(parts.rest, measure),
      }),
    ),
    h("div.parts", {}, part("even", value(parts.even)), change("deal"), change("play"), change("rest"), part("result", value(parts.result))),
    h("p.key", {}, t("account.key")),
  );
}
