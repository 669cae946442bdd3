// A table that waits for players: what can be settled before the cards are dealt.

import { h } from "./dom.js";
import { t } from "./words.js";

/** @param {Server.StateOut} state @param {(message: Server.table_to_server) => void} send @param {(hints: boolean) => void} join */
export function waitingRoom(state, send, join) {
  if (state.status !== "open") return null;
  return state.seat === null ? newcomer(state, join) : seated(state, state.seats[state.seat], send);
}

/**
 * Who sits there agrees to hints or not, or has agents take the open seats.
 * @param {Server.StateOut} state @param {Server.SeatOut} seat mine @param {(message: Server.table_to_server) => void} send
 */
function seated(state, seat, send) {
  /** @param {any} event */
  const change = (event) => send({ kind: "agree", hints: event.target.checked });
  return h(
    "section.waiting",
    { "aria-label": t("waiting") },
    h(
      "label.switch",
      {},
      h("input", { type: "checkbox", name: "agree", checked: seat.hints, onchange: change }),
      h("span", {}, t("hints.agree"), h("small", {}, whoAgrees(state))),
    ),
    h("button.small", { type: "button", "data-does": "fill", onclick: () => send({ kind: "fill" }) }, t("fill")),
  );
}

/** @param {Server.StateOut} state @param {(hints: boolean) => void} join */
function newcomer(state, join) {
  if (!state.hints) return null; // the button to sit down is all there is
  return h(
    "section.waiting",
    { "aria-label": t("waiting") },
    h("span", {}, whoAgrees(state)),
    h("button.small", { type: "button", "data-does": "join-hints", onclick: () => join(true) }, t("join.hints")),
  );
}

/** @param {Server.StateOut} state */
function whoAgrees(state) {
  const people = state.seats.filter((seat) => seat.kind === "me" || seat.kind === "person");
  const agree = people.filter((seat) => seat.hints).length;
  return t("hints.agreed", { n: agree, of: people.length });
}
