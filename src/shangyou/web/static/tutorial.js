// Lessons: data with cards, a task and accepted answers. What is legal is asked of the server; here are no rules.

import * as api from "./api.js";
import { name, row, same, rankOf } from "./cards.js";
import { announce, h, put } from "./dom.js";
import { allGames } from "./games.js";
import { Hand } from "./hand.js";
import { typedIn } from "./keys.js";
import * as settings from "./settings.js";
import { start } from "./start.js";
import { language, t } from "./words.js";

/**
 * @typedef {{ en: string, zh: string }} Words
 * @typedef {{ title: Words, text: Words, show?: string[][], hand?: string[], beat?: string[], accept?: string[][], exact?: boolean, right?: Words,
 *             position?: Server.Position }} Step
 * @typedef {{ lead: Words, follow: Words, wait: Words, over: Words, turns?: Words[] }} Tips while a guided game goes on
 * @typedef {{ steps: Step[], guided: { seats: string[], rules?: string, seed: number, tips: Tips } }} Lessons
 */

/** @param {Words | undefined} words */
const inLanguage = (words) => words?.[language()] ?? words?.en ?? "";
/** @param {string} game @returns {Promise<Lessons>} */
const data = async (game) => (await fetch(`/lessons/${game}.json`)).json();

/** @param {HTMLElement} root @param {string} game */
export async function showTutorial(root, game) {
  const games = await allGames();
  if (!games.some((one) => one.name === game)) return drawChoice(root, games);
  const lessons = await data(game);
  const course = new Course(root, game, lessons);
  course.draw();
  return () => course.close();
}

/** Pages for those who know the rules, which have no place in the bar. */
const FURTHER = ["puzzle", "match", "progress"];

/** @param {HTMLElement} root @param {Server.GameOut[]} games */
function drawChoice(root, games) {
  const done = settings.get("lessons") ?? {};
  put(
    root,
    h(
      "div.learn",
      {},
      h("header.head", {}, h("h1", {}, t("menu.learn")), h("p", {}, t("learn.text"))),
      h(
        "div.tiles",
        {},
        games.map(({ name: game }) =>
          h(
            "a.tile",
            { href: `#/learn/${game}`, "data-game": game },
            h("strong", {}, t(`game.${game}`)),
            h("span.line", {}, t(`game.${game}.line`)),
            h("span.players", {}, done[game] ? t("learn.goon", { n: done[game] + 1 }) : t("learn.start")),
          ),
        ),
      ),
      h("h2", {}, t("learn.more")),
      h("div.tiles", {}, FURTHER.map((page) => h("a.tile", { href: `#/${page}` }, h("strong", {}, t(`title.${page}`)), h("span.line", {}, t(`learn.${page}`))))),
    ),
  );
}

class Course {
  /** @type {Hand | null} the cards of a task */ hand = null;
  solved = false;
  note = h("p.note", { role: "status" });
  foot = h("div.actions");

  /** @param {HTMLElement} root @param {string} game @param {Lessons} lessons */
  constructor(root, game, lessons) {
    this.root = root;
    this.game = game;
    this.lessons = lessons;
    this.at = Math.min((settings.get("lessons") ?? {})[game] ?? 0, lessons.steps.length - 1);
    /** @param {any} event */
    this.keys = (event) => this.key(event);
    document.addEventListener("keydown", this.keys);
  }

  /** @returns {Step} */
  get step() {
    return this.lessons.steps[this.at];
  }

  /** @param {number} at */
  go(at) {
    this.at = Math.max(0, Math.min(at, this.lessons.steps.length - 1));
    settings.change({ lessons: { ...settings.get("lessons"), [this.game]: this.at } }, true);
    this.draw();
  }

  draw() {
    const { step, at } = this;
    const n = this.lessons.steps.length;
    this.hand?.close();
    this.hand = null;
    this.solved = !step.hand;
    this.note = h("p.note", { role: "status" });
    this.foot = h("div.actions");
    put(
      this.root,
      h(
        "div.lesson",
        {},
        h(
          "header.head",
          {},
          h("h1", {}, t(`game.${this.game}`), h("small", {}, t("learn.step", { n: at + 1, of: n }))),
          h("progress", { max: n, value: at + 1, "aria-label": t("learn.step", { n: at + 1, of: n }) }),
        ),
        h(
          "article.panel",
          {},
          h("h2", {}, inLanguage(step.title)),
          inLanguage(step.text)
            .split("\n")
            .map((line) => h("p", {}, line)),
          (step.show ?? []).map((cards) => h("p.shown", {}, row(cards))),
        ),
        step.hand && this.task(),
        h("p.steps", {}, this.foot),
      ),
    );
    this.drawFoot();
    document.getElementById("main")?.focus({ preventScroll: true });
  }

  task() {
    this.hand = new Hand(() => this.drawFoot());
    const box = h(
      "section.cloth.task",
      {},
      h(
        "div.felt.still",
        {},
        this.step.beat ? [h("small", {}, t("tobeat.short")), row(this.step.beat)] : h("small", {}, t("pos.lead")),
      ),
      this.note,
      this.hand.element,
    );
    queueMicrotask(() => this.hand?.set(this.step.hand ?? []));
    return box;
  }

  drawFoot() {
    const last = this.at === this.lessons.steps.length - 1;
    const { hand } = this;
    const put_ = hand && !this.solved;
    put(
      this.foot,
      h("button", { type: "button", disabled: this.at === 0, onclick: () => this.go(this.at - 1) }, t("learn.back")),
      put_ && this.step.beat && h("button", { type: "button", "data-does": "pass", onclick: () => this.answer([]) }, t("pass")),
      put_ &&
        h(
          "button",
          { type: "button", "data-does": "show", onclick: () => hand.select(this.step.accept?.[0] ?? []) },
          t("learn.show"),
        ),
      put_ &&
        h(
          "button.primary",
          {
            type: "button",
            "data-does": "play",
            disabled: !hand.chosen.length,
            onclick: () => this.answer(hand.chosen),
          },
          t("play"),
        ),
      !put_ &&
        !last &&
        h("button.primary", { type: "button", "data-does": "next", onclick: () => this.go(this.at + 1) }, t("learn.next")),
      put_ &&
        h(
          "button.plain",
          { type: "button", "data-does": "skip", onclick: () => (last ? this.guided() : this.go(this.at + 1)) },
          t("learn.skip"),
        ),
      !put_ &&
        last &&
        h("button.primary", { type: "button", "data-does": "guided", onclick: () => this.guided() }, t("learn.guided")),
    );
  }

  /** @param {string[]} cards */
  async answer(cards) {
    const { step } = this;
    if (step.accept?.some((one) => same(one, cards) || (same(one, cards, rankOf) && !step.exact))) {
      this.solved = true;
      this.say(inLanguage(step.right) || t("learn.right"), "good");
      return this.drawFoot();
    }
    return this.say(await this.whyNot(cards), "bad");
  }

  /** A legal play that is not asked for is something else than one that is not legal: the server knows. @param {string[]} cards */
  async whyNot(cards) {
    if (!cards.length) return t("learn.canplay");
    if (!this.step.position) return t("learn.wrong");
    try {
      const legal = (await api.post("legal", this.step.position)).map((one) => one.cards.map(name));
      return legal.some((one) => same(one, cards, rankOf)) ? t("learn.legal") : t("learn.illegal");
    } catch {
      return t("learn.wrong");
    }
  }

  /** @param {string} text @param {string} kind */
  say(text, kind) {
    this.note.textContent = text;
    this.note.dataset.kind = kind;
    announce(text);
  }

  /** A real table with a fixed deal and hints. */
  async guided() {
    const { game } = this;
    const table = await start(
      {
        game,
        seats: this.lessons.guided.seats,
        rules: this.lessons.guided.rules ?? "",
        hints: true,
        pace: 1500,
        seed: this.lessons.guided.seed,
      },
      false,
    );
    if (table) location.hash = `#/guided/${game}/${table}`;
  }

  /** @param {any} event */
  key(event) {
    if (
      !this.hand ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.closest?.("input, textarea, select, dialog")
    )
      return;
    const typed = typedIn(event);
    if (typed === "ArrowLeft" || typed === "ArrowRight") this.hand.walk(typed === "ArrowLeft" ? -1 : 1);
    else if (typed === "Escape") this.hand.clear();
    else if (typed === "Enter" && !event.target.closest?.(".actions") && this.hand.chosen.length && !this.solved)
      this.answer(this.hand.chosen);
    else if (typed.length > 1 || !this.hand.type(typed)) return;
    event.preventDefault();
  }

  close() {
    document.removeEventListener("keydown", this.keys);
    this.hand?.close();
  }
}

/** The game at the end of a course: a table with words beside it. @param {HTMLElement} root @param {string} game @param {string} id */
export async function showGuided(root, game, id) {
  const [{ showTable }, lessons] = await Promise.all([import("./table.js"), data(game)]);
  /** @param {Server.StateOut} state */
  const guide = (state) => {
    const tips = lessons.guided.tips;
    const mine = state.history.filter((turn) => turn.seat === state.seat).length;
    const tip =
      state.status === "over" ? tips.over : state.legal?.length ? (state.to_beat ? tips.follow : tips.lead) : tips.wait;
    const turn = tips.turns?.[mine];
    return [h("h2", {}, t("learn.guided")), h("p", {}, inLanguage((state.legal?.length && turn) || tip))];
  };
  return showTable(root, id, { guide });
}
