// The lobby: which game, against whom. One click starts it; everything else that can be chosen is under "More".

import { aboutAgents } from "./agents.js";
import * as api from "./api.js";
import { row } from "./cards.js";
import { DailyLine } from "./daily_line.js";
import { focus, focused, h, put, toast, whenLetGo } from "./dom.js";
import { allGames, gameUnder, lookOf, named, roleName } from "./games.js";
import { changedRules, ruleFields } from "./house_rules.js";
import { levelChosen, levelPicker, levelsFor } from "./levels.js";
import { fullName } from "./names.js";
import { PublicTables, tableFields, withClock } from "./public_tables.js";
import * as settings from "./settings.js";
import { agentsFor, rulesText, start, strongestOf } from "./start.js";
import { t } from "./words.js";

const PACES = [0, 300, 700, 1500, 3000];
const PAPER = "paper/"; // agents of published experiments

/** @typedef {import("./settings.js").Wish} Wish */
/** @typedef {{ agents: Server.AgentOut[], levels: Server.LevelsOut, about: Server.GameOut }} Known a game under some rules, and who plays it */

/** @param {HTMLElement} root */
export async function showLobby(root) {
  const lobby = new Lobby(root);
  lobby.today.load(); // nothing else waits for it
  await lobby.load();
  return () => {
    lobby.people.close();
    lobby.today.close();
  };
}

class Lobby {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Server.GameOut[]} */ this.games = [];
    /** @type {Record<string, Known>} by game and rules */ this.under = {};
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
    this.today = new DailyLine();
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
      await Promise.all([this.loadOpponents(), this.findLast()]);
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
    await this.loadOpponents().catch((error) => toast(error.message));
    this.draw();
  }

  async loadOpponents() {
    const { game, rulesKey } = this;
    const { rules } = this.wish;
    if (this.under[rulesKey]) return;
    const [agents, levels, about] = await Promise.all([agentsFor(game, rules), levelsFor(game, rules), gameUnder(game, rules)]);
    this.under[rulesKey] = { agents, levels, about };
  }

  /** What the server says of the game shown. */
  get about() {
    return named(this.games, this.game);
  }

  get rulesKey() {
    return `${this.game} ${rulesText(this.wish.rules)}`;
  }

  /** What is known of the game under the rules chosen; nothing until the server has answered. @returns {Known} */
  get known() {
    const nobody = { game: this.game, rules: "", contestants: 0, levels: [] };
    return this.under[this.rulesKey] ?? { agents: [], levels: nobody, about: this.about };
  }

  /** Who sits where. An agent of the level chosen sits where none is named, or one that does not play by these rules. */
  get seats() {
    const { agents, levels } = this.known;
    const names = ["me", "open", ...agents.map((agent) => agent.name)];
    const other = levelChosen(this.game, levels.levels)?.agent ?? strongestOf(agents);
    return this.wish.seats.map((who) => (names.includes(who) ? who : other));
  }

  /** The level at which all opponents play, if there is one. */
  get level() {
    const { levels } = this.known.levels;
    const agents = [...new Set(this.seats.filter(isAgent))];
    if (!agents.length) return levelChosen(this.game, levels);
    return agents.length === 1 ? levels.find((one) => one.agent === agents[0]) : undefined;
  }

  /** What is chosen for the game shown. @returns {Wish} */
  get wish() {
    const size = this.about.seats;
    const standard = {
      seats: Array.from({ length: size }, (_, i) => (i ? "" : "me")),
      rules: this.about.usual,
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
    whenLetGo(this.root, () => this.drawNow());
  }

  drawNow() {
    if (!this.games.length) return put(this.root, h("div.lobby", { "aria-busy": "true" }, hero(this.today)));
    const had = focused(this.root);
    const open = [...this.root.querySelectorAll("details")].filter((one) => one.open).map((one) => one.className);
    put(
      this.root,
      h(
        "div.lobby",
        { "aria-busy": String(!this.loaded || !this.under[this.rulesKey]) },
        hero(this.today),
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
    return h(
      "section.panel.wishes",
      {},
      h("button.go", { type: "button", onclick: () => this.play() }, t("go"), h("small", {}, this.chosen())),
      h("h2", {}, t("levels")),
      levelPicker(this.known.levels, this.level, (level) => this.pickLevel(level)),
      this.hints(),
      this.more(),
    );
  }

  /** What a click will start. */
  chosen() {
    const level = this.seats.some(isAgent) && this.level;
    return [t(`game.${this.game}`), level && t(`level.${level.level}`)].filter(Boolean).join(" · ");
  }

  /** All who are no people play at this level. @param {string} level */
  pickLevel(level) {
    this.change({ level, seats: this.wish.seats.map((who) => (isAgent(who) ? "" : who)) });
  }

  more() {
    const { wish } = this;
    const changed = changedRules(this.about, wish.rules);
    return h(
      "details.more",
      {},
      h(
        "summary",
        {},
        t("more"),
        h("small", {}, t("more.text")),
        wish.seats.includes("open") && h("span.mark", {}, t("friend")),
        changed > 0 && h("span.mark", {}, t("rules.changed", { n: changed })),
      ),
      h("h3", {}, t("seats")),
      wish.seats.map((_, seat) => this.seat(seat)),
      aboutAgents(this.seats, this.game),
      this.pace(),
      tableFields(wish, (part) => this.change(part)),
      h("h3", {}, t("rules")),
      ruleFields(this.about, wish.rules, (rules) => {
        this.change({ rules });
        this.refit();
      }),
    );
  }

  /** @param {number} seat */
  seat(seat) {
    const agents = this.known.agents.map((agent) => agent.name);
    const sits = this.seats[seat] ?? "";
    /** @param {any} value @param {string} text */
    const option = (value, text) => h("option", { value, selected: sits === value }, text);
    /** @param {string} name */
    const agent = (name) => option(name, fullName(name, this.game));
    const [printed, ours] = [true, false].map((wanted) => agents.filter((name) => name.startsWith(PAPER) === wanted));
    return h(
      "label.field",
      {},
      h("span", {}, this.seatName(seat)),
      h(
        "select",
        { name: `seat${seat}`, "data-seat": seat, onchange: (event) => this.sit(seat, event.target.value) },
        option("me", t("me")),
        option("open", t("friend")),
        sits ? null : option("", "…"), // until the agents are known
        ours.map(agent),
        printed.length ? h("optgroup", { label: t("of.papers") }, printed.map(agent)) : null,
      ),
    );
  }

  /** @param {number} seat */
  seatName(seat) {
    const role = this.known.about.roles[seat];
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

  person() {
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
      this.offers(),
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

  /** What else there is to do here. */
  offers() {
    /** @param {string} href @param {string} text */
    const offer = (href, text, look = "") => h("p", {}, h("a.button", { href, class: look }, text));
    return [
      this.last && offer(`#/table/${this.last}`, t("resume"), "primary"),
      offer("#/learn", t("learn.offer")),
      this.about.team_rules !== null && offer("#/match", t("match.offer")),
    ];
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
    await this.loadOpponents().catch((error) => toast(error.message));
    const { rules, pace, hints, clock, listed } = this.wish;
    if (!(await start(withClock({ game: this.game, rules, pace, hints, clock, listed, seats: this.seats })))) this.draw();
  }
}

/** @param {string} who */
const isAgent = (who) => who !== "me" && who !== "open";

/** @param {DailyLine} today */
const hero = (today) => h("section.hero", {}, h("h1", {}, t("hero")), h("p", {}, t("hero.text")), today.element);
