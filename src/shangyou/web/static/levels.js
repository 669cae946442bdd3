// Opponents by level, from the beginner to the champion, each with what a tournament measured. The server says who they are.

import { about } from "./agents.js";
import * as api from "./api.js";
import { h } from "./dom.js";
import { percent } from "./hint.js";
import * as settings from "./settings.js";
import { rulesText } from "./start.js";
import { t } from "./words.js";

/** @typedef {Server.LevelOut} Level */

/** Those of a game under some rules, weakest first. @param {string} game @param {any} rules @returns {Promise<Server.LevelsOut>} */
export const levelsFor = (game, rules) => api.get(`levels?${new URLSearchParams({ game, rules: rulesText(rules) })}`);

/** The level chosen in the lobby for this game, as far as it is offered, or else the usual one. @param {string} game @param {Level[]} levels */
export function levelChosen(game, levels) {
  const chosen = settings.get("lobby").wishes?.[game]?.level;
  return levels.find((one) => one.level === chosen) ?? levels.find((one) => one.usual);
}

/** One of them is to be picked. @param {Server.LevelsOut} found @param {Level | undefined} picked @param {(level: string) => void} onpick */
export function levelPicker(found, picked, onpick) {
  return h(
    "div.levels",
    {},
    h(
      "div",
      { role: "radiogroup", "aria-label": t("levels") },
      found.levels.map((one) => option(one, one === picked, found.contestants, onpick)),
    ),
    h("p.key", {}, found.contestants ? t("level.key", { n: found.contestants }) : t("level.unmeasured")),
  );
}

/** @param {Level} level @param {boolean} checked @param {number} contestants @param {(level: string) => void} onpick */
function option({ level, agent, measured }, checked, contestants, onpick) {
  return h(
    "label.level",
    { title: measured ? t("level.measured", { ...figures(measured), n: contestants - 1 }) : t("level.unmeasured") },
    h("input", { type: "radio", name: "level", "data-does": `level-${level}`, value: level, checked, onchange: () => onpick(level) }),
    h("strong", {}, t(`level.${level}`)),
    h("small.what", {}, t("level.agent", { name: agent, about: about(agent) })),
    h("span.figures", {}, measured ? [h("b", {}, figures(measured).share), h("small", {}, figures(measured).rating)] : "–"),
  );
}

/** @param {Server.MeasuredAgent} measured */
const figures = ({ win_rate, rating, games }) => ({
  share: percent(win_rate),
  rating: rating.toFixed(1),
  games: games.toLocaleString("en"),
});
