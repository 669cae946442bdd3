// A finished game, turn by turn: forwards, backwards, by itself, with all hands or one seat's, and what the champion thought.

import * as api from "./api.js";
import { laid, row, sorted } from "./cards.js";
import { courseChart, noChances } from "./course.js";
import { copy, focus, h, put, redraw } from "./dom.js";
import { Felt } from "./felt.js";
import { fetchReplay, fetchReview, handsAt, namesOf, ranked, seatBelow } from "./finished_games.js";
import { bars, signed } from "./hint.js";
import { gradeMark, judgementOf, measureSwitch } from "./judged.js";
import { allInWords, inWords } from "./said.js";
import * as settings from "./settings.js";
import { Thoughts } from "./thought.js";
import { refusal, t } from "./words.js";

const SPEEDS = [0.5, 1, 2, 4];
const TURN_MS = 1100;

/** @param {HTMLElement} root @param {string} id @param {URLSearchParams} query */
export async function showReplay(root, id, query) {
  const page = new Replay(root, await fetchReplay(id), Number(query?.get("turn") ?? 0));
  page.loadReview();
  return () => page.close();
}

class Replay {
  /** @param {HTMLElement} root @param {import("./finished_games.js").Replay} replay @param {number} at */
  constructor(root, replay, at) {
    this.root = root;
    this.replay = replay;
    this.at = Math.max(0, Math.min(at, replay.turns.length));
    this.names = namesOf(replay);
    this.only = -1; // the one seat whose cards are shown; -1: all
    this.below = seatBelow(replay);
    this.speed = 1;
    /** @type {Server.ReviewOut | undefined} when it has come */ this.review = undefined;
    /** @type {import("./finished_games.js").Measure} */ this.measure = "win";
    /** @type {any} of the next step while the game runs by itself */ this.timer = null;
    this.thoughts = new Thoughts(replay, (turn) => turn === this.at && this.drawCandidates());
    this.felt = new Felt();
    this.controls = h("div.controls", { role: "group", "aria-label": t("replay") });
    this.graph = h("div.graph");
    this.side = h("section.panel.candidates");
    this.log = h("ol.log");
    put(
      root,
      h(
        "div.replay",
        {},
        h("header.head", {}, h("h1", {}, t("replay"), h("small", {}, t(`game.${replay.game}`))), this.downloads()),
        h(
          "div.stage",
          {},
          h("div.cloth", {}, this.felt.element, this.controls),
          h("aside.side", {}, this.side, h("section.panel.turns", {}, h("h2", {}, t("turns")), this.said(), this.log)),
        ),
        h("section.panel.chance", {}, h("h2", {}, t("course.of")), this.graph),
      ),
    );
    /** @param {any} event */
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    put(this.graph, h("p.key", {}, t("thinking")));
    this.drawLog();
    this.draw();
  }

  downloads() {
    /** @param {string} form */
    const file = (form) =>
      h(
        "a.button.small",
        {
          href: api.url(`replays/${this.replay.id}/record?form=${form}`),
          download: `${this.replay.id}.${form === "text" ? "txt" : form}`,
        },
        t(`download.${form}`),
      );
    return h(
      "p.links",
      {},
      h("a.button.small.home", { href: "#/" }, t("lobby")),
      file("text"),
      file("jsonl"),
      h("button.small", { type: "button", onclick: () => copy(location.href, t("link.copied")) }, t("link.copy")),
      h("a.button.small", { href: `#/review/${this.replay.id}` }, t("review")),
    );
  }

  said() {
    const { bids } = this.replay;
    return bids.length > 0 && h("p.key", {}, allInWords(bids, (seat) => this.name(seat)));
  }

  async loadReview() {
    try {
      this.review = await fetchReview(this.replay.id);
      this.measure = this.review.measure;
      this.drawReview(this.review);
    } catch (error) {
      put(this.graph, h("p.key", {}, error.message));
    }
  }

  /** @param {Server.ReviewOut} review */
  drawReview(review) {
    if (review.measures.length) this.drawGraph(review);
    else put(this.graph, noChances(review.adviser, this.replay.game), this.bids(review));
    this.drawLog();
    this.draw();
  }

  /** @param {number} seat */
  name(seat) {
    return this.names[seat];
  }

  draw(forward = false) {
    const { replay, at } = this;
    const hands = handsAt(replay, at);
    const recent = onTable(replay.turns.slice(0, at));
    const next = replay.turns[at]?.seat ?? -1;
    const seats = hands.map((hand, seat) => ({
      name: this.name(seat),
      own: replay.kinds[seat] === "agent" ? replay.players[seat] : "",
      kind: replay.kinds[seat],
      online: true,
      left: hand.length,
      landlord: seat === replay.landlord,
      bid: null,
      doubled: replay.bids.some((one) => one.kind === "double" && one.seat === seat && one.points) || null,
      place: hand.length || !replay.placesPaid ? 0 : (replay.places[seat] ?? 0),
      passed: recent[seat]?.cards.length === 0,
      put: recent[seat] ?? null,
      turn: seat === next,
      cards: this.only < 0 || this.only === seat || at === replay.turns.length ? sorted(hand, settings.get("sort")) : null,
    }));
    this.felt.draw(seats, this.below, { fresh: forward ? (replay.turns[at - 1]?.seat ?? -1) : -1 });
    put(
      this.felt.middle,
      h(
        "div.tobeat",
        {},
        replay.public.length ? h("span.public", {}, h("small", {}, t("public")), row(replay.public)) : null,
        at === replay.turns.length ? this.ending() : "",
      ),
    );
    this.drawControls();
    this.drawCandidates();
    this.chart?.show(at);
    [...this.log.children].forEach((line, i) => line.classList.toggle("now", i === at - 1));
    const line = this.log.children[at - 1];
    this.log.scrollTop = line ? line.offsetTop - this.log.offsetTop - this.log.clientHeight / 2 : 0;
    if (this.root.isConnected) history.replaceState(null, "", `#/replay/${replay.id}?turn=${at}`);
  }

  ending() {
    if (!this.replay.finished) return t("unfinished");
    return this.replay.scores.map((score, seat) => `${this.name(seat)} ${signed(score, 0)}`).join(" · ");
  }

  drawControls() {
    const last = this.replay.turns.length;
    /** @param {string} does @param {string} sign @param {number} to @param {boolean} ok */
    const step = (does, sign, to, ok) =>
      h(
        "button",
        {
          type: "button",
          "data-does": does,
          "aria-label": t(`step.${does}`),
          title: t(`step.${does}`),
          disabled: !ok,
          onclick: () => this.go(to),
        },
        sign,
      );
    const slider = h("input", {
      type: "range",
      min: 0,
      max: last,
      value: this.at,
      "aria-label": t("turn.number"),
      oninput: (event) => this.go(Number(event.target.value)),
    });
    const seats = h(
      "select",
      {
        "aria-label": t("hands"),
        "data-does": "hands",
        onchange: (event) => {
          this.only = Number(event.target.value);
          if (this.only >= 0) this.below = this.only;
          this.draw();
          if (this.chart && this.review) this.drawGraph(this.review);
        },
      },
      h("option", { value: "-1", selected: this.only < 0 }, t("hands.all")),
      this.replay.hands.map((_, seat) =>
        h("option", { value: String(seat), selected: this.only === seat }, t("hands.of", { name: this.name(seat) })),
      ),
    );
    const speeds = h(
      "select",
      {
        "aria-label": t("speed"),
        onchange: (event) => {
          this.speed = Number(event.target.value);
        },
      },
      SPEEDS.map((speed) => h("option", { value: String(speed), selected: speed === this.speed }, `${speed}×`)),
    );
    redraw(
      this.controls,
      step("first", "⇤", 0, this.at > 0),
      step("back", "←", this.at - 1, this.at > 0),
      h(
        "button.primary",
        {
          type: "button",
          "data-does": "run",
          "aria-label": this.timer ? t("step.pause") : t("step.run"),
          onclick: () => this.run(),
        },
        this.timer ? "❚❚" : "▶",
      ),
      step("next", "→", this.at + 1, this.at < last),
      step("last", "⇥", last, this.at < last),
      slider,
      h("span.count", {}, `${this.at} / ${last}`),
      speeds,
      seats,
      h("button", { type: "button", "data-does": "from", disabled: this.at === last, onclick: () => this.playOn() }, t("from.here")),
    );
  }

  async playOn() {
    const { playFromHere } = await import("./from_here.js");
    playFromHere(this.replay, this.at, (seat) => this.name(seat));
  }

  /** @param {number} turn */
  decisionAt(turn) {
    return this.review?.decisions.find((one) => one.turn === turn);
  }

  drawCandidates() {
    const decision = this.decisionAt(this.at);
    const turn = this.replay.turns[this.at];
    this.side.hidden = !turn;
    if (!turn) return;
    const judged = decision?.judged[this.measure];
    put(
      this.side,
      h("h2", {}, t("candidates"), h("small", {}, this.name(turn.seat))),
      judged?.why && h("p.why", {}, gradeMark(judged.grade), " ", refusal(judged.why)),
      decision && decision.choices > 1
        ? bars(ranked(decision, this.measure), undefined, { top: judged?.why ? 3 : 5, made: turn.play, measure: this.measure })
        : h("p.key", {}, this.review ? t("forced") : t("thinking")),
      decision && decision.choices > 1 && this.review?.can_think && this.thoughts.draw(this.at, turn.play),
    );
  }

  /** @param {Server.ReviewOut} review */
  bids(review) {
    if (!review.bids.length) return null;
    /** @param {Server.BidDecision} one */
    const line = (one) => {
      const judgement = judgementOf(one, this.measure);
      const advised = one.advised === one.made ? "" : t("bid.advised", { bid: inWords(one.kind, one.advised) });
      return h(
        "li",
        {},
        h("span", {}, this.name(one.seat)),
        h("b", {}, inWords(one.kind, one.made)),
        h("small", {}, advised),
        judgement?.why && gradeMark(judgement.grade, false),
      );
    };
    return [h("h3", {}, t("bids")), h("ul.list", {}, review.bids.map(line))];
  }

  /** @param {number} turn */
  gradeAt(turn) {
    const judged = this.decisionAt(turn)?.judged[this.measure];
    return judged?.why && gradeMark(judged.grade, false);
  }

  drawLog() {
    put(
      this.log,
      this.replay.turns.map((turn, i) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", onclick: () => this.go(i + 1) },
            h("span.who", {}, this.name(turn.seat)),
            turn.cards.length ? laid(turn) : h("span.pass", {}, t("pass")),
            this.gradeAt(i),
          ),
        ),
      ),
    );
  }

  /** @param {Server.ReviewOut} review */
  drawGraph(review) {
    /** @param {import("./finished_games.js").Measure} measure */
    const change = (measure) => {
      this.measure = measure;
      this.drawReview(review);
      focus(this.graph, `[data-measure="${measure}"]`);
    };
    /** @param {number} at */
    const go = (at) => this.go(at);
    const { graph, legend } = courseChart(this.replay, review, this.measure, this.below, go, (seat) => this.names[seat]);
    this.chart = graph;
    put(
      this.graph,
      h("p.links", {}, measureSwitch(review.measures, this.measure, change)),
      graph.element,
      h("p.key", {}, legend ?? t("chance.key", { name: this.name(this.below) }), " ", t("chance.marks")),
      this.bids(review),
    );
    graph.show(this.at);
  }

  /** @param {number} at */
  go(at) {
    const forward = at === this.at + 1;
    this.at = Math.max(0, Math.min(at, this.replay.turns.length));
    this.draw(forward);
  }

  run() {
    if (this.timer) this.stop();
    else {
      if (this.at >= this.replay.turns.length) this.at = 0;
      const tick = () => {
        if (this.at >= this.replay.turns.length) return this.stop();
        this.timer = setTimeout(tick, TURN_MS / this.speed);
        return this.go(this.at + 1);
      };
      tick();
    }
    this.drawControls();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    this.drawControls();
  }

  /** @param {any} event */
  key(event) {
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.replay.turns.length };
    const to = steps[event.key];
    if (to !== undefined) this.go(to);
    else if (event.key === " " && !event.target.closest?.("button, a, li")) this.run();
    else return;
    event.preventDefault();
  }

  close() {
    clearTimeout(this.timer);
    this.thoughts.close();
    document.removeEventListener("keydown", this.keys);
  }
}

/** What each seat did last since the round was led. @param {import("./finished_games.js").Turn[]} turns */
function onTable(turns) {
  const lead = turns.findLastIndex((turn) => turn.leads);
  return Object.fromEntries(turns.slice(Math.max(0, lead)).map((turn) => [turn.seat, turn]));
}
