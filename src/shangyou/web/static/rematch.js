// Playing again with the same people: when everybody has asked for it, the page goes to the new table.

import { h } from "./dom.js";
import { t } from "./words.js";

/** Whether other people were at the table. @param {Server.StateOut} state */
export const withPeople = (state) => state.seats.some((seat) => seat.kind === "person");

/** @param {Server.StateOut} state @param {(message: Server.table_to_server) => void} send @param {(seat: number) => string} nameOf */
export function rematch(state, send, nameOf) {
  const { seats, table } = state.rematch ?? { seats: [], table: null };
  if (table) return h("a.button.primary", { href: `#/table/${table}`, "data-does": "rematch-table" }, t("rematch.go"));
  if (state.seat === null) return null;
  const asked = seats.includes(state.seat);
  const others = seats.filter((seat) => seat !== state.seat).map(nameOf);
  return [
    h(
      "button.primary",
      { type: "button", "data-does": "rematch", disabled: asked, onclick: () => send({ kind: "rematch" }) },
      asked ? t("rematch.asked") : t("rematch"),
    ),
    others.length > 0 && h("small", { role: "status" }, t("rematch.others", { names: others.join(", ") })),
  ];
}

/** Goes to the new table, if I asked for it. @param {Server.StateOut} state */
export function followRematch(state) {
  if (state.rematch?.table && state.seat !== null && state.rematch.seats.includes(state.seat)) location.hash = `#/table/${state.rematch.table}`;
}
