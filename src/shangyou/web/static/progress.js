// My last games as the champion sees them: accuracy, luck and play apart, mistakes by kind, the worst of them.

import * as api from "./api.js";
import { changeText } from "./account.js";
import { h, put } from "./dom.js";
import { fetchReplay } from "./finished_games.js";
import { chart } from "./graph.js";
import { percent } from "./hint.js";
import { gradeMark, tryAgain } from "./judged.js";
import { refusal, t } from "./words.js";

/** @param {HTMLElement} root */
export async function showProgress(root) {
  const body = h("div.stack");
  const state = h("p.key", { role: "status" });
  put(root, h("div.profile.progress", {}, h("header.head", {}, h("h1", {}, t("title.progress")), h("p", {}, t("progress.text"))), state, body));
  const me = await api.get("me");
  if (!me.known) return draw(body, null);
  let reviews = await api.get("me/reviews");
  const all = reviews.games.length + reviews.waiting;
  while (reviews.waiting && root.isConnected) {
    draw(body, reviews);
    state.textContent = t("progress.making", { n: all - reviews.waiting + 1, of: all });
    try {
      reviews = await api.post("me/reviews"); // one game at a time: whoever leaves the page asks for no more
    } catch (error) {
      state.textContent = error.message;
      return;
    }
  }
  state.textContent = "";
  draw(body, reviews);
}

/** @param {HTMLElement} body @param {Server.MyReviews | null} reviews */
function draw(body, reviews) {
  if (!reviews?.games.length) return put(body, h("section.panel.none", {}, h("p", {}, t("mygames.none"))));
  return put(body, totals(reviews), course(reviews.games), roles(reviews.roles), kinds(reviews.kinds), worst(reviews.worst));
}

/** @param {string} name @param {...any} content */
const panel = (name, ...content) => h(`section.panel.${name}`, {}, h("h2", {}, t(`progress.${name}`)), ...content);

/** @param {string[]} heads @param {any[]} rows */
const table = (heads, rows) =>
  h(
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
          heads.map((key) => h("th", { scope: "col" }, t(key))),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );

/** @param {string} first @param {any[]} rest */
const cells = (first, rest) =>
  h(
    "tr",
    {},
    h("th", { scope: "row" }, first),
    rest.map((one) => h("td", {}, one)),
  );

/** @param {number | null} accuracy */
const accurate = (accuracy) => (accuracy === null ? "–" : accuracy.toFixed(1));

/** @param {Server.MyReviews} reviews */
function totals({ games, accuracy }) {
  /** @param {string} value @param {string} words */
  const figure = (value, words) => h("div.figure", {}, h("b", {}, value), h("span", {}, words));
  const won = games.filter((one) => one.won).length;
  return h(
    "div.totals",
    {},
    figure(String(games.length), t("col.games")),
    figure(percent(won / games.length), t("col.winrate")),
    figure(accurate(accuracy), t("accuracy")),
  );
}

/** The accuracy of each game, the oldest first; one game makes no line. @param {Server.ReviewedGame[]} games */
function course(games) {
  const known = games.filter((one) => one.summary.accuracy !== null).reverse();
  if (known.length < 2) return null;
  const values = known.map((one) => one.summary.accuracy ?? 0);
  const low = Math.min(60, ...values);
  /** @param {number} at */
  const onpick = (at) => {
    location.hash = `#/review/${known[at].replay}`;
  };
  const ticks = [low, 100].map((value) => ({ value, text: value.toFixed(0) }));
  const { element } = chart([{ name: t("accuracy"), values }], { low, high: 100, label: t("progress.course"), ticks, onpick });
  return panel("course", element, h("p.key", {}, t("progress.course.key")));
}

/** @param {Server.RoleSums[]} all */
function roles(all) {
  /** @param {number | null} value @param {Server.RoleSums} one */
  const part = (value, one) => (value === null ? "–" : changeText(value, one.measure));
  const rows = all.map((one) =>
    cells(t(`game.${one.game}`), [
      one.role ? t(`role.${one.role}`) : "–",
      String(one.games),
      accurate(one.accuracy),
      ...[one.deal, one.play, one.rest].map((value) => part(value, one)),
    ]),
  );
  const heads = ["col.game", "me.role", "col.games", "accuracy", "account.deal", "account.play", "account.rest"];
  return panel("roles", table(heads, rows), h("p.key", {}, t("progress.roles.key")));
}

/** @param {Server.KindSums[]} all */
function kinds(all) {
  if (!all.length) return panel("kinds", h("p", {}, t("mistakes.none")));
  const rows = all.map((one) => cells(t(`kind.${one.kind}`), [String(one.count), percent(one.share)]));
  return panel("kinds", table(["progress.kind", "progress.count", "progress.share"], rows), h("p.key", {}, t("progress.kinds.key")));
}

/** @param {Server.WorstDecision[]} all */
function worst(all) {
  if (!all.length) return null;
  /** @param {Server.WorstDecision} one */
  const line = (one) =>
    h(
      "li",
      {},
      gradeMark(one.grade),
      h("b", {}, t(`kind.${one.kind}`)),
      h("small", {}, refusal(one.why)),
      h(
        "a.button.small",
        { href: one.turn === null ? `#/review/${one.replay}` : `#/replay/${one.replay}?turn=${one.turn}` },
        t("look"),
      ),
      h(
        "button.small",
        { type: "button", "data-does": "again", onclick: async () => tryAgain(await fetchReplay(one.replay), one) },
        t("tryagain"),
      ),
    );
  return panel("worst", h("ul.list", {}, all.map(line)));
}
