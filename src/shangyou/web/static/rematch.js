// Playing again with the same people: when everybody has asked for it, the page goes to the new table.

import { h } from "./dom.js";
import { t } from "./words.js";

/** Whether other people were at the table. */
export const withPeople = (state) => state.seats.some((seat) => seat.kind === "person");

/** @param {any} state @param {(message: any) => void} send @param {(seat: number) => string} nameOf */
export function rematch(state, send, nameOf) {
  const { seats = [], table = null } = state.rematch ?? {};
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

/** Goes to the new table, if I asked for it. */
export function followRematch(state) {
  if (state.rematch?.table && state.rematch.seats.includes(state.seat)) location.hash = `#/table/${state.rematch.table}`;
}
