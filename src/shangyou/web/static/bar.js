// The line above a live table: which game, for how much, and what one can do beside playing.

import { row, speakAll } from "./cards.js";
import { announce, copy, h } from "./dom.js";
import { icon } from "./icons.js";
import { openSettings } from "./menu.js";
import * as settings from "./settings.js";
import { costOfLeaving } from "./situation.js";
import { t } from "./words.js";

/** @param {import("./table.js").Table} table */
export function barFor(table) {
  const { state } = table;
  const open = state.seats.some((seat) => seat.kind === "open");
  const link = `${location.origin}/#/table/${table.id}`;
  return [
    h("a.icon-button.narrow", { href: "#/", "aria-label": t("lobby"), title: t("lobby") }, icon("home")),
    h("h1", {}, t(`game.${state.game}`)),
    state.public?.length && publicCards(state.public),
    state.seats.some((seat) => seat.landlord) && state.stake > 0 && h("span.times", { title: t(state.seats.some((seat) => seat.doubled !== null) ? "stake.doubling" : "stake") }, `×${state.stake}`),
    state.onlookers > 0 && h("span.mark.onlookers", {}, t("onlookers", { n: state.onlookers })),
    !state.rated && h("span.mark.practice", { title: t(state.daily ? "daily.text" : "practice.text") }, t(state.daily ? "title.daily" : "practice")),
    h("span.gap"),
    table.counter,
    h("span.gap"),
    open && h("button.small", { type: "button", onclick: () => copy(link, t("link.copied")) }, t("link.copy")),
    state.seat !== null && h("span.tools", {}, tools(table)),
    table.phrases.element,
  ];
}

/** @param {string[]} cards */
const publicCards = (cards) =>
  h("span.public", { "aria-label": `${t("public")}: ${speakAll(cards)}`, role: "group" }, h("small", {}, t("public")), row(cards));

/** @param {import("./table.js").Table} table */
function tools(table) {
  const sound = settings.get("sound");
  return [
    tool("sort", `${t("set.sort")}: ${t(`set.sort.${settings.get("sort")}`)}`, "sort", () => sortNext(table)),
    tool("sound", t(sound ? "sound.off" : "sound.on"), sound ? "sound" : "mute", () => mute(table, sound)),
    h("button.icon-button.narrow", { type: "button", "aria-label": t("settings"), "data-does": "settings", onclick: openSettings }, "⚙"),
    table.goesOn && tool("leave", t("leave"), "flag", () => leave(table)),
  ];
}

/** @param {import("./table.js").Table} table */
function sortNext(table) {
  const { SORTS } = settings;
  settings.change({ sort: SORTS[(SORTS.indexOf(settings.get("sort")) + 1) % SORTS.length] }, true);
  table.hand.set(table.state.hand);
  table.drawBar();
  announce(t(`set.sort.${settings.get("sort")}`));
}

/** @param {import("./table.js").Table} table @param {boolean} off */
function mute(table, off) {
  settings.change({ sound: !off }, true);
  table.drawBar();
}

/** @param {string} does @param {string} words @param {Parameters<typeof icon>[0]} picture @param {() => void} onclick */
const tool = (does, words, picture, onclick) =>
  h("button.icon-button", { type: "button", "aria-label": words, title: words, "data-does": does, onclick }, icon(picture));

/** @param {import("./table.js").Table} table */
function leave(table) {
  const cost = costOfLeaving(table.state);
  if (!cost || window.confirm(t(cost))) table.live.send({ kind: "leave" });
}
