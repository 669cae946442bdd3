// Daily deals: today's, with one try at each; the ranking of a deal; those of the days before, and my results.

import * as api from "./api.js";
import { countdown } from "./daily_line.js";
import { sharePanel } from "./daily_picture.js";
import { h, put, toast } from "./dom.js";
import { inLobbyOrder, roleName } from "./games.js";
import { percent, signed } from "./hint.js";
import { agentName } from "./names.js";
import { paged, sheet } from "./sheet.js";
import { paceFor, sitDown, start } from "./start.js";
import { language, t } from "./words.js";

/** @param {HTMLElement} root @param {string} day @param {string} game */
export const showDaily = (root, day, game) => (game ? showDeal(root, day, game) : showToday(root));

/** @param {string} day 2026-11-19 */
export const dateOf = (day) =>
  new Date(`${day}T00:00Z`).toLocaleDateString(language() === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Begins my try, or goes on with it. @param {string} game */
async function begin(game) {
  try {
    sitDown((await api.post(`daily/${game}`, { pace: paceFor(game) })).table);
  } catch (error) {
    toast(error.message);
  }
}

// -- today ----------------------------------------------------------------------------------------------------------------

/** @param {HTMLElement} root */
async function showToday(root) {
  let timer = { close: () => {} };
  const draw = async () => {
    const [today, mine] = await Promise.all([api.get("daily"), myResults()]);
    const next = countdown(today.seconds_left + 1, () => draw().catch((error) => toast(error.message)));
    timer = next;
    put(
      root,
      h(
        "div.daily",
        {},
        h("header.head", {}, h("h1", {}, t("title.daily")), h("p.links", {}, t("daily.next"), next.element, h("a.button.small", { href: "#/puzzle" }, t("title.puzzle"))), h("p", {}, t("daily.text"))),
        h("div.dailies", {}, inLobbyOrder(today.deals, (one) => one.game).map(deal)),
        h("div.columns", {}, results(mine), recent(today)),
      ),
    );
  };
  await draw();
  return () => timer.close();
}

/** Who has never played has none. */
async function myResults() {
  const me = await api.get("me");
  return me.known ? api.get("me/daily") : { streak: 0, longest: 0, results: [] };
}

/** One of today's. @param {Server.DailyDeal} one */
function deal(one) {
  const { mine } = one;
  return h(
    "section.panel.deal",
    { "data-game": one.game },
    h("h2", {}, t(`game.${one.game}`), one.role && h("small", {}, roleName(one.role))),
    mine && !mine.running ? outcome(mine) : h("p", {}, played(one)),
    one.champion !== null && h("p.key", {}, t("daily.champion.got", { points: points(one.champion) })),
    h("p.links", {}, mine && !mine.running ? h("a.button", { href: address(one) }, t("daily.ranking")) : goOn(one)),
  );
}

/** @param {Server.DailyDeal} one */
const goOn = ({ game, mine }) =>
  h("button.primary", { type: "button", "data-does": "begin", onclick: () => begin(game) }, t(mine ? "daily.resume" : "daily.begin"));

/** @param {Server.DailyTry} mine */
const outcome = (mine) =>
  h("p.outcome", {}, h("b", {}, points(mine.points)), h("span", {}, t("daily.place", { n: mine.place ?? 0, of: mine.total ?? 0 })));

/** How many have. @param {Server.DailyDeal} one */
const played = ({ players }) => t(players ? "daily.players" : "daily.nobody", { n: players });
/** @param {number | null} value */
const points = (value) => (value === null ? t("daily.given_up") : signed(value, 0));
/** @param {{ day: string, game: string }} one */
const address = ({ day, game }) => `#/daily/${day}/${game}`;

/** @param {Server.MyDaily} mine */
function results(mine) {
  return h(
    "section.panel.results",
    {},
    h("h2", {}, t("daily.mine")),
    mine.results.length
      ? [
          h("p", {}, t("daily.streak", { n: mine.streak, longest: mine.longest })),
          h(
            "ul.list",
            {},
            mine.results.map((one) =>
              h(
                "li",
                {},
                h("a", { href: address(one) }, `${dateOf(one.day)}, ${t(`game.${one.game}`)}`),
                h("small", {}, t("daily.place", { n: one.place, of: one.total })),
                h("b.score", {}, points(one.points)),
              ),
            ),
          ),
        ]
      : h("p", {}, t("daily.none")),
  );
}

/** Deals of the days before, a line for each day. @param {Server.DailyToday} today */
function recent({ recent: deals }) {
  const days = [...new Set(deals.map((one) => one.day))];
  /** @param {Server.NamedDeal} one */
  const link = (one) => h("a.button.small", { href: address(one) }, t(`game.${one.game}`));
  return h(
    "section.panel.recent",
    {},
    h("h2", {}, t("daily.before")),
    days.length
      ? h("ul.list", {}, days.map((day) => h("li", {}, h("span", {}, dateOf(day)), h("span.links", {}, deals.filter((one) => one.day === day).map(link)))))
      : h("p", {}, t("daily.before.none")),
  );
}

// -- one deal ---------------------------------------------------------------------------------------------------------------

/** @param {HTMLElement} root @param {string} day @param {string} game */
async function showDeal(root, day, game) {
  const one = await api.get(`daily/${day}/${game}`);
  const mine = one.mine?.running ? null : one.mine;
  put(
    root,
    h(
      "div.daily",
      { "data-status": one.status },
      h(
        "header.head",
        {},
        h("h1", {}, t(`game.${game}`), h("small", {}, [dateOf(day), one.role && roleName(one.role)].filter(Boolean).join(" · "))),
        h("p", {}, t(`daily.${one.status}`)),
        h("p.links", {}, one.status === "open" && !mine && goOn(one), mine && after(one, mine), one.status === "closed" && known(one), h("a.button", { href: "#/daily" }, t("daily.all"))),
      ),
      mine && figures(one, mine),
      h("div.columns", {}, ranking(one), mine ? sharePanel(one, mine, dateOf(day)) : h("section.panel", {}, h("h2", {}, t("daily.how")), h("p", {}, t("daily.text")))),
    ),
  );
}

/** What my try came to. @param {Server.DailyOut} one @param {Server.DailyTry} mine */
function figures(one, mine) {
  /** @param {string} value @param {string} text */
  const figure = (value, text) => h("div.figure", {}, h("b", {}, value), h("span", {}, text));
  return h(
    "div.totals",
    {},
    figure(points(mine.points), t("daily.points")),
    figure(`${mine.place} / ${mine.total}`, t(one.status === "closed" ? "daily.placed" : "daily.so_far")),
    figure(percent(mine.beaten), t("daily.beaten")),
    figure(one.champion === null ? "–" : signed(one.champion, 0), t("daily.champion", { name: agentName(one.agent, one.game) })),
  );
}

/** Where my own game can be seen, once the cards are known. @param {Server.DailyOut} one @param {Server.DailyTry} mine */
const after = (one, mine) =>
  mine.replay && [
    h("a.button", { href: `#/replay/${mine.replay}`, "data-does": "replay" }, t("daily.my.game")),
    h("a.button", { href: `#/review/${mine.replay}`, "data-does": "review" }, t("review")),
  ];

/** What everybody can do with a deal that is closed. @param {Server.DailyOut} one */
const known = (one) =>
  one.champion_replay && [
    h("button.primary", { type: "button", "data-does": "practice", onclick: () => practise(one) }, t("daily.practice")),
    h("a.button", { href: `#/replay/${one.champion_replay}`, "data-does": "champion" }, t("daily.champion.game")),
  ];

/** The same cards in the same seat; it changes no result. @param {Server.DailyOut} one */
async function practise({ game, rules, seat, agent, champion_replay }) {
  const replay = await api.get(`replays/${champion_replay}`);
  const seats = replay.players.map((_, i) => (i === seat ? "me" : agent));
  await start({ game, rules, seats, hints: true, pace: paceFor(game), same_deal: champion_replay });
}

/** @param {Server.DailyOut} one */
function ranking(one) {
  const shown = h("section.panel.ranks", {}, h("h2", {}, t("daily.ranking"), h("small", {}, played(one))));
  if (!one.rows.length) {
    if (one.status !== "closed") shown.append(h("p", {}, t("daily.hidden")));
    return shown;
  }
  const { body, more } = paged(one, row, (offset) => api.get(`daily/${one.day}/${one.game}?offset=${offset}`));
  shown.append(sheet(["rank", "name", "points"], body), more);
  return shown;
}

/** @param {Server.DailyRow} one */
const row = (one) =>
  h(
    "tr",
    { class: one.me ? "own" : "" },
    h("td", {}, String(one.place)),
    h("th", { scope: "row" }, one.name || t("seat.person"), one.me && h("small.kind", {}, t("you"))),
    h("td", {}, one.replay ? h("a", { href: `#/replay/${one.replay}` }, points(one.points)) : points(one.points)),
  );
