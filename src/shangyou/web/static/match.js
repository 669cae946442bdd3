// Duplicate matches: every deal at two tables, my landlord against the opponent's on the same cards.

import { aboutAgents } from "./agents.js";
import * as api from "./api.js";
import { h, put, toast } from "./dom.js";
import { allGames, named } from "./games.js";
import { signed } from "./hint.js";
import { agentName, fullName } from "./names.js";
import { agentsFor, paceFor, sitDown, strongestOf } from "./start.js";
import { t } from "./words.js";

const NUMBERS = [1, 2, 5, 10, 20];

/** @param {HTMLElement} root @param {string} id */
export const showMatch = (root, id) => (id ? showOne(root, id) : showMine(root));

// -- a new match, and mine so far ---------------------------------------------------------------------------------------

/** @param {HTMLElement} root */
async function showMine(root) {
  const wishes = h("form.panel", {}, h("p.key", {}, t("thinking")));
  const mine = h("section.panel.mymatches", {}, h("h2", {}, t("match.mine")), h("p.key", {}, t("thinking")));
  put(
    root,
    h(
      "div.match",
      {},
      h("header.head", {}, h("h1", {}, t("title.match")), h("p", {}, t("match.text"))),
      h("div.columns", {}, wishes, mine),
    ),
  );
  const game = /** @type {Server.GameOut} */ ((await allGames()).find((one) => one.team_rules !== null));
  const rules = game.team_rules ?? "";
  const [agents, matches] = await Promise.all([agentsFor(game.name, rules), myMatches()]);
  const about = h("div");
  const explain = () => put(about, aboutAgents([wishes.opponent.value, wishes.partner.value], game.name));
  put(wishes, ...fields(agents, game.name, about));
  explain();
  wishes.addEventListener("change", explain);
  wishes.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    open(game.name, rules, new FormData(wishes));
  });
  put(mine, h("h2", {}, t("match.mine")), matches.length ? h("ul.list", {}, matches.map(line)) : h("p", {}, t("match.none")));
}

/** Who has never played has none. */
async function myMatches() {
  const me = await api.get("me");
  return me.known ? api.get("matches") : [];
}

/** The fields of a new match; `about` says who was chosen. @param {Server.AgentOut[]} agents @param {string} game @param {HTMLElement} about */
function fields(agents, game, about) {
  const best = strongestOf(agents);
  /** @param {string} name @param {(string | number)[][]} options @param {any} chosen */
  const field = (name, options, chosen) =>
    h(
      "label.field",
      {},
      h("span", {}, t(`match.${name}`)),
      h(
        "select",
        { name },
        options.map(([value, text]) => h("option", { value: String(value), selected: value === chosen }, text)),
      ),
    );
  const names = agents.map((agent) => [agent.name, fullName(agent.name, game)]);
  return [
    field("opponent", names, best),
    field("partner", names, best),
    about,
    field(
      "deals",
      NUMBERS.map((n) => [n, String(n)]),
      10,
    ),
    h("label.switch", {}, h("input", { type: "checkbox", name: "hints" }), h("span", {}, t("hints.allow"))),
    h("button.go", { type: "submit" }, t("match.go")),
  ];
}

/** @param {string} game @param {string} rules @param {any} chosen the form as it was filled in */
async function open(game, rules, chosen) {
  const [opponent, partner] = [chosen.get("opponent"), chosen.get("partner")];
  const wish = { opponent, partner, deals: Number(chosen.get("deals")), hints: chosen.has("hints"), pace: paceFor(game) };
  try {
    const made = await api.post("matches", { game, rules, ...wish });
    location.hash = `#/match/${made.match}`;
  } catch (error) {
    toast(error.message);
  }
}

/** @param {Server.MatchOut} match */
function line(match) {
  return h(
    "li",
    {},
    h("a", { href: `#/match/${match.match}` }, t("match.against", { name: agentName(match.opponent, match.game) })),
    h("small", {}, t("match.progress", { n: match.played.filter(isSettled).length, of: match.deals })),
    h("b.score", {}, score(match.totals)),
  );
}

/** @param {Server.MatchDeal} deal */
const isSettled = (deal) => !deal.scores.includes(null);
/** @param {number[]} totals */
const score = (totals) => totals.map((total) => signed(total, 0)).join(" : ");

// -- one match ----------------------------------------------------------------------------------------------------------

/** @param {HTMLElement} root @param {string} id */
async function showOne(root, id) {
  const [match, games] = await Promise.all([api.get(`matches/${id}`), allGames()]);
  const me = match.mine ? t("you") : match.name || t("seat.person");
  const opponent = agentName(match.opponent, match.game);
  put(
    root,
    h(
      "div.match",
      { "data-over": String(match.over) },
      h(
        "header.head",
        {},
        h("h1", {}, t("match.against", { name: opponent })),
        h("p", { "aria-live": "polite" }, standing(match, me, opponent)),
        h("p.links", {}, match.mine && next(match), h("a.button", { href: "#/match" }, t("match.all"))),
      ),
      h("section.panel", {}, report(match, named(games, match.game), me, opponent), h("p.key", {}, t("match.key"))),
    ),
  );
}

/** Who leads, or who has won. @param {Server.MatchOut} match @param {string} me @param {string} opponent */
function standing(match, me, opponent) {
  const [mine, theirs] = match.totals;
  const words = mine === theirs ? "even" : mine > theirs ? "mine" : "theirs";
  const values = { name: mine > theirs ? me : opponent, score: score(match.totals) };
  return t(`match.${match.over ? "over" : "so_far"}.${words}`, values);
}

/** @param {Server.MatchOut} match */
function next(match) {
  const running = match.played.find((deal) => deal.running);
  if (!running && match.played.length === match.deals) return null;
  const n = running ? running.number : match.played.length + 1;
  const text = t(running ? "match.resume" : "match.next", { n, of: match.deals });
  return h("button.primary", { type: "button", "data-does": "deal", onclick: () => sit(match.match) }, text);
}

/** @param {string} id */
async function sit(id) {
  try {
    sitDown((await api.post(`matches/${id}/deals`)).table);
  } catch (error) {
    toast(error.message);
  }
}

/**
 * A row for each table of each deal, as in Table 7 of the DeepRocket paper.
 * @param {Server.MatchOut} match @param {Server.GameOut} game @param {string} me @param {string} opponent
 */
function report(match, game, me, opponent) {
  if (!match.played.length) return h("p", {}, t("match.nothing"));
  const partner = agentName(match.partner, match.game);
  /** @param {string} text */
  const head = (text, kind = "") => h("th", { scope: "col", class: kind }, text);
  const [, ...others] = game.roles; // the deal makes the first seat landlord
  const peasants = others.map((role) => head(t(`match.${role}`), "peasant"));
  const first = [t("match.number"), t("match.table"), t("landlord")].map((text) => head(text));
  const heads = [...first, ...peasants, ...[me, opponent, t("match.sum")].map((text) => head(text))];
  const body = match.played.flatMap((deal) => [
    tableRow(deal, 0, [me, ...others.map(() => opponent)], h("th", { scope: "row", rowspan: 2 }, String(deal.number))),
    tableRow(deal, 1, [opponent, ...others.map(() => partner)]),
  ]);
  return h(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": t("match.report") },
    h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, body)),
  );
}

/** @param {Server.MatchDeal} deal @param {number} table @param {string[]} roles */
function tableRow(deal, table, roles, number = null) {
  const cells = [0, 1].map((team) => h("td", {}, team === table && result(deal, table)));
  return h(
    "tr",
    { "data-table": table + 1 },
    number,
    h("td", {}, String(table + 1)),
    roles.map((name, role) => h("td", { class: role ? "peasant" : "" }, name)),
    cells,
    h("td", {}, table === 1 && isSettled(deal) && h("b", {}, score(deal.totals))),
  );
}

/** A score leads to its game; one that is not known yet says why. @param {Server.MatchDeal} deal @param {number} table */
function result(deal, table) {
  const [points, replay] = [deal.scores[table], deal.replays[table]];
  if (points === null) return h("small", {}, t(deal.running ? (table ? "match.later" : "match.running") : "match.wait"));
  return replay ? h("a", { href: `#/replay/${replay}` }, signed(points, 0)) : t("match.given_up", { points: signed(points, 0) });
}
