// What each decision cost against the champion's choice, and why; luck and play apart; the mistakes one by one, to be tried again.

import { accountPanel } from "./account.js";
import { laid, row } from "./cards.js";
import { courseChart, noChances } from "./course.js";
import { focus, h, put } from "./dom.js";
import { fetchReplay, fetchReview, handsAt, namesOf, ranked, seatBelow } from "./finished_games.js";
import { bars } from "./hint.js";
import {
  gradeMark,
  isBad,
  judgementOf,
  knownIn,
  lostText,
  measureSwitch,
  tryAgain,
  valueText,
} from "./judged.js";
import { inWords } from "./said.js";
import { otherSeat } from "./start.js";
import { truthPanel } from "./truth.js";
import { refusal, t } from "./words.js";

/**
 * @typedef {Server.DecisionOut} Play
 * @typedef {Server.BidDecision} Bid
 * @typedef {import("./finished_games.js").Measure} Measure
 */

/** @type {import("./judged.js").Grade[]} */
const GRADES = ["best", "good", "inaccuracy", "mistake", "blunder"];

/** @param {HTMLElement} root @param {string} id */
export async function showReview(root, id) {
  put(root, h("div.review", {}, h("h1", {}, t("review")), h("p.key", {}, t("thinking"))));
  const replay = await fetchReplay(id);
  const review = await fetchReview(id);
  const page = new Review(root, replay, review);
  page.draw();
  page.truth.append(truthPanel(replay));
}

class Review {
  /** @param {HTMLElement} root @param {import("./finished_games.js").Replay} replay @param {Server.ReviewOut} review */
  constructor(root, replay, review) {
    this.root = root;
    this.replay = replay;
    this.review = review;
    this.names = namesOf(replay);
    this.measure = review.measure;
    this.seat = seatBelow(replay);
    this.truth = h("div"); // of the game, whichever seat is looked at
  }

  /** Whether the adviser gives chances or points. */
  get known() {
    return this.review.measures.length > 0;
  }

  draw() {
    const { replay, review } = this;
    const bids = review.bids.filter((one) => one.seat === this.seat);
    const plays = review.decisions.filter((one) => one.seat === this.seat && one.choices > 1);
    /** @type {(Play | Bid)[]} */
    const mine = [...bids, ...plays];
    const bad = mine.filter((one) => isBad(this.judgement(one)));
    const mistakes = bad.sort((a, b) => this.share(b) - this.share(a));
    const summary = review.seats[this.seat][this.measure];
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
            measureSwitch(review.measures, this.measure, (measure) => this.change(measure)),
            h("a.button.small", { href: `#/replay/${replay.id}` }, t("replay")),
            h("a.button.small", { href: "#/progress" }, t("title.progress")),
            h(
              "button.small",
              { type: "button", "data-does": "same", onclick: () => otherSeat(replay.id, replay.hands.length, this.seat, replay) },
              t("over.same"),
            ),
          ),
        ),
        this.summary(mine, summary),
        summary.account && accountPanel(summary.account, this.measure),
        h(
          "section.panel.chance",
          {},
          h("h2", {}, t(`course.${this.measure}`)),
          this.known ? this.chart() : noChances(review.adviser, replay.game),
        ),
        this.truth,
        this.known &&
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

  /** @param {Measure} measure */
  change(measure) {
    this.measure = measure;
    this.draw();
    focus(this.root, `[data-measure="${measure}"]`);
  }

  /** @param {Play | Bid} one */
  judgement(one) {
    return judgementOf(one, this.measure);
  }

  /** @param {Play | Bid} one */
  share(one) {
    return this.judgement(one)?.share ?? 0;
  }

  chart() {
    /** @param {number} at */
    const go = (at) => {
      location.hash = `#/replay/${this.replay.id}?turn=${at}`;
    };
    /** @param {number} seat */
    const nameOf = (seat) => this.names[seat];
    const { graph, legend } = courseChart(this.replay, this.review, this.measure, this.seat, go, nameOf);
    return [graph.element, h("p.key", {}, legend ?? t("chance.key", { name: nameOf(this.seat) }), " ", t("chance.marks"))];
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
      this.names.map((name, seat) => h("option", { value: String(seat), selected: seat === this.seat }, name)),
    );
  }

  /** @param {(Play | Bid)[]} mine @param {Server.SeatSummary} summary */
  summary(mine, { accuracy, grades }) {
    /** @param {string} value @param {string} words */
    const figure = (value, words) => h("div.figure", {}, h("b", {}, value), h("span", {}, words));
    const advised = mine.filter((one) => ("turn" in one ? one.rank === 0 : one.made === one.advised)).length;
    return h(
      "div.totals",
      {},
      figure(String(mine.length), t("sum.decisions")),
      figure(`${advised}`, t("sum.best")),
      accuracy !== null && figure(accuracy.toFixed(1), t("accuracy")),
      this.known &&
        h(
          "div.figure.grades",
          {},
          GRADES.map((grade) => h("span", {}, gradeMark(grade), h("b", {}, String(grades[grade] ?? 0)))),
        ),
    );
  }

  /** @param {Play | Bid} one */
  mistake(one) {
    const judgement = this.judgement(one);
    if (!judgement?.why) return null;
    const { kind, grade, why } = judgement;
    const turn = "turn" in one ? one.turn : null;
    return h(
      "article.panel.mistake",
      {},
      h(
        "header",
        {},
        h("h3", {}, turn === null ? t("bid.word") : t("turn.n", { n: turn + 1 }), " ", gradeMark(grade)),
        h("span.loss", {}, lostText(one, this.measure)),
      ),
      h("p.why", {}, h("b", {}, t("kind.is", { kind: t(`kind.${kind}`) })), " ", refusal(why)),
      "turn" in one ? this.play(one) : this.bid(one),
      h(
        "p.links",
        {},
        h(
          "button.primary",
          { type: "button", "data-does": "again", onclick: () => tryAgain(this.replay, { turn, seat: one.seat }) },
          t("tryagain"),
        ),
        turn !== null && h("a.button", { href: `#/replay/${this.replay.id}?turn=${turn}` }, t("look")),
      ),
    );
  }

  /** @param {Play} one */
  play(one) {
    const made = this.replay.turns[one.turn];
    const beat = standing(this.replay.turns, one.turn);
    return [
      h(
        "dl",
        {},
        h("dt", {}, t("held")),
        h("dd", {}, row(handsAt(this.replay, one.turn)[one.seat])),
        beat && [h("dt", {}, t("tobeat.short")), h("dd", {}, laid(beat))],
        h("dt", {}, t("youplayed")),
        h("dd", {}, made.cards.length ? laid(made) : h("span.pass", {}, t("pass"))),
      ),
      bars(ranked(one, this.measure), undefined, { top: 4, made: made.play, measure: this.measure }),
    ];
  }

  /** @param {Bid} one */
  bid(one) {
    const choices = one.choices.map(({ bid, points }) =>
      h("li", { class: bid === one.made ? "made" : "" }, inWords(one.kind, bid), h("b", {}, valueText(points, "points"))),
    );
    return [
      h("dl", {}, h("dt", {}, t("held")), h("dd", {}, row(this.replay.deal[one.seat]))),
      h("ul.list.bids", {}, choices),
      h("p.key", {}, t("bid.key")),
    ];
  }

  /** @param {(Play | Bid)[]} mine */
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
              ["turn.word", "youplayed", "best", `measure.${this.measure}`, "losscol", "grade"].map((key) =>
                h("th", { scope: "col" }, t(key)),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            mine.map((one) => this.line(one)),
          ),
        ),
      ),
    );
  }

  /** @param {Play | Bid} one */
  line(one) {
    const judgement = this.judgement(one);
    const cells =
      "turn" in one
        ? [
            h("a", { href: `#/replay/${this.replay.id}?turn=${one.turn}` }, String(one.turn + 1)),
            played(this.replay.turns[one.turn]),
            played(ranked(one, this.measure)[0]),
          ]
        : [t("bid.word"), inWords(one.kind, one.made), inWords(one.kind, one.advised)];
    return h(
      "tr",
      { class: isBad(judgement) ? "bad" : "" },
      cells.map((cell) => h("td", {}, cell)),
      h("td", {}, valueText(judgement?.best, knownIn(one, this.measure))),
      h("td", {}, lostText(one, this.measure)),
      h("td", {}, judgement ? gradeMark(judgement.grade) : "–"),
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
