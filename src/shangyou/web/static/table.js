// A live table. The server sends the state and what is legal; this draws it and sends what the player chose.

import { Advice } from "./advice.js";
import * as api from "./api.js";
import { barFor } from "./bar.js";
import { buttonsFor } from "./buttons.js";
import { laid, name, rankOf, same, speakAll } from "./cards.js";
import { ClockLine } from "./clock.js";
import { countsOf } from "./counter.js";
import { announce, h, put, toast } from "./dom.js";
import { Felt, called, distinct } from "./felt.js";
import { Hand } from "./hand.js";
import { onKey } from "./keys.js";
import { endOfGame } from "./over.js";
import { Phrases } from "./phrases.js";
import { followRematch } from "./rematch.js";
import { adviceInWords, allInWords, dueAt } from "./said.js";
import * as settings from "./settings.js";
import { react } from "./sound.js";
import { EyeSuits, asHeld } from "./suits.js";
import { waitingRoom } from "./waiting.js";
import { refusal, t } from "./words.js";

/** @param {HTMLElement} root @param {string} id @param {{ guide?: (state: any) => any }} [options] words beside a guided game */
export function showTable(root, id, options = {}) {
  const table = new Table(root, id, options);
  return () => table.close();
}

class Table {
  constructor(root, id, options) {
    this.id = id;
    this.options = options;
    /** @type {any} */ this.state = null;
    this.flights = null;
    this.sent = []; // the cards I played last, as I chose them
    this.suits = new EyeSuits();
    this.asked = false;
    this.build(root);
    this.keys = (event) => onKey(this, event);
    document.addEventListener("keydown", this.keys);
    this.connect();
  }

  connect() {
    this.live?.close();
    const hear = (message) => this.hear(message);
    this.live = new api.Live(this.id, hear, (state, why) => this.connection(state, why));
  }

  build(root) {
    document.body.classList.add("attable");
    this.felt = new Felt();
    this.hand = new Hand(() => this.chosenChanged());
    this.bar = h("div.tablebar");
    this.counter = h("div.counter", { role: "list", "aria-label": t("counter") });
    this.note = h("p.note", { role: "status" });
    this.buttons = h("div.actions", { role: "group", "aria-label": t("actions") });
    this.side = h("aside.side", { "aria-label": t("side") });
    this.advice = new Advice((one) => this.pick(one));
    this.guide = h("section.panel.guide", { hidden: true });
    this.log = h("ol.log", { tabindex: "0", "aria-label": t("turns") }); // scrolls, so the keyboard must reach it
    this.said = h("p.key");
    this.over = h("section.ending", { hidden: true, tabindex: "-1", "aria-label": t("over.title") });
    put(this.side, this.guide, this.advice.element, h("section.panel.turns", {}, h("h2", {}, t("turns")), this.said, this.log));
    put(this.felt.middle, h("div.tobeat"));
    this.clock = new ClockLine();
    this.phrases = new Phrases((message) => this.live.send(message));
    this.waitingRoom = h("div.room");
    const strip = h("div.strip", {}, this.clock.element, this.phrases.element);
    const mine = h("div.mine", {}, this.note, this.waitingRoom, this.buttons, this.hand.element);
    this.element = h(
      "div.table",
      {},
      h("div.cloth", {}, this.bar, strip, this.felt.element, this.over, mine),
      this.side,
    );
    put(root, this.element);
    this.say(t("connecting"));
  }

  // -- from the server ----------------------------------------------------------------------------------------------

  hear(message) {
    if (message.kind === "state") this.become(message);
    else if (message.kind === "hint") this.showHints(message);
    else if (message.kind === "refused") this.refused(message);
    else if (message.kind === "phrase")
      this.phrases.hear(message, this.seatName(message.seat), message.seat === this.state.seat);
  }

  become(news) {
    const before = this.state;
    if (before && news.version < before.version) return;
    const state = this.suits.dress(news, this.sent);
    this.state = state;
    react(before, state);
    followRematch(state);
    const grown = before && state.history.length > before.history.length;
    const latest = state.history.at(-1);
    const from = grown && latest.seat === state.seat ? this.flights : undefined;
    this.draw({ fresh: grown ? latest.seat : -1, from, leads: grown && state.seats.filter((seat) => seat.put).length === 1 }, !before);
    if (["version", "status", "forfeited"].some((what) => state[what] !== before?.[what])) {
      this.hideHints();
      if (grown) announce(this.describe(latest));
      this.inform();
    }
  }

  refused(message) {
    this.waiting = false;
    this.asked = false;
    this.say(refusal(message), "bad");
    if (this.state) this.drawButtons();
  }

  connection(state, why) {
    document.body.classList.toggle("offline", state === "off");
    this.asked = false; // what was asked on another connection gets no answer on this one
    if (state === "off") this.say(t("offline"), "bad");
    if (state === "gone") this.gone(why);
    if (state === "on" && this.state) this.inform();
  }

  /** There is nothing to come back to. */
  gone(why) {
    if (why || !this.note.textContent || this.note.dataset.kind !== "bad") this.say(why || t("table.gone"), "bad");
    put(this.buttons, h("a.button.primary", { href: "#/" }, t("lobby")));
  }

  // -- drawing ------------------------------------------------------------------------------------------------------

  get mine() {
    return this.state.seat ?? 0;
  }

  get goesOn() {
    return this.state.status !== "over" && this.state.status !== "left";
  }

  get myTurn() {
    return this.state.seat !== null && (this.state.legal?.length > 0 || this.state.bids?.length > 0);
  }

  seatName(seat) {
    return this.names[seat];
  }

  draw(news, first) {
    const { state } = this;
    const over = state.status === "over";
    this.names = distinct(state.seats.map((seat) => called(seat.name, seat.kind)));
    const places = state.seats.map((seat, i) => ({
      ...seat,
      name: this.seatName(i),
      place: state.places_paid ? seat.place : 0,
      stands: state.to_beat?.by === i,
      doubled: seat.doubled || dueAt(state.status) ? seat.doubled : null, // who has not is of interest while others are asked
      cards: over && i !== state.seat && state.result?.hands?.[i]?.length ? state.result.hands[i] : null,
    }));
    this.element.dataset.version = state.version;
    this.hand.set(state.hand ?? []);
    this.felt.draw(places, this.mine, news);
    if (first && settings.moves() && !state.history.length) this.hand.deal();
    this.clock.draw(state, (seat) => this.seatName(seat));
    this.phrases.draw(state);
    this.drawWaiting();
    this.drawCounter();
    this.drawBar();
    this.drawMiddle();
    this.drawButtons();
    this.drawLog();
    this.drawOver();
  }

  drawBar() {
    const had = this.bar.querySelector(":focus")?.dataset.does;
    put(this.bar, barFor(this));
    if (had) this.bar.querySelector(`[data-does="${had}"]`)?.focus({ preventScroll: true });
  }

  sortNext() {
    const { SORTS } = settings;
    settings.change({ sort: SORTS[(SORTS.indexOf(settings.get("sort")) + 1) % SORTS.length] }, true);
    this.hand.set(this.state.hand);
    this.drawBar();
    announce(t(`set.sort.${settings.get("sort")}`));
  }

  mute(off) {
    settings.change({ sound: !off }, true);
    this.drawBar();
  }

  /** What is asked before a game is given up; nothing before the deal. */
  get costOfLeaving() {
    const { status, match, rated, seats } = this.state;
    if (status === "open") return "";
    if (match) return "leave.match";
    return rated || seats.some((seat) => seat.kind === "person" && !seat.stand_in) ? "leave.loses" : "leave.sure";
  }

  /** What is settled before the deal; drawn again it keeps the focus. */
  drawWaiting() {
    const focused = this.waitingRoom.contains(document.activeElement) && document.activeElement.name;
    put(
      this.waitingRoom,
      waitingRoom(
        this.state,
        (message) => this.live.send(message),
        (hints) => this.join(hints),
      ),
    );
    if (focused) this.waitingRoom.querySelector(`[name="${focused}"]`)?.focus();
  }

  drawCounter() {
    put(this.counter, countsOf(this.state.unseen));
  }

  drawMiddle() {
    const beat = this.state.to_beat;
    const words = beat ? t("tobeat", { play: beat.label, name: this.seatName(beat.by) }) : "";
    put(this.felt.middle, h("div.tobeat", {}, this.state.status === "playing" ? words : ""));
  }

  drawLog() {
    const turns = this.state.history.map((turn) =>
      h(
        "li",
        { class: turn.seat === this.state.seat ? "own" : "" },
        h("span.who", {}, this.seatName(turn.seat)),
        turn.cards.length ? laid(turn) : h("span.pass", {}, t("pass")),
      ),
    );
    put(this.log, turns.reverse());
    this.said.textContent = allInWords(this.state.bids_made, (seat) => this.seatName(seat));
    this.said.hidden = !this.state.bids_made.length;
  }

  drawOver() {
    const { state } = this;
    this.over.hidden = this.goesOn || this.looksAtCards;
    document.body.classList.toggle("gameover", !this.over.hidden);
    if (this.over.hidden) return;
    const wasEmpty = !this.over.children.length;
    const close = h("button.close", { type: "button", "aria-label": t("over.close"), onclick: () => this.showOver(false) }, "×");
    const over = endOfGame(
      state,
      (seat) => this.seatName(seat),
      (message) => this.live.send(message),
    );
    put(this.over, close, over);
    if (!wasEmpty) return;
    announce(this.over.querySelector("h2")?.textContent ?? "");
    this.over.focus({ preventScroll: true });
  }

  /** The result can be put aside to look at the cards, and called back. */
  showOver(shown) {
    this.looksAtCards = !shown;
    this.drawOver();
    this.drawButtons();
    if (shown) this.over.focus({ preventScroll: true });
    else this.buttons.querySelector("[data-does=result]")?.focus({ preventScroll: true });
  }

  // -- buttons ------------------------------------------------------------------------------------------------------

  drawButtons() {
    const had = this.buttons.querySelector(":focus")?.dataset.does;
    put(this.buttons, buttonsFor(this));
    if (had) this.buttons.querySelector(`[data-does="${had}"]`)?.focus({ preventScroll: true });
  }

  async join(hints = false) {
    try {
      await api.post(`tables/${this.id}/join`, { hints });
      settings.change({ table: this.id }, true);
      this.connect();
    } catch (error) {
      toast(error.message);
    }
  }

  // -- choosing and sending -----------------------------------------------------------------------------------------

  /** The legal play these cards are: the very cards, or the same ranks in other suits. */
  match(cards) {
    if (!cards.length) return null;
    const plays = (this.state.legal ?? []).filter((one) => one.cards.length === cards.length);
    return plays.find((one) => same(one.cards, cards)) ?? plays.find((one) => same(one.cards, cards, rankOf)) ?? null;
  }

  chosenChanged() {
    if (!this.state || this.state.status !== "playing") return;
    this.drawButtons();
    const chosen = this.hand.chosen;
    if (!this.myTurn) return;
    if (!chosen.length) return this.inform();
    const play = this.match(chosen);
    this.say(play ? t("chosen", { play: play.label }) : t("nolegal"), play ? "good" : "doubt");
  }

  play() {
    const cards = this.hand.chosen;
    if (!cards.length || !this.myTurn) return;
    this.flights = this.hand.rectangles();
    this.sent = cards;
    const play = this.match(cards);
    const exact = play && same(play.cards, cards);
    this.send(exact ? { kind: "play", play: play.play } : { kind: "play", cards: cards.map(name) });
  }

  pass() {
    const pass = this.state.legal?.find((one) => one.cards.length === 0);
    if (pass) this.send({ kind: "play", play: pass.play });
  }

  send(message) {
    if (!this.live.send({ ...message, version: this.state.version })) return this.say(t("offline"), "bad");
    if (message.kind !== "hint") this.waiting = true;
    this.drawButtons();
  }

  // -- hints --------------------------------------------------------------------------------------------------------

  hint() {
    if (!this.myTurn || !this.state.hints) return;
    if (this.advice.open) return this.advice.hide();
    if (this.asked) return;
    this.asked = true;
    this.say(t("thinking"));
    this.send({ kind: "hint" });
  }

  showHints(message) {
    this.asked = false;
    if (message.version !== this.state?.version) return;
    this.inform();
    if (message.bid !== null && message.bid !== undefined)
      return this.say(adviceInWords(dueAt(this.state.status), message.bid), "good");
    const held = (one) => ({ ...one, cards: asHeld(one.cards, this.state.hand) });
    this.advice.show(message.suggestions.map(held), message.agent);
  }

  /** A suggestion was clicked. */
  pick(one) {
    this.hand.select(one.cards);
    if (!one.cards.length) this.say(t("hint.pass"), "good");
  }

  /** Nothing chosen, nothing asked. */
  reset() {
    this.hideHints();
    this.hand.clear();
  }

  hideHints() {
    this.asked = false;
    this.advice.hide();
  }

  // -- words --------------------------------------------------------------------------------------------------------

  say(text, kind = "") {
    this.note.textContent = text;
    this.note.dataset.kind = kind;
  }

  describe(turn) {
    const who = this.seatName(turn.seat);
    return turn.cards.length ? t("announce.play", { name: who, cards: speakAll(turn.cards) }) : t("announce.pass", { name: who });
  }

  /** What is to be done now; who looks at another tab sees by the title that it is their turn. */
  inform() {
    const { state } = this;
    this.waiting = false;
    document.title = document.title.replace(/^(● )?/, this.myTurn ? "● " : "");
    this.drawButtons();
    if (this.options.guide) this.showGuide();
    if (!this.goesOn) return this.say("");
    if (state.forfeited !== null) return this.say(t("forfeited"), "bad");
    if (state.status === "open") return this.say(t(state.seat === null ? "open.join" : "open.wait"));
    if (dueAt(state.status) && this.myTurn) return this.say(t(`turn.${dueAt(state.status)}`), "turn");
    if (this.myTurn)
      return this.say(
        state.to_beat ? (state.legal.length > 1 ? t("turn.follow") : t("turn.mustpass")) : t("turn.lead"),
        "turn",
      );
    const turn = state.seats.findIndex((seat) => seat.turn);
    return this.say(turn >= 0 ? t("turn.other", { name: this.seatName(turn) }) : "");
  }

  showGuide() {
    const words = this.options.guide(this.state);
    this.guide.hidden = !words;
    if (words) put(this.guide, words);
  }

  close() {
    document.removeEventListener("keydown", this.keys);
    document.body.classList.remove("attable", "offline", "hinted", "gameover");
    this.hand.close();
    this.clock.close();
    this.live.close();
  }
}
