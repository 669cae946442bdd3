// Playing by keyboard: ranks choose, Enter plays, P passes, H asks, Esc clears; arrows and space walk and choose.

import { RANKS } from "./cards.js";
import { dueAt } from "./said.js";

const ELSEWHERE = "input, textarea, select, dialog";

/** A key pressed at a table. @param {any} table @param {KeyboardEvent & { target: any }} event */
export function onKey(table, event) {
  const { state } = table;
  if (!state || state.seat === null || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.(ELSEWHERE)) return;
  const done = !table.goesOn ? atTheEnd(table, event) : dueAt(state.status) ? bid(table, event) : state.status === "playing" && act(table, event);
  if (done) event.preventDefault();
}

/** The result goes away, so that the cards can be seen. @param {import("./table.js").Table} table @param {any} event */
function atTheEnd(table, event) {
  if (event.key !== "Escape" || table.looksAtCards) return false;
  table.showOver(false);
  return true;
}

/** While bids are due, a number bids; 1 doubles and 0 does not. @param {import("./table.js").Table} table @param {any} event */
function bid(table, event) {
  const points = "0123".indexOf(event.key);
  if (event.key.toUpperCase() === "H") table.hint();
  else if (points >= 0 && table.state.bids.includes(points)) table.send({ kind: "bid", points });
  else return false;
  return true;
}

/** @param {import("./table.js").Table} table @param {any} event */
function act(table, event) {
  const typed = typedIn(event);
  const inHand = event.target.closest?.(".hand");
  const onButton = event.target.closest?.("button, a") && !inHand;
  if (typed === "ArrowLeft" || typed === "ArrowRight") table.hand.walk(typed === "ArrowLeft" ? -1 : 1);
  else if (typed === "ArrowUp" && inHand) event.target.click();
  else if (typed === "Enter" && !onButton) table.play();
  else if (typed === "P") table.pass();
  else if (typed === "H") table.hint();
  else if (typed === "Escape") table.reset();
  else return typed.length === 1 && RANKS.includes(typed) && table.hand.type(typed);
  return true;
}

/** Letters as capitals, 0 for ten. @param {any} event */
export function typedIn(event) {
  const typed = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  return typed === "0" ? "T" : typed;
}
