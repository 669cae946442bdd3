// A position of cards put down by taps, or typed in: what would the champion do? The address holds the whole of it.

import * as api from "./api.js";
import { Board } from "./board.js";
import { name, sorted, split, without } from "./cards.js";
import { copy, h, put } from "./dom.js";
import { allGames, lookOf, named, roleName } from "./games.js";
import { bars } from "./hint.js";
import { fullName } from "./names.js";
import { t } from "./words.js";

const SETTLED = 250; // milliseconds without a change after which the server is asked whether the position is right

/** @param {HTMLElement} root @param {URLSearchParams} query */
export async function showEditor(root, query) {
  const editor = new Editor(root, await allGames(), Object.fromEntries(query));
  editor.draw();
  if (query.get("hand")) editor.ask();
  return () => clearTimeout(editor.settling);
}

class Editor {
  /** @param {HTMLElement} root @param {Server.GameOut[]} games @param {Record<string, string>} fields */
  constructor(root, games, fields) {
    this.root = root;
    this.games = games;
    this.game = named(games, fields.game);
    this.fields = fields.hand ? fields : { ...lookOf(this.game.name).example };
    this.answer = h("section.panel.answer", { "aria-live": "polite" });
    this.status = h("p.status", { role: "status" });
    this.lefts = h("div.lefts", { role: "group", "aria-label": t("pos.left") });
    /** @type {Record<string, number>} how many there are of each card */ this.pack = {};
    /** @type {any} */ this.board = null;
    /** @type {any} the position as text */ this.texts = null;
    /** @type {any} */ this.settling = undefined;
    this.checks = 0;
  }

  // -- the cards ----------------------------------------------------------------------------------------------------

  get piles() {
    const { seats, public_size } = this.game;
    const played = Array.from({ length: seats }, (_, seat) => ({
      name: `played${seat}`,
      label: seat ? t("pos.played.of", { n: seat }) : t("pos.played.me"),
    }));
    return [
      { name: "hand", label: t("hand") },
      ...(public_size ? [{ name: "public", label: t("public") }] : []),
      { name: "last", label: t("pos.last") },
      ...played,
    ];
  }

  /** Where the cards of the play to beat were put down. */
  get source() {
    return `played${this.fields.last_by || this.game.seats - 1}`;
  }

  /** @param {string} pile */
  cardsOf(pile) {
    return split(this.fields[pile] ?? "");
  }

  /** @param {string} pile @param {string} card */
  count(pile, card) {
    return this.cardsOf(pile).filter((one) => one === card).length;
  }

  /** The play to beat is among what its seat played, and public cards are in a hand or played: only the others take from the pack. @param {string} pile @param {string} card */
  rest(pile, card) {
    const all = this.pack[card] ?? 0;
    if (pile === "public") return this.cardsOf(pile).length < this.game.public_size ? all - this.count(pile, card) : 0;
    const taken = this.piles.filter((one) => one.name !== "last" && one.name !== "public");
    const rest = all - taken.reduce((sum, one) => sum + this.count(one.name, card), 0);
    return pile === "last" ? rest + this.count(this.source, card) - this.count("last", card) : rest;
  }

  /** @param {string} pile @param {string} card */
  add(pile, card) {
    this.lay(pile, [...this.cardsOf(pile), card]);
    if (pile === "last" && this.count("last", card) > this.count(this.source, card)) this.lay(this.source, [...this.cardsOf(this.source), card]);
  }

  /** @param {string} pile @param {string} card */
  remove(pile, card) {
    this.lay(pile, without(this.cardsOf(pile), [card]));
    if (pile === this.source && this.count("last", card) > this.count(pile, card)) this.lay("last", without(this.cardsOf("last"), [card]));
  }

  /** Somebody else made the play to beat: its cards are theirs. @param {string} seat */
  moveLast(seat) {
    const cards = this.cardsOf("last");
    this.lay(this.source, without(this.cardsOf(this.source), cards));
    this.change("last_by", seat);
    this.lay(this.source, [...this.cardsOf(this.source), ...cards]);
    this.board.draw();
  }

  /** @param {string} pile @param {string[]} cards */
  lay(pile, cards) {
    const text = sorted(cards).join(this.game.suits ? " " : "");
    this.change(pile, this.game.suits ? text : text.replace(/(.)\1*/g, "$& ").trim());
    const input = this.texts.querySelector(`[name="${pile}"]`);
    if (input) input.value = this.fields[pile];
  }

  /** @param {string} field @param {string} value */
  change(field, value) {
    this.fields = { ...this.fields, [field]: value };
    put(this.answer);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.check(), SETTLED);
  }

  // -- drawing ------------------------------------------------------------------------------------------------------

  draw() {
    this.pack = Object.fromEntries(Object.entries(this.game.pack).map(([card, copies]) => [name(card), copies]));
    this.texts = this.textFields();
    this.board = new Board({
      pack: this.pack,
      piles: this.piles,
      cardsOf: (pile) => this.cardsOf(pile),
      rest: (pile, card) => this.rest(pile, card),
      add: (pile, card) => this.add(pile, card),
      remove: (pile, card) => this.remove(pile, card),
    });
    const onsubmit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.share();
      this.ask();
    };
    put(
      this.root,
      h(
        "div.editor",
        {},
        h("header.head", {}, h("h1", {}, t("menu.position")), h("p", {}, t("pos.text"))),
        h(
          "div.columns",
          {},
          h("form.panel.position", { onsubmit }, this.choices(), this.board.element, this.lefts, this.status, this.links()),
          h("div.stack", {}, this.answer, this.texts),
        ),
      ),
    );
    this.check();
  }

  choices() {
    const games = this.games.map((game) => [game.name, t(`game.${game.name}`)]);
    const seats = Array.from({ length: this.game.seats - 1 }, (_, i) => String(i + 1));
    const roles = this.game.roles.map((role) => [role, roleName(role)]);
    return h(
      "div.choices",
      {},
      select("game", t("choose.game"), games, this.game.name, (game) => this.play(game)),
      roles.length > 0 && select("role", t("pos.role"), roles, this.fields.role, (role) => this.change("role", role)),
      select(
        "last_by",
        t("pos.last.of"),
        [["", t("pos.before")], ...seats.map((seat) => [seat, t("pos.seat", { n: seat })])],
        this.fields.last_by ?? "",
        (seat) => this.moveLast(seat),
      ),
    );
  }

  /** Everything as it is written in records and on the command line. */
  textFields() {
    const names = [...this.piles, { name: "left", label: t("pos.left") }, { name: "history", label: t("pos.history") }];
    return h(
      "details.panel.astext",
      {},
      h("summary", {}, t("pos.astext")),
      names.map(({ name: field, label }) => {
        const oninput = (/** @type {any} */ event) => {
          this.change(field, event.target.value);
          this.board.draw();
        };
        const props = { name: field, value: this.fields[field] ?? "", autocomplete: "off", spellcheck: "false", oninput };
        return h("label.field", {}, h("span", {}, label), field === "history" ? h("textarea", { ...props, rows: 2 }) : h("input", props));
      }),
    );
  }

  links() {
    const onclick = () => {
      this.share();
      copy(location.href, t("link.copied"));
    };
    return h(
      "p.links",
      {},
      h("button.primary", { type: "submit", "data-does": "ask" }, t("pos.ask")),
      h("button", { type: "button", "data-does": "empty", onclick: () => this.clear() }, t("clear")),
      h("button", { type: "button", onclick }, t("link.copy")),
    );
  }

  /** @param {string} game */
  play(game) {
    this.game = named(this.games, game);
    this.restart(lookOf(game).example);
  }

  clear() {
    this.restart(this.fields.role ? { role: this.fields.role } : {});
  }

  /** @param {Record<string, string>} fields */
  restart(fields) {
    this.fields = { ...fields };
    put(this.answer);
    put(this.lefts);
    this.draw();
  }

  // -- the server ---------------------------------------------------------------------------------------------------

  share() {
    const fields = Object.entries(this.fields).filter(([field, value]) => value && field !== "game");
    const query = new URLSearchParams({ game: this.game.name, ...Object.fromEntries(fields) });
    history.replaceState(null, "", `#/position?${query}`);
  }

  /** The body of the request. */
  request() {
    const text = (/** @type {string} */ field) => (this.fields[field] ?? "").trim();
    const played = Array.from({ length: this.game.seats }, (_, seat) => text(`played${seat}`));
    /** @type {any} */ const body = { game: this.game.name, hand: text("hand") };
    if (played.some(Boolean)) body.played = played;
    for (const field of ["last", "public", "history"]) if (text(field)) body[field] = text(field);
    if (text("last") && text("last_by")) body.last_by = Number(text("last_by"));
    if (text("left")) body.left = text("left").split(/[\s,/]+/).map(Number);
    if (this.game.roles.length) body.role = text("role") || this.game.roles[0];
    return body;
  }

  /** Whether there can be such a position; what is wrong is told beside the pile it is about. */
  async check() {
    const number = ++this.checks;
    /** @type {any} */ let error = null;
    const legal = await api.post("legal", this.request()).catch((refused) => {
      error = refused;
      return [];
    });
    if (number !== this.checks) return; // it has changed since
    const pile = error ? this.pileOf(error.words) : "";
    this.board.blame(pile, error?.message ?? "");
    this.status.className = `status ${error ? "bad" : "good"}`;
    this.status.textContent = error ? (pile ? "" : error.message) : t("pos.legal", { n: legal.length });
    this.offerLefts(error?.words);
  }

  /** The pile a refusal of the server is about. @param {any} [words] */
  pileOf(words) {
    const { why = "", values = {} } = words ?? {};
    const seat = values.seat ?? values.what?.values?.seat;
    if (why === "my_cards" || why === "history_hand") return "hand";
    if (why === "no_last" || why.startsWith("last_")) return "last";
    if (why.startsWith("public_")) return "public";
    if (why === "seen_too_many" || why.startsWith("played_") || why === "seat_out") return seat === undefined ? "hand" : `played${seat}`;
    const cards = split(values.cards ?? "").map(name).sort().join();
    return cards ? (this.piles.find((pile) => this.cardsOf(pile.name).sort().join() === cards)?.name ?? "") : "";
  }

  /** How many cards the others hold, where that does not follow: the server says what it may be. @param {any} [words] */
  offerLefts(words) {
    if (words?.why !== "left_needed" && words?.why !== "left_wrong") return;
    const choose = (/** @type {string} */ left) => {
      this.change("left", left);
      this.texts.querySelector("[name=left]").value = left;
      [...this.lefts.querySelectorAll("button")].forEach((one) => one.setAttribute("aria-pressed", String(one.textContent === left)));
    };
    const one = (/** @type {string} */ left) => h("button.small", { type: "button", "aria-pressed": "false", onclick: () => choose(left) }, left);
    put(this.lefts, h("span", {}, t("pos.left")), [words.values.options].flat().map(one));
  }

  async ask() {
    put(this.answer, h("p.key", {}, t("thinking")));
    const { fields } = this;
    const shown = await api.post("suggest", this.request()).then(
      (answer) => [h("h2", {}, t("pos.answer"), h("small", {}, fullName(answer.agent, this.game.name))), bars(answer.suggestions, undefined, { top: 10 })],
      (error) => h("p.bad", {}, error.message),
    );
    if (fields !== this.fields) return; // it is about another position
    put(this.answer, shown);
    this.answer.scrollIntoView({ block: "nearest" });
  }
}

/** @param {string} field @param {string} label @param {string[][]} options @param {string} value @param {(value: string) => void} onchange */
const select = (field, label, options, value, onchange) =>
  h(
    "label.field",
    {},
    h("span", {}, label),
    h(
      "select",
      { name: field, onchange: (event) => onchange(event.target.value) },
      options.map(([one, text]) => h("option", { value: one, selected: one === value }, text)),
    ),
  );
