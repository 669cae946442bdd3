// What can be done at a table now, as buttons.

import { h } from "./dom.js";
import { dueAt, inWords } from "./said.js";
import { t } from "./words.js";

/** @param {import("./table.js").Table} table */
export function buttonsFor(table) {
  const { status, seat } = table.state;
  if (!table.goesOn) return table.looksAtCards ? [button(t("over.show"), "result", () => table.showOver(true), true, "primary")] : [];
  if (dueAt(status)) return bids(table);
  return status === "playing" && seat !== null ? plays(table) : seats(table);
}

/** @param {import("./table.js").Table} table */
function bids(table) {
  const offered = table.state.bids ?? [];
  /** @param {number} points */
  const one = (points) =>
    button(
      inWords(dueAt(table.state.status), points),
      "bid",
      () => table.send({ kind: "bid", points }),
      true,
      points ? "primary" : "",
    );
  return [...offered.map(one), table.state.hints && offered.length > 0 && hint(table, true)];
}

/** @param {import("./table.js").Table} table */
function plays(table) {
  const mine = table.myTurn && !table.waiting;
  const chosen = table.hand.chosen;
  const canPass = mine && table.state.legal.some((one) => one.cards.length === 0);
  const doubtful = mine && chosen.length > 0 && !table.match(chosen);
  return [
    button(t("pass"), "pass", () => table.pass(), canPass, "", "P"),
    table.state.hints && hint(table, mine),
    button(t("clear"), "clear", () => table.hand.clear(), chosen.length > 0, "", "Esc"),
    button(
      doubtful ? t("whynot") : t("play"),
      "play",
      () => table.play(),
      mine && chosen.length > 0,
      doubtful ? "doubt" : "primary",
      "↵",
    ),
  ];
}

/** @param {import("./table.js").Table} table */
function seats(table) {
  const free = table.state.seats.some((seat) => seat.kind === "open");
  return table.state.seat === null && free ? [button(t("join"), "join", () => table.join(), true, "primary")] : [];
}

/** @param {import("./table.js").Table} table @param {boolean} enabled */
const hint = (table, enabled) => button(t("hint"), "hint", () => table.hint(), enabled, "", "H");

/** @param {string} text @param {string} does its name for tests and styles @param {() => void} onclick @param {boolean} enabled */
function button(text, does, onclick, enabled, look = "", key = "") {
  return h(
    "button",
    { type: "button", "data-does": does, onclick, disabled: !enabled, class: look },
    text,
    key && h("kbd", { "aria-hidden": "true" }, key),
  );
}
