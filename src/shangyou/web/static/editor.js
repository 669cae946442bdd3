// A position typed in, or clicked together: what would the champion do? The address holds the whole of it.

import * as api from "./api.js";
import { RANKS, card, sign, sorted, split } from "./cards.js";
import { copy, h, put } from "./dom.js";
import { agentName } from "./felt.js";
import { allGames, lookOf, named, roleName } from "./games.js";
import { bars } from "./hint.js";
import * as settings from "./settings.js";
import { t } from "./words.js";

const SUITS = "shcd";

/** @param {HTMLElement} root @param {URLSearchParams} query */
export async function showEditor(root, query) {
  new Editor(root, await allGames(), Object.fromEntries(query)).draw();
}

/** @typedef {{ name: string, label: string, cards?: boolean, long?: boolean, options?: string[] }} Field */

class Editor {
  /** @param {HTMLElement} root @param {Server.GameOut[]} games @param {Record<string, string>} fields */
  constructor(root, games, fields) {
    this.root = root;
    this.games = games;
    this.game = named(games, fields.game);
    this.fields = fields.hand ? fields : { ...lookOf(this.game.name).example };
    this.target = "hand";
    this.answer = h("section.panel.answer", { "aria-live": "polite" });
    if (fields.hand) queueMicrotask(() => this.ask());
  }

  /** The fields a game has; cards can be clicked into those marked so. @returns {Field[]} */
  get names() {
    const { seats, roles, public_size } = this.game;
    const played = Array.from({ length: seats }, (_, seat) => ({
      name: `played${seat}`,
      label: seat ? t("pos.played.of", { n: seat }) : t("pos.played.me"),
      cards: true,
    }));
    return [
      { name: "hand", label: t("hand"), cards: true },
      ...(roles.length ? [{ name: "role", label: t("pos.role"), options: roles }] : []),
      ...(public_size ? [{ name: "public", label: t("public"), cards: true }] : []),
      { name: "last", label: t("pos.last"), cards: true },
      {
        name: "last_by",
        label: t("pos.lastby"),
        options: ["", ...Array.from({ length: seats - 1 }, (_, i) => String(i + 1))],
      },
      ...played,
      { name: "left", label: t("pos.left") },
      { name: "history", label: t("pos.history"), long: true },
    ];
  }

  draw() {
    put(
      this.root,
      h(
        "div.editor",
        {},
        h("header.head", {}, h("h1", {}, t("menu.position")), h("p", {}, t("pos.text"))),
        h(
          "div.columns",
          {},
          h(
            "form.panel.position",
            {
              onsubmit: (event) => {
                event.preventDefault();
                this.share();
                this.ask();
              },
            },
            h(
              "label.field",
              {},
              h("span", {}, t("choose.game")),
              h(
                "select",
                { name: "game", onchange: (event) => this.change(event.target.value) },
                this.games.map((game) => h("option", { value: game.name, selected: game === this.game }, t(`game.${game.name}`))),
              ),
            ),
            this.names.map((field) => this.field(field)),
            h("div.picker", { role: "group", "aria-label": t("pos.cards") }, this.picker()),
            h(
              "p.links",
              {},
              h("button.primary", { type: "submit", "data-does": "ask" }, t("pos.ask")),
              h("button", { type: "button", onclick: () => this.clear() }, t("clear")),
              h(
                "button",
                {
                  type: "button",
                  onclick: () => {
                    this.share();
                    copy(location.href, t("link.copied"));
                  },
                },
                t("link.copy"),
              ),
            ),
          ),
          h("div", {}, this.shown(), this.answer),
        ),
      ),
    );
  }

  /** @param {Field} field */
  field(field) {
    const value = this.fields[field.name] ?? "";
    /** @type {import("./dom.js").Props} */
    const props = {
      name: field.name,
      value,
      autocomplete: "off",
      spellcheck: "false",
      onfocus: () => this.aim(field),
      oninput: (event) => this.set(field.name, event.target.value),
    };
    const input = field.options
      ? h(
          "select",
          { ...props, onchange: (event) => this.set(field.name, event.target.value) },
          field.options.map((one) => h("option", { value: one, selected: one === value }, this.optionText(field.name, one))),
        )
      : field.long
        ? h("textarea", { ...props, rows: 2 })
        : h("input", { ...props, class: field.name === this.target ? "target" : "" });
    return h("label.field", {}, h("span", {}, field.label), input);
  }

  /** @param {string} name @param {string} value */
  optionText(name, value) {
    if (name === "role") return roleName(value);
    return value === "" ? t("pos.before") : t("pos.seat", { n: value });
  }

  /** Clicked cards go into the field that had the cursor last. @param {Field} field */
  aim(field) {
    if (!field.cards) return;
    this.target = field.name;
    this.root.querySelectorAll("input").forEach((input) => input.classList.toggle("target", input.name === field.name));
  }

  picker() {
    const cards =
      this.game.suits
        ? [...RANKS].flatMap((rank) => (rank === "S" || rank === "B" ? [rank] : [...SUITS].map((suit) => rank + suit)))
        : [...RANKS];
    return cards.map((text) =>
      h(
        "button.pick",
        {
          type: "button",
          class: "hd".includes(text[1] ?? "-") || text === "B" ? "red" : "",
          "aria-label": t("pos.add", { card: text }),
          onclick: () => this.add(text),
        },
        text[0] === "T" ? "10" : text[0] === "S" ? "☆" : text[0] === "B" ? "★" : text[0],
        sign(text[1] ?? ""),
      ),
    );
  }

  /** @param {string} text */
  add(text) {
    const input = /** @type {HTMLInputElement} */ (this.root.querySelector(`[name="${this.target}"]`));
    input.value = `${input.value.trimEnd()}${this.game.suits ? " " : ""}${text}`.trim();
    this.set(this.target, input.value);
  }

  /** @param {string} name @param {string} value */
  set(name, value) {
    this.fields = { ...this.fields, [name]: value };
    this.redrawShown();
  }

  /** @param {string} name */
  change(name) {
    this.game = named(this.games, name);
    this.fields = { ...lookOf(name).example };
    put(this.answer);
    this.draw();
  }

  clear() {
    this.fields = this.fields.role ? { role: this.fields.role } : {};
    put(this.answer);
    this.draw();
  }

  /** The position as cards. */
  shown() {
    this.picture = h("section.felt.still");
    this.redrawShown();
    return this.picture;
  }

  redrawShown() {
    const cards = sorted(split(this.fields.hand ?? ""), settings.get("sort"));
    const last = split(this.fields.last ?? "");
    /** @param {string} words @param {string[]} list */
    const line = (words, list) =>
      h(
        "div.line",
        {},
        h("small", {}, words),
        h(
          "span.row",
          { class: list.length > 12 ? "lots" : "many" },
          list.map((text) => card(text)),
        ),
      );
    put(
      this.picture,
      last.length ? line(t("tobeat.short"), last) : h("div.line", {}, h("small", {}, t("pos.lead"))),
      line(`${t("hand")} (${cards.length})`, cards),
    );
  }

  share() {
    const query = new URLSearchParams({
      game: this.game.name,
      ...Object.fromEntries(Object.entries(this.fields).filter(([key, value]) => value && key !== "game")),
    });
    history.replaceState(null, "", `#/position?${query}`);
  }

  /** The body of the request. */
  request() {
    /** @param {string} name */
    const text = (name) => (this.fields[name] ?? "").trim();
    const played = Array.from({ length: this.game.seats }, (_, seat) => text(`played${seat}`));
    /** @type {Server.Wish} */ const body = { game: this.game.name, hand: text("hand") };
    if (played.some(Boolean)) body.played = played;
    for (const name of /** @type {const} */ (["last", "public", "history"])) if (text(name)) body[name] = text(name);
    if (text("last_by")) body.last_by = Number(text("last_by"));
    if (text("left"))
      body.left = text("left")
        .split(/[\s,/]+/)
        .map(Number);
    if (this.game.roles.length) body.role = text("role") || this.game.roles[0];
    return body;
  }

  async ask() {
    put(this.answer, h("p.key", {}, t("thinking")));
    try {
      const answer = await api.post("suggest", this.request());
      put(
        this.answer,
        h("h2", {}, t("pos.answer"), h("small", {}, agentName(answer.agent))),
        bars(answer.suggestions, undefined, { top: 10 }),
      );
      this.answer.scrollIntoView({ block: "nearest" });
    } catch (error) {
      put(this.answer, h("p.bad", {}, error.message));
    }
  }
}
