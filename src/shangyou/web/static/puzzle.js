// Puzzles: all hands are known and one play alone keeps what can be forced. The solver plays the other seats. My streak of days
// is stored in this browser.

import * as api from "./api.js";
import { laid, name, row } from "./cards.js";
import { h, put, toast } from "./dom.js";
import { allGames, roleName } from "./games.js";
import { Hand } from "./hand.js";
import * as settings from "./settings.js";
import { t } from "./words.js";

/** @param {HTMLElement} root @param {string} game @param {string} number */
export async function showPuzzle(root, game, number) {
  const names = (await allGames()).map((one) => one.name);
  const puzzle = new Puzzle(root, names, names.includes(game) ? game : names[0], number);
  await puzzle.load();
  return () => puzzle.hand.close();
}

const today = () => new Date().toISOString().slice(0, 10);

/** How many days in a row, up to today or yesterday. @param {string[]} days */
export function streak(days) {
  const solved = new Set(days);
  const at = new Date(`${today()}T00:00Z`);
  /** @param {number} back */
  const day = (back) => new Date(at.getTime() - back * 864e5).toISOString().slice(0, 10);
  let back = solved.has(day(0)) ? 0 : 1;
  const first = back;
  while (solved.has(day(back))) back++;
  return back - first;
}

class Puzzle {
  /** @param {HTMLElement} root @param {string[]} names @param {string} game @param {string} number */
  constructor(root, names, game, number) {
    this.root = root;
    this.names = names;
    this.game = game;
    this.address = number ? `puzzles/${game}/${number}` : `puzzles/${game}`;
    this.daily = !number;
    /** @type {string[][]} */ this.moves = [];
    /** @type {Server.PuzzleOut} what the server said last */ this.shown = /** @type {any} */ (null);
    this.busy = false;
    this.hand = new Hand(() => this.buttons());
    this.table = h("div.felt.still.puzzle-table");
    this.does = h("p.links.puzzle-does");
    this.status = h("p.status", { role: "status", "aria-live": "polite" });
  }

  async load() {
    this.shown = await api.get(/** @type {any} */ (this.address));
    this.draw();
  }

  /** @param {string[]} cards */
  async move(cards) {
    if (this.busy) return;
    this.busy = true;
    try {
      const moves = [...this.moves, cards.map(name)];
      this.shown = await api.post(/** @type {any} */ (`puzzles/${this.game}/${this.shown.number}`), /** @type {any} */ ({ moves }));
      this.moves = moves;
      this.hand.clear();
      if (this.shown.status === "solved") this.remember();
    } catch (error) {
      toast(error.message);
    }
    this.busy = false;
    this.draw();
  }

  again() {
    this.moves = [];
    this.move0();
  }

  async move0() {
    this.shown = await api.get(/** @type {any} */ (`puzzles/${this.game}/${this.shown.number}`));
    this.draw();
  }

  remember() {
    if (!this.daily || this.days.includes(today())) return;
    settings.change({ puzzles: { ...settings.get("puzzles"), [this.game]: [...this.days, today()].slice(-400) } }, true);
  }

  get days() {
    return settings.get("puzzles")[this.game] ?? [];
  }

  // -- what is shown ------------------------------------------------------------------------------------------------

  /** @param {number} seat */
  who(seat) {
    const { me, landlord, hands } = this.shown;
    const roles = ["landlord", "after", "before"];
    const role = landlord === null ? "" : roleName(roles[(seat - landlord + hands.length) % hands.length]);
    const place = seat === me ? t("puzzle.me") : t("puzzle.seat", { n: (seat - me + hands.length) % hands.length });
    return role ? `${place} · ${role}` : place;
  }

  draw() {
    const { shown } = this;
    this.hand.set(shown.hands[shown.me]);
    const others = shown.hands.map((_, i) => (shown.me + i) % shown.hands.length).slice(1);
    put(
      this.table,
      h(
        "div.puzzle-seats",
        {},
        others.map((seat) =>
          h("div.puzzle-seat", { "data-seat": seat }, h("b", {}, this.who(seat)), shown.hands[seat].length ? row(shown.hands[seat]) : h("span", {}, t("puzzle.out"))),
        ),
      ),
      h(
        "div.puzzle-last",
        {},
        shown.last_by === null
          ? h("span", {}, shown.status === "open" ? t("puzzle.lead") : "")
          : [h("small", {}, t("puzzle.beat", { name: this.who(shown.last_by) })), laid({ cards: shown.last, label: "" })],
      ),
    );
    const days = streak(this.days);
    put(
      this.root,
      h(
        "div.puzzle",
        {},
        h(
          "header.head",
          {},
          h("h1", {}, t(this.daily ? "puzzle.today" : "puzzle.number", { n: shown.number }), h("small", {}, "★".repeat(shown.grade))),
          h(
            "p.links",
            {},
            this.names.map((one) =>
              h("a.button.small", { href: `#/puzzle/${one}`, "aria-current": one === this.game ? "page" : null }, t(`game.${one}`)),
            ),
          ),
          h("p", {}, shown.place ? t("puzzle.task.place", { n: shown.place }) : t("puzzle.task"), " ", !shown.champion && t("puzzle.hard")),
        ),
        this.table,
        h("div.puzzle-mine", {}, h("b", {}, this.who(shown.me)), this.hand.element, this.does),
        this.status,
        shown.line.length > 0 &&
          h("ol.list.puzzle-line", {}, shown.line.map((turn) => h("li", {}, h("b", {}, this.who(turn.seat)), turn.cards.length ? laid(turn) : t("pass")))),
        h(
          "p.links",
          {},
          days > 0 && h("span", {}, t("puzzle.streak", { n: days })),
          h("a.button.small", { href: `#/puzzle/${this.game}/${1 + ((shown.number * 7 + 3) % shown.count)}` }, t("puzzle.another")),
          h("span.key", {}, t("puzzle.count", { n: shown.count })),
        ),
      ),
    );
    this.buttons();
  }

  buttons() {
    const { shown } = this;
    if (!shown) return;
    const open = shown.status === "open";
    const chosen = this.hand.chosen;
    put(
      this.does,
      open && h("button.primary", { type: "button", "data-does": "play", disabled: !chosen.length || this.busy, onclick: () => this.move(chosen) }, t("puzzle.play")),
      open && shown.last_by !== null && h("button", { type: "button", "data-does": "pass", onclick: () => this.move([]) }, t("pass")),
      this.moves.length > 0 && h("button", { type: "button", "data-does": "again", onclick: () => this.again() }, t("puzzle.again")),
    );
    const said = { open: "", solved: t("puzzle.solved"), lost: t("puzzle.lost", { n: shown.spoiled_at, answer: shown.answer ?? "" }) };
    put(this.status, said[shown.status]);
  }
}
