// Finding other people: quick match, public tables that wait, my running games; and what is settled for a table with others.

import * as api from "./api.js";
import { h, redraw, toast } from "./dom.js";
import { called } from "./names.js";
import * as settings from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./settings.js").Wish} Wish */

const EVERY = 4000; // milliseconds between two looks at the server
/** @type {Record<string, Server.ClockWish | null>} */
const CLOCKS = {
  none: null,
  fast: { move: 10, reserve: 30 },
  normal: { move: 20, reserve: 60 },
  calm: { move: 60, reserve: 300 },
};

/** The panel of the lobby; it looks again by itself for as long as it is shown. */
export class PublicTables {
  /** @param {() => string} game the game chosen @param {() => Promise<any>} introduce sends my nickname */
  constructor(game, introduce) {
    this.game = game;
    this.introduce = introduce;
    this.tables = h("div.waitingtables");
    this.mine = h("div.mytables");
    this.element = h(
      "section.panel.people",
      {},
      h("h2", {}, t("people")),
      h("button.primary.quick", { type: "button", "data-does": "quick", onclick: () => this.quick() }, t("quick")),
      h("p.key", {}, t("quick.text")),
      this.mine,
      this.tables,
      h("p", {}, h("a", { href: "#/bots" }, t("bots.offer"))),
    );
    this.looking = setInterval(() => this.look(), EVERY);
    this.look();
  }

  async look() {
    if (document.visibilityState === "hidden") return;
    const mine = api.get("me").then((me) => (me.known ? api.get("me/tables") : []));
    const found = await Promise.all([api.get("tables"), mine]).catch(() => null); // the next look tells
    if (!found || JSON.stringify(found) === this.shown) return;
    this.shown = JSON.stringify(found);
    const [tables, running] = found;
    const others = tables.filter((table) => !table.mine);
    redraw(this.mine, running.length > 0 && [h("h3", {}, t("mytables")), h("ul.list", {}, running.map(myTable))]);
    const waiting = others.length ? h("ul.list", {}, others.map((table) => this.waiting(table))) : h("p.key", {}, t("public.none"));
    redraw(this.tables, h("h3", {}, t("public.tables")), waiting);
  }

  /** @param {Server.PublicTable} table */
  waiting(table) {
    const names = table.seats.map((seat) => called(seat, table.game)).join(" · ");
    return h(
      "li",
      { "data-table": table.table },
      h("strong", {}, t(`game.${table.game}`)),
      h("small", {}, names, table.clock && `, ${clockText(table.clock)}`, !table.rated && `, ${t("practice")}`),
      h("button.small", { type: "button", "data-does": "join-public", onclick: () => this.join(table.table) }, t("join")),
    );
  }

  async quick() {
    await this.sit(() => api.post("quick", { game: this.game() }));
  }

  /** @param {string} id */
  async join(id) {
    await this.sit(() => api.post(`tables/${id}/join`));
  }

  /** @param {() => Promise<Server.SeatTaken>} ask */
  async sit(ask) {
    try {
      await this.introduce();
      const { table } = await ask();
      settings.change({ table }, true);
      location.hash = `#/table/${table}`;
    } catch (error) {
      toast(error.message);
      this.shown = "";
      this.look();
    }
  }

  close() {
    clearInterval(this.looking);
  }
}

/** @param {Server.MyTable} table */
function myTable(table) {
  const others = table.seats.map((seat) => called(seat, table.game)).join(" · ");
  return h(
    "li",
    {},
    h("a", { href: `#/table/${table.table}` }, t(`game.${table.game}`)),
    h("small", {}, others),
    table.my_turn && h("span.mark.made", {}, t("mytables.turn")),
    table.status === "open" && h("span.mark", {}, t("mytables.open")),
  );
}

/** @param {Server.ClockOut} clock */
const clockText = (clock) => t("clock.text", clock);

/**
 * What is settled when a table is opened: a clock, and with an open seat whether everybody finds it.
 * @param {Wish} wish @param {(part: Partial<Wish>) => void} change
 */
export function tableFields(wish, change) {
  const clock = wish.clock ?? "none";
  /** @param {any} event */
  const pick = (event) => change({ clock: event.target.value, listed: event.target.value !== "none" && wish.listed });
  /** @param {any} event */
  const list = (event) => change({ listed: event.target.checked, clock: event.target.checked && clock === "none" ? "normal" : clock });
  /** @param {string} name */
  const option = (name) =>
    h("option", { value: name, selected: name === clock }, CLOCKS[name] ? clockText(CLOCKS[name]) : t("clock.none"));
  return [
    h("label.field", {}, h("span", {}, t("clock")), h("select", { name: "clock", onchange: pick }, Object.keys(CLOCKS).map(option))),
    wish.seats.includes("open") &&
      h(
        "label.switch",
        {},
        h("input", { type: "checkbox", name: "listed", checked: wish.listed ?? false, onchange: list }),
        h("span", {}, t("public.open")),
      ),
  ];
}

/**
 * The wish as the server takes it.
 * @param {Wish & { game: string }} wish
 */
export function withClock(wish) {
  return { ...wish, clock: CLOCKS[wish.clock ?? "none"], listed: Boolean(wish.listed) && wish.seats.includes("open") };
}
