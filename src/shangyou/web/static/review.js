// What each decision cost against the champion's choice; the mistakes one by one, to be tried again.

import { laid, row } from "./cards.js";
import { h, put } from "./dom.js";
import { bars, percent } from "./hint.js";
import { fetchReplay, fetchReview, handsAt, namesOf } from "./finished_games.js";
import { againstStrongest, otherSeat, start } from "./start.js";
import { noChances, winChart } from "./win_chart.js";
import { t } from "./words.js";

/** @typedef {import("./finished_games.js").Decision} Decision */

/** @param {HTMLElement} root @param {string} id */
export async function showReview(root, id) {
  put(root, h("div.review", {}, h("h1", {}, t("review")), h("p.key", {}, t("thinking"))));
  const replay = await fetchReplay(id);
  const review = await fetchReview(id);
  new Review(root, replay, review).draw();
}

class Review {
  /** @param {HTMLElement} root @param {import("./finished_games.js").Replay} replay @param {import("./finished_games.js").Review} review */
  constructor(root, replay, review) {
    this.root = root;
    this.replay = replay;
    this.names = namesOf(replay);
    this.decisions = review.decisions;
    this.mistakeAt = review.mistake;
    this.adviser = review.adviser;
    this.chances = review.chances;
    this.points = review.judged === "points";
    this.seat = replay.mine ?? 0;
  }

  /** @param {number} seat */
  name(seat) {
    return this.names[seat];
  }

  /** In points where places are paid, else in percent of the chance of winning. @param {Decision} one */
  lost(one) {
    return this.points ? Math.max(0, (one.points ?? 0) - (one.played.points ?? 0)) : 100 * one.loss;
  }

  draw() {
    const { replay } = this;
    const mine = this.decisions.filter((one) => one.seat === this.seat && one.choices > 1);
    const mistakes = mine.filter((one) => one.loss > this.mistakeAt).sort((a, b) => b.loss - a.loss);
    put(
      this.root,
      h(
        "div.review",
        {},
        h(
          "header.head",
          {},
          h("h1", {}, t("review"), h("small", {}, t(`game.${replay.game}`))),
          h(
            "p.links",
            {},
            this.choice(),
            h("a.button.small", { href: `#/replay/${replay.id}` }, t("replay")),
            h(
              "button.small",
              { type: "button", "data-does": "same", onclick: () => otherSeat(replay.id, replay.hands.length, this.seat, replay) },
              t("over.same"),
            ),
          ),
        ),
        this.summary(mine, mistakes),
        h("section.panel.chance", {}, h("h2", {}, t("chance")), this.chances ? this.chart() : noChances(this.adviser)),
        this.chances &&
          h(
            "section.mistakes",
            {},
            h("h2", {}, t("mistakes")),
            mistakes.length ? mistakes.map((one) => this.mistake(one)) : h("p", {}, t("mistakes.none")),
          ),
        this.table(mine),
      ),
    );
  }

  chart() {
    /** @param {number} at */
    const go = (at) => {
      location.hash = `#/replay/${this.replay.id}?turn=${at}`;
    };
    /** @param {number} seat */
    const nameOf = (seat) => this.name(seat);
    const { graph, legend } = winChart(this.replay, this.decisions, this.mistakeAt, this.seat, go, nameOf);
    return [graph.element, h("p.key", {}, legend ?? t("chance.key", { name: this.name(this.seat) }), " ", t("chance.marks"))];
  }

  choice() {
    return h(
      "select",
      {
        "aria-label": t("hands"),
        onchange: (event) => {
          this.seat = Number(event.target.value);
          this.draw();
        },
      },
      this.replay.hands.map((_, seat) => h("option", { value: String(seat), selected: seat === this.seat }, this.name(seat))),
    );
  }

  /** @param {Decision[]} mine @param {Decision[]} mistakes */
  summary(mine, mistakes) {
    const total = mine.reduce((sum, one) => sum + this.lost(one), 0);
    const best = mine.filter((one) => one.loss < 0.005).length;
    /** @param {string} value @param {string} words */
    const figure = (value, words) => h("div.figure", {}, h("b", {}, value), h("span", {}, words));
    return h(
      "div.totals",
      {},
      figure(String(mine.length), t("sum.decisions")),
      figure(mine.length ? percent(best / mine.length) : "–", t("sum.best")),
      this.chances && figure(
          mine.length ? (total / mine.length).toFixed(this.points ? 2 : 1) : "–",
          t(this.points ? "sum.loss.points" : "sum.loss"),
        ),
      this.chances && figure(String(mistakes.length), t("sum.mistakes")),
    );
  }

  /** @param {Decision} one */
  mistake(one) {
    const { replay } = this;
    const made = replay.turns[one.turn];
    const hand = handsAt(replay, one.turn)[one.seat];
    const beat = standing(replay.turns, one.turn);
    return h(
      "article.panel.mistake",
      {},
      h(
        "header",
        {},
        h("h3", {}, t("turn.n", { n: one.turn + 1 })),
        h("span.loss", {}, t(this.points ? "loss.points" : "loss", { n: this.lost(one).toFixed(this.points ? 2 : 0) })),
      ),
      h(
        "dl",
        {},
        h("dt", {}, t("held")),
        h("dd", {}, row(hand)),
        beat && [h("dt", {}, t("tobeat.short")), h("dd", {}, laid(beat))],
        h("dt", {}, t("youplayed")),
        h("dd", {}, made.cards.length ? laid(made) : h("span.pass", {}, t("pass"))),
      ),
      bars(one.candidates, undefined, { top: 4, made: made.play }),
      h(
        "p.links",
        {},
        h("button.primary", { type: "button", "data-does": "again", onclick: () => this.again(one) }, t("tryagain")),
        h("a.button", { href: `#/replay/${replay.id}?turn=${one.turn}` }, t("look")),
      ),
    );
  }

  /** The game from this decision on. @param {Decision} decision */
  async again({ turn, seat }) {
    const { game, rules, hands, id } = this.replay;
    const seats = await againstStrongest(game, rules, hands.length, seat);
    await start({ game, rules, seats, hints: true, pace: 700, from: { replay: id, turn } });
  }

  /** @param {Decision[]} mine */
  table(mine) {
    return h(
      "details.panel.all",
      {},
      h("summary", {}, t("alldecisions")),
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
              ["turn", "youplayed", "best", "chance", "losscol"].map((key) =>
                h("th", { scope: "col" }, t(key === "turn" ? "turn.word" : key)),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            mine.map((one) =>
              h(
                "tr",
                { class: this.chances && one.loss > this.mistakeAt ? "bad" : "" },
                h("td", {}, h("a", { href: `#/replay/${this.replay.id}?turn=${one.turn}` }, String(one.turn + 1))),
                h("td", {}, played(this.replay.turns[one.turn])),
                h("td", {}, played(one.candidates[0])),
                h("td", {}, percent(one.win)),
                h("td", {}, this.chances ? this.lost(one).toFixed(this.points ? 2 : 1) : "–"),
              ),
            ),
          ),
        ),
      ),
    );
  }
}

/** @param {{ cards: string[], label: string }} one */
const played = (one) => (one.cards.length ? laid(one) : t("pass"));

/** The cards on the table before a turn: the last that were put down since the round was led. @param {import("./finished_games.js").Turn[]} turns @param {number} at */
function standing(turns, at) {
  if (turns[at].leads) return null;
  return turns.slice(0, at).findLast((turn) => turn.cards.length) ?? null;
}
