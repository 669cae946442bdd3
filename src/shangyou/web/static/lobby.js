// The lobby: which game, against whom, by which rules. One click starts it.

import { aboutAgents } from "./agents.js";
import * as api from "./api.js";
import { row } from "./cards.js";
import { focus, focused, h, put, toast } from "./dom.js";
import { agentName } from "./felt.js";
import { allGames, gameUnder, lookOf, named, roleName } from "./games.js";
import { PublicTables, tableFields, withClock } from "./public_tables.js";
import * as settings from "./settings.js";
import { agentsFor, rulesText, start, strongestOf } from "./start.js";
import { ruleHelp, ruleName, ruleValue, t } from "./words.js";

const PACES = [0, 300, 700, 1500, 3000];
const PAPER = "paper/"; // agents of published experiments

/** @typedef {import("./settings.js").Wish} Wish */
/** @typedef {Omit<Server.RuleOut, "options"> & { options: any[] }} Field a rule with all it may be */

/** @param {HTMLElement} root */
export async function showLobby(root) {
  const lobby = new Lobby(root);
  await lobby.load();
  return () => lobby.people.close();
}

class Lobby {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Server.GameOut[]} */ this.games = [];
    /** @type {Record<string, Server.AgentOut[]>} by game and rules */ this.agents = {};
    /** @type {Record<string, Server.GameOut>} the games under the rules chosen */ this.under = {};
    /** @type {Partial<Server.MeOut>} */ this.me = {};
    this.last = ""; // the table I was at
    this.loaded = false;
    /** @type {Promise<void>} what I changed about me */ this.saving = Promise.resolve();
    const saved = settings.get("lobby");
    this.game = saved.game ?? "";
    this.wishes = saved.wishes ?? {};
    this.people = new PublicTables(
      () => this.game,
      () => this.introduce(),
    );
    this.draw();
  }

  async load() {
    /** @type {Promise<Partial<Server.MeOut>>} */ const asked = api.get("me").catch(() => ({}));
    try {
      this.games = await allGames();
      this.game = this.about.name;
      this.draw();
      this.me = await asked;
      if (this.me.nickname && !settings.get("nickname")) settings.change({ nickname: this.me.nickname }, true);
      await Promise.all([this.loadAgents(), this.findLast()]);
    } catch (error) {
      toast(error.message);
    }
    this.loaded = true;
    this.draw();
  }

  /** The table I was at, if the game there still goes on. */
  async findLast() {
    const id = settings.get("table");
    const table = id && (await api.get(`tables/${id}`).catch(() => null));
    this.last = table && ["open", "bidding", "doubling", "playing"].includes(table.status) ? id : "";
    if (!this.last) settings.change({ table: "" }, true);
  }

  /** Other rules, perhaps other players. */
  async refit() {
    await this.loadAgents().catch((error) => toast(error.message));
    this.draw();
  }

  async loadAgents() {
    const { game, rulesKey, wish } = this;
    if (this.agents[rulesKey]) return;
    [this.agents[rulesKey], this.under[rulesKey]] = await Promise.all([agentsFor(game, wish.rules), gameUnder(game, wish.rules)]);
  }

  /** What the server says of the game shown. */
  get about() {
    return named(this.games, this.game);
  }

  get rulesKey() {
    return `${this.game} ${rulesText(this.wish.rules)}`;
  }

  /** Who sits where. The strongest agent sits where none is chosen, or one that does not play by these rules. */
  get seats() {
    const agents = this.agents[this.rulesKey] ?? [];
    const names = ["me", "open", ...agents.map((agent) => agent.name)];
    return this.wish.seats.map((who) => (names.includes(who) ? who : strongestOf(agents)));
  }

  /** What is chosen for the game shown. @returns {Wish} */
  get wish() {
    const size = this.about.seats;
    const standard = {
      seats: Array.from({ length: size }, (_, i) => (i ? "" : "me")),
      rules: {},
      pace: 700,
      hints: true,
    };
    const wish = { ...standard, ...this.wishes[this.game] };
    return wish.seats.length === size ? wish : { ...wish, seats: standard.seats };
  }

  /** @param {Partial<Wish>} part */
  change(part) {
    this.wishes[this.game] = { ...this.wish, ...part };
    settings.change({ lobby: { game: this.game, wishes: this.wishes } }, true);
    this.draw();
  }

  /** @param {string} game */
  async choose(game) {
    this.game = game;
    settings.change({ lobby: { game, wishes: this.wishes } }, true);
    this.draw();
    await this.refit();
    focus(this.root, `[data-game="${game}"]`);
  }

  draw() {
    if (!this.games.length) return put(this.root, h("div.lobby", { "aria-busy": "true" }, hero()));
    const had = focused(this.root);
    const open = [...this.root.querySelectorAll("details")].filter((one) => one.open).map((one) => one.className);
    put(
      this.root,
      h(
        "div.lobby",
        { "aria-busy": String(!this.loaded || !this.agents[this.rulesKey]) },
        hero(),
        h(
          "div.tiles",
          { role: "radiogroup", "aria-label": t("choose.game") },
          this.games.map((game) => this.tile(game)),
        ),
        h("div.setup", {}, this.table(), h("div", {}, this.people.element, this.person())),
      ),
    );
    open.forEach((name) => this.root.querySelector(`details.${name}`)?.setAttribute("open", ""));
    focus(this.root, had);
  }

  /** @param {Server.GameOut} about */
  tile({ name: game, seats }) {
    const on = game === this.game;
    return h(
      "button.tile",
      { type: "button", role: "radio", "aria-checked": String(on), "data-game": game, onclick: () => this.choose(game) },
      h("span.show", { "aria-hidden": "true" }, row(lookOf(game).shown)),
      h("strong", {}, t(`game.${game}`)),
      h("span.players", {}, t("players", { n: seats })),
      h("span.line", {}, t(`game.${game}.line`)),
    );
  }

  table() {
    const { wish } = this;
    return h(
      "section.panel.wishes",
      {},
      h("h2", {}, t("seats")),
      wish.seats.map((_, seat) => this.seat(seat)),
      aboutAgents(this.seats.filter(Boolean)),
      h("button.go", { type: "button", onclick: () => this.play() }, t("go"), h("small", {}, t(`game.${this.game}`))),
      h("div.pair", {}, this.hints(), this.pace()),
      tableFields(wish, (part) => this.change(part)),
      this.ruleFields(),
      this.about.team_rules !== null && h("p", {}, h("a.button", { href: "#/match" }, t("match.offer"))),
    );
  }

  /** @param {number} seat */
  seat(seat) {
    const agents = this.agents[this.rulesKey]?.map((agent) => agent.name) ?? [];
    const sits = this.seats[seat] ?? "";
    /** @param {any} value @param {string} text */
    const option = (value, text) => h("option", { value, selected: sits === value }, text);
    const [printed, ours] = [true, false].map((wanted) => agents.filter((name) => name.startsWith(PAPER) === wanted));
    return h(
      "label.field",
      {},
      h("span", {}, this.seatName(seat)),
      h(
        "select",
        { "data-seat": seat, onchange: (event) => this.sit(seat, event.target.value) },
        option("me", t("me")),
        option("open", t("friend")),
        sits ? null : option("", "…"), // until the agents are known
        ours.map((name) => option(name, agentName(name))),
        printed.length
          ? h("optgroup", { label: t("of.papers") }, printed.map((name) => option(name, name.slice(PAPER.length))))
          : null,
      ),
    );
  }

  /** @param {number} seat */
  seatName(seat) {
    const role = (this.under[this.rulesKey] ?? this.about).roles[seat];
    return role ? roleName(role) : t("seat.n", { n: seat + 1 });
  }

  /** I sit in one seat; whoever had it moves to mine. @param {number} seat @param {string} who */
  sit(seat, who) {
    const seats = [...this.wish.seats];
    const mine = seats.indexOf("me");
    if (who === "me" && mine >= 0) seats[mine] = seats[seat];
    seats[seat] = who;
    if (!seats.includes("me")) seats[(seat + 1) % seats.length] = "me";
    this.change({ seats });
  }

  hints() {
    return h(
      "label.switch",
      {},
      h("input", {
        type: "checkbox",
        name: "hints",
        checked: this.wish.hints,
        onchange: (event) => this.change({ hints: event.target.checked }),
      }),
      h("span", {}, t("hints.allow")),
    );
  }

  pace() {
    return h(
      "label.field",
      {},
      h("span", {}, t("pace")),
      h(
        "select",
        { name: "pace", onchange: (event) => this.change({ pace: Number(event.target.value) }) },
        PACES.map((ms) => h("option", { value: String(ms), selected: this.wish.pace === ms }, t(`pace.${ms}`))),
      ),
    );
  }

  ruleFields() {
    const fields = this.about.rules.map((field) => ({ ...field, options: optionsOf(field) }));
    if (!fields.length) return null;
    return h(
      "details.rules",
      {},
      h("summary", {}, t("rules"), this.changedRules()),
      fields.map((field) => this.rule(field)),
    );
  }

  changedRules() {
    const number = Object.keys(this.wish.rules).length;
    return number ? h("span.mark", {}, t("rules.changed", { n: number })) : null;
  }

  /** @param {Field} field */
  rule(field) {
    const value = this.wish.rules[field.name] ?? field.default;
    /** @param {any} chosen */
    const set = (chosen) => {
      const rules = { ...this.wish.rules, [field.name]: chosen };
      if (chosen === field.default) delete rules[field.name];
      this.change({ rules });
      this.refit();
    };
    const help = h("small", {}, ruleHelp(field));
    if (typeof field.default === "boolean")
      return h(
        "label.switch",
        {},
        h("input", { type: "checkbox", name: field.name, checked: value, onchange: (event) => set(event.target.checked) }),
        h("span", {}, ruleName(field.name), help),
      );
    const input =
      field.options.length > 30
        ? h("input", {
            type: "number",
            name: field.name,
            min: field.options[0],
            max: field.options.at(-1),
            value,
            onchange: (event) => set(Number(event.target.value)),
          })
        : h(
            "select",
            { name: field.name, onchange: (event) => set(field.options[event.target.selectedIndex]) },
            field.options.map((one) => h("option", { value: String(one), selected: one === value }, ruleValue(one))),
          );
    return h("label.field", {}, h("span", {}, ruleName(field.name), help), input);
  }

  person() {
    const { last } = this;
    return h(
      "section.panel.person",
      {},
      h("h2", {}, t("about")),
      h(
        "label.field",
        {},
        h("span", {}, t("nickname")),
        h("input", {
          name: "nickname",
          maxlength: 24,
          autocomplete: "nickname",
          placeholder: t("nickname.none"),
          value: settings.get("nickname"),
          oninput: (event) => settings.change({ nickname: event.target.value.trim() }, true),
          onchange: () => this.introduce(),
        }),
      ),
      last && h("p", {}, h("a.button.primary", { href: `#/table/${last}` }, t("resume"))),
      h("p", {}, h("a.button", { href: "#/learn" }, t("learn.offer"))),
      h(
        "div.notice",
        {},
        h("h3", {}, t("stored")),
        h("p", {}, t("stored.text")),
        h(
          "label.switch",
          {},
          h("input", {
            type: "checkbox",
            name: "keep",
            checked: this.me.keep ?? true,
            onchange: (event) => this.saveMe({ keep: event.target.checked }),
          }),
          h("span", {}, t("stored.switch")),
        ),
        h("p", {}, h("a", { href: "#/records" }, t("stored.mine"))),
      ),
    );
  }

  /** Sends my nickname to the server before any other request. */
  async introduce() {
    await this.saving;
    const nickname = settings.get("nickname");
    if (nickname !== (this.me.nickname ?? "")) await this.saveMe({ nickname });
  }

  /** One request at a time: the first of them sets the cookie. @param {Server.Me} change */
  saveMe(change) {
    this.saving = this.saving.then(async () => {
      try {
        this.me = await api.post("me", change);
      } catch (error) {
        toast(error.message);
      }
    });
    return this.saving;
  }

  async play() {
    this.root.querySelector(".go")?.setAttribute("disabled", "");
    await this.introduce();
    await this.loadAgents().catch((error) => toast(error.message));
    if (!(await start(withClock({ game: this.game, ...this.wish, seats: this.seats })))) this.draw();
  }
}

const hero = () => h("section.hero", {}, h("h1", {}, t("hero")), h("p", {}, t("hero.text")));

/** The server sends a long range as its ends. @param {Server.RuleOut} field @returns {(number | string | boolean)[]} */
function optionsOf(field) {
  if (Array.isArray(field.options)) return field.options;
  const { from, to } = field.options;
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
