// The ladders of a game: people season by season, programs as measured; and my own course.

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { allGames, named } from "./games.js";
import { chart } from "./graph.js";
import { percent, signed } from "./hint.js";
import { rulesInWords } from "./house_rules.js";
import { myGames } from "./finished_games.js";
import { agentName, playerName } from "./names.js";
import { paged, sheet } from "./sheet.js";
import { t } from "./words.js";

/** @param {HTMLElement} root @param {string} chosen @param {URLSearchParams} query */
export async function showLeaderboard(root, chosen, query) {
  const all = await allGames();
  const game = named(all, chosen).name;
  const tabs = h(
    "nav.tabs",
    { "aria-label": t("choose.game") },
    all.map(({ name }) =>
      h("a", { href: `#/ranking/${name}`, "aria-current": name === game ? "page" : null }, t(`game.${name}`)),
    ),
  );
  const board = h("section.panel.board", {}, h("p.key", {}, t("thinking")));
  const bots = h("section.panel.bots");
  const mine = h("section.panel.course");
  put(
    root,
    h(
      "div.ranking",
      {},
      h("header.head", {}, h("h1", {}, t("menu.ranking")), h("p", {}, t("ranking.text"))),
      tabs,
      h("div.columns", {}, h("div.ladders", {}, board, bots), mine),
    ),
  );
  const season = query?.get("season");
  const [page, ladders, games] = await Promise.all([
    api.get(`ratings?game=${game}${season ? `&season=${Number(season)}` : ""}`),
    api.get(`ratings/bots?game=${game}`),
    myGames(),
  ]);
  put(board, h("h2", {}, t("ranking.people"), h("small", {}, t("ranking.total", { n: page.total }))), seasons(page), people(page));
  put(bots, h("h2", {}, t("ranking.bots")), h("p", {}, h("a", { href: "#/bots" }, t("bots.offer"))), ladders.map(ladderOfBots));
  put(mine, course(games.filter((one) => one.game === game)));
}

/** The open season and those that are closed. @param {Server.RatingsOut} page */
function seasons({ game, season, seasons: all }) {
  const last = Math.max(...all);
  /** @param {number} n */
  const name = (n) => t(n === last ? "ranking.season" : "ranking.closed", { n });
  return h(
    "nav.tabs",
    { "aria-label": t("ranking.people") },
    [...all]
      .reverse()
      .map((n) => h("a", { href: `#/ranking/${game}?season=${n}`, "aria-current": n === season ? "page" : null }, name(n))),
  );
}

/** The ladder as far as it has come; my own row is there even if it is far below. @param {Server.RatingsOut} page */
function people(page) {
  if (!page.total) return h("p", {}, t("ranking.none"));
  /** @param {Server.RatingOut} one */
  const row = (one) => person(one, page.game);
  const last = h("tbody", {}, page.me && !page.rows.some((one) => one.me) && row(page.me));
  /** @param {number} offset */
  const load = (offset) => api.get(`ratings?game=${page.game}&season=${page.season}&offset=${offset}`);
  const { body, more } = paged(page, row, load, (rows) => rows.some((one) => one.me) && put(last));
  return [sheet(["rank", "name", "games", "winrate", "pointsper", "rating"], body, last), more];
}

/** @param {Server.RatingOut} one @param {string} game */
function person(one, game) {
  return h(
    "tr",
    { class: one.me ? "own" : "" },
    h("td", {}, String(one.place)),
    h(
      "th",
      { scope: "row" },
      playerName(one, game) || t("seat.person"),
      h("small.kind", {}, one.kind === "agent" ? t("col.agent") : one.me ? t("you") : ""),
    ),
    h("td", {}, String(one.games)),
    h("td", {}, rate(one)),
    h("td", {}, signed(one.points, 2)),
    rating(one),
  );
}

/** @param {{ rating: number, sigma: number }} one */
const rating = (one) => h("td", {}, h("b", {}, one.rating.toFixed(1)), h("small", {}, ` ±${(2 * one.sigma).toFixed(1)}`));

/** @param {Server.AgentLadder} ladder */
function ladderOfBots(ladder) {
  /** @param {Server.MeasuredAgent} one @param {number} place */
  const row = (one, place) =>
    h(
      "tr",
      {},
      h("td", {}, String(place + 1)),
      agentHead(one.name, ladder.game),
      h("td", {}, String(one.games)),
      h("td", {}, percent(one.win_rate)),
      h("td", {}, signed(one.points, 2)),
      rating(one),
    );
  return [
    h("p.key", {}, t("ranking.bots.text", { rules: rulesInWords(ladder.rules) })),
    h("p.key", {}, h("code", {}, ladder.command)),
    sheet(["rank", "name", "games", "winrate", "pointsper", "rating"], h("tbody", {}, ladder.rows.map(row))),
  ];
}

/** What an agent is called, and beside it its own name, which may be broken after a slash. @param {string} own @param {string} game */
function agentHead(own, game) {
  const name = agentName(own, game);
  const parts = own.split(/(?<=\/)/).flatMap((part) => [part, h("wbr")]);
  return h("th", { scope: "row" }, name, name !== own && h("small.kind", {}, parts));
}

/** A share with its interval as a whisker. @param {Server.RatingOut} one */
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

/** Points added up over my games, the first on the left. @param {Server.MyGame[]} games */
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
