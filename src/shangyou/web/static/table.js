// A live table. The server sends the state and what is legal; this draws it and sends what the player chose.

import { Advice } from "./advice.js";
import * as api from "./api.js";
import { barFor } from "./bar.js";
import { buttonsFor } from "./buttons.js";
import { inOrder, laid, name, same } from "./cards.js";
import { Clock } from "./clock.js";
import { countsOf } from "./counter.js";
import { announce, h, put, redraw, toast } from "./dom.js";
import { Felt } from "./felt.js";
import { Hand } from "./hand.js";
import { onKey } from "./keys.js";
import { agentName, called, distinct } from "./names.js";
import { endOfGame } from "./over.js";
import { Phrases } from "./phrases.js";
import { followRematch } from "./rematch.js";
import { adviceInWords, allInWords, dueAt } from "./said.js";
import * as settings from "./settings.js";
import { react } from "./sound.js";
import { EyeSuits, asHeld } from "./suits.js";
import { description, matching, toDo } from "./situation.js";
import { waitingRoom } from "./waiting.js";
import { refusal, t } from "./words.js";

/** @param {HTMLElement} root @param {string} id @param {{ guide?: (state: any) => any }} [options] words beside a guided game */
export function showTable(root, id, options = {}) {
  const table = new Table(root, id, options);
  return () => table.close();
}

/** @template T @typedef {T extends { version: number } ? Omit<T, "version"> : never} Unversioned */
/** @typedef {Unversioned<Server.table_to_server>} Ask what is sent about the state shown */

export class Table {
  /** @type {Server.StateOut} with suits for the eye */ state = /** @type {any} */ (null); // until the first message
  /** @type {string[]} how the seats are called */ names = [];
  /** @type {Map<string, DOMRect> | undefined} where the cards I played last lay in my hand */ flights;
  /** @type {string[]} the cards I played last, as I chose them */ sent = [];
  suits = new EyeSuits();
  asked = false; // a hint is
  waiting = false; // for the answer to what I sent
  looksAtCards = false; // the result is put aside

  felt = new Felt();
  hand = new Hand(() => this.chosenChanged());
  bar = h("div.tablebar");
  counter = h("div.counter", { role: "list", "aria-label": t("counter") });
  note = h("p.note", { role: "status" });
  buttons = h("div.actions", { role: "group", "aria-label": t("actions") });
  side = h("aside.side", { "aria-label": t("side") });
  advice = new Advice((one) => this.pick(one));
  guide = h("section.panel.guide", { hidden: true });
  log = h("ol.log", { tabindex: "0", "aria-label": t("turns") }); // scrolls, so the keyboard must reach it
  said = h("p.key"); // before the first play
  over = h("section.ending", { hidden: true, tabindex: "-1", "aria-label": t("over.title") });
  clock = new Clock();
  phrases = new Phrases((message) => this.live.send(message));
  waitingRoom = h("div.room");

  /** @param {HTMLElement} root @param {string} id @param {{ guide?: (state: any) => any }} options */
  constructor(root, id, options) {
    this.id = id;
    this.options = options;
    this.element = this.build(root);
    /** @param {any} event */
    this.keys = (event) => onKey(this, event);
    document.addEventListener("keydown", this.keys);
    this.live = this.connect();
  }

  /** @returns {api.Live} */
  connect() {
    this.live?.close();
    /** @param {Server.table_from_server} message */
    const hear = (message) => this.hear(message);
    this.live = new api.Live(this.id, hear, (state, why) => this.connection(state, why));
    return this.live;
  }

  /** @param {HTMLElement} root @returns {any} */
  build(root) {
    document.body.classList.add("attable");
    put(this.side, this.guide, this.advice.element, h("section.panel.turns", {}, h("h2", {}, t("turns")), this.said, this.log));
    put(this.felt.middle, h("div.tobeat"));
    const mine = h("div.mine", {}, this.note, this.waitingRoom, this.buttons, this.hand.element);
    const cloth = h("div.cloth", {}, this.bar, this.felt.element, this.over, mine);
    const element = h("div.table", {}, cloth, this.side);
    put(root, element);
    this.say(t("connecting"));
    return element;
  }

  // -- from the server ----------------------------------------------------------------------------------------------

  /** @param {Server.table_from_server} message */
  hear(message) {
    if (message.kind === "state") this.become(message);
    else if (message.kind === "hint") this.showHints(message);
    else if (message.kind === "refused") this.refused(message);
    else if (message.kind === "phrase")
      this.phrases.hear(message, this.seatName(message.seat), message.seat === this.state.seat);
  }

  /** @param {Server.StateOut} news */
  become(news) {
    const before = this.state;
    if (before && news.version < before.version) return;
    const state = this.suits.dress(news, this.sent);
    this.state = state;
    react(before, state);
    followRematch(state);
    const grown = before && state.history.length > before.history.length;
    const latest = state.history.at(-1);
    const from = grown && latest?.seat === state.seat ? this.flights : undefined;
    this.draw({ fresh: grown && latest ? latest.seat : -1, from, leads: grown && state.seats.filter((seat) => seat.put).length === 1 }, !before);
    const told = /** @type {const} */ (["version", "status", "forfeited"]);
    if (told.some((what) => state[what] !== before?.[what])) {
      this.hideHints();
      if (grown && latest) announce(description(latest, this.seatName(latest.seat)));
      this.inform();
    }
  }

  /** @param {Server.RefusedOut} message */
  refused(message) {
    this.waiting = false;
    this.asked = false;
    this.say(refusal(message), "bad");
    if (this.state) this.drawButtons();
  }

  /** @param {string} state @param {string | undefined} why */
  connection(state, why) {
    document.body.classList.toggle("offline", state === "off");
    this.asked = false; // what was asked on another connection gets no answer on this one
    if (state === "off") this.say(t("offline"), "bad");
    if (state === "gone") this.gone(why);
    if (state === "on" && this.state) this.inform();
  }

  /** There is nothing to come back to. @param {string | undefined} why */
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

  /** @param {number} seat */
  seatName(seat) {
    return this.names[seat];
  }

  /** @param {Parameters<Felt["draw"]>[2]} news @param {boolean} first */
  draw(news, first) {
    const { state } = this;
    const over = state.status === "over";
    this.names = distinct(state.seats.map((seat) => called(seat, state.game)));
    const clocks = this.clock.draw(state);
    const places = state.seats.map((seat, i) => ({
      ...seat,
      name: this.seatName(i),
      own: seat.kind === "agent" ? seat.name : "",
      place: state.places_paid ? seat.place : 0,
      clock: clocks[i],
      stands: state.to_beat?.by === i,
      bid: dueAt(state.status) ? seat.bid : null, // then the stake says it
      doubled: seat.doubled || dueAt(state.status) ? seat.doubled : null, // who has not is of interest while others are asked
      cards: over && i !== state.seat && state.result?.hands?.[i]?.length ? inOrder(state.result.hands[i], settings.get("sort")) : null,
    }));
    this.element.dataset.version = state.version;
    this.hand.set(state.hand ?? []);
    this.felt.draw(places, this.mine, news);
    if (first && settings.moves() && !state.history.length) this.hand.deal();
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
    redraw(this.bar, barFor(this));
  }

  /** What is settled before the deal. */
  drawWaiting() {
    /** @param {Server.table_to_server} message */
    const send = (message) => this.live.send(message);
    redraw(
      this.waitingRoom,
      waitingRoom(this.state, send, (hints) => this.join(hints)),
    );
  }

  drawCounter() {
    put(this.counter, countsOf(this.state.unseen));
  }

  drawMiddle() {
    const beat = this.state.to_beat;
    const { status } = this.state;
    const others = beat && beat.by !== this.state.seat && status === "playing";
    const words = others ? t("tobeat", { play: beat.label.replaceAll("T", "10"), name: this.seatName(beat.by) }) : "";
    put(this.felt.middle, h("div.tobeat", {}, status === "bidding" ? t("bid.about") : words));
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
    redraw(this.over, close, over);
    if (!wasEmpty) return;
    announce(this.over.querySelector("h2")?.textContent ?? "");
    this.over.focus({ preventScroll: true });
  }

  /** The result can be put aside to look at the cards, and called back. @param {boolean} shown */
  showOver(shown) {
    this.looksAtCards = !shown;
    this.drawOver();
    this.drawButtons();
    if (shown) this.over.focus({ preventScroll: true });
    else this.buttons.querySelector("[data-does=result]")?.focus({ preventScroll: true });
  }

  // -- buttons ------------------------------------------------------------------------------------------------------

  drawButtons() {
    redraw(this.buttons, buttonsFor(this));
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

  /** @param {string[]} cards */
  match(cards) {
    return matching(cards, this.state.legal);
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

  /** @param {Ask} message */
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

  /** @param {Server.HintOut} message */
  showHints(message) {
    this.asked = false;
    if (message.version !== this.state?.version) return;
    this.inform();
    if (message.bid !== null && message.bid !== undefined)
      return this.say(adviceInWords(dueAt(this.state.status), message.bid), "good");
    /** @param {Server.SuggestionOut} one */
    const held = (one) => ({ ...one, cards: asHeld(one.cards, this.state.hand) });
    const longer = message.can_think && !message.thinking ? () => this.send({ kind: "hint", think: true }) : null;
    this.advice.show(message.suggestions.map(held), agentName(message.agent, this.state.game), message.thinking ?? false, longer);
  }

  /** A suggestion was clicked. @param {import("./hint.js").Suggestion} one */
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

  /** @param {string} text */
  say(text, kind = "") {
    this.note.textContent = text;
    this.note.dataset.kind = kind;
  }

  /** What is to be done now; who looks at another tab sees by the title that it is their turn. */
  inform() {
    const { state } = this;
    this.waiting = false;
    document.title = document.title.replace(/^(● )?/, this.myTurn ? "● " : "");
    this.drawButtons();
    if (this.options.guide) this.showGuide();
    return this.say(...toDo(state, this.myTurn, (seat) => this.seatName(seat)));
  }

  showGuide() {
    const words = this.options.guide?.(this.state);
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
