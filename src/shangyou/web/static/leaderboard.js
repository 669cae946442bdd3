// People and agents by game, and my own course.

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { agentName } from "./felt.js";
import { GAMES, known } from "./games.js";
import { chart } from "./graph.js";
import { percent, signed } from "./hint.js";
import { myGames } from "./finished_games.js";
import { t } from "./words.js";

export async function showLeaderboard(root, chosen) {
  const game = known(chosen);
  const tabs = h(
    "nav.tabs",
    { "aria-label": t("choose.game") },
    Object.keys(GAMES).map((name) =>
      h("a", { href: `#/ranking/${name}`, "aria-current": name === game ? "page" : null }, t(`game.${name}`)),
    ),
  );
  const board = h("section.panel.board", {}, h("p.key", {}, t("thinking")));
  const mine = h("section.panel.course");
  put(
    root,
    h(
      "div.ranking",
      {},
      h("header.head", {}, h("h1", {}, t("menu.ranking")), h("p", {}, t("ranking.text"))),
      tabs,
      h("div.columns", {}, board, mine),
    ),
  );
  const [rows, games] = await Promise.all([api.get(`ratings?game=${game}`), myGames()]);
  put(board, table(rows));
  put(mine, course(games.filter((one) => one.game === game)));
}

function table(rows) {
  if (!rows.length) return h("p", {}, t("ranking.none"));
  const heads = ["rank", "name", "games", "winrate", "pointsper", "rating"];
  return h(
    "div.scroll",
    {},
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((key) => h("th", { scope: "col" }, t(`col.${key}`))),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((one, i) =>
          h(
            "tr",
            { class: one.me ? "own" : "" },
            h("td", {}, String(i + 1)),
            h(
              "th",
              { scope: "row" },
              agentName(one.name) || t("seat.person"),
              h("small.kind", {}, one.kind === "agent" ? t("col.agent") : one.me ? t("you") : t("col.person")),
            ),
            h("td", {}, String(one.games)),
            h("td", {}, rate(one)),
            h("td", {}, signed(one.points, 2)),
            h("td", {}, h("b", {}, one.rating.toFixed(1)), h("small", {}, ` ±${(2 * one.sigma).toFixed(1)}`)),
          ),
        ),
      ),
    ),
  );
}

/** A share with its interval as a whisker. */
function rate(one) {
  const share = one.win_rate;
  const [low, high] = one.win_interval;
  return h(
    "span.rate",
    { vars: { "--low": low ?? 0, "--high": high ?? 0, "--at": share ?? 0 }, title: `${percent(low)} – ${percent(high)}` },
    h("b", {}, percent(share)),
    h("span.whisker", { "aria-hidden": "true" }),
    h("small", {}, `${percent(low)}–${percent(high)}`),
  );
}

/** Points added up over my games, the first on the left. */
function course(games) {
  const heading = h("h2", {}, t("course"));
  if (!games.length) return [heading, h("p", {}, t("mygames.none"))];
  const oldest = [...games].sort((a, b) => String(a.finished_at ?? "").localeCompare(String(b.finished_at ?? "")));
  let sum = 0;
  const values = [0, ...oldest.map((one) => (sum += one.score ?? 0))];
  const [low, high] = [Math.min(...values), Math.max(...values, Math.min(...values) + 1)];
  const won = games.filter((one) => one.won).length;
  const { element } = chart([{ values, name: t("course"), className: "a" }], {
    low,
    high,
    middle: low < 0 && high > 0 ? 0 : undefined,
    label: t("course"),
    ticks: [low, high].map((value) => ({ value, text: String(value) })),
  });
  return [heading, h("p", {}, t("course.text", { n: games.length, won, points: signed(sum, 0) })), element];
}
