// Playing on from a turn of a finished game: which seat is mine, and against whom.

import { h, put, toast } from "./dom.js";
import { levelChosen, levelPicker, levelsFor } from "./levels.js";
import * as settings from "./settings.js";
import { start } from "./start.js";
import { t } from "./words.js";

/** @param {import("./finished_games.js").Replay} replay @param {number} turn @param {(seat: number) => string} nameOf */
export async function playFromHere(replay, turn, nameOf) {
  const found = await levelsFor(replay.game, replay.rules).catch((error) => toast(error.message));
  if (!found) return;
  const next = replay.turns[turn].seat;
  let level = levelChosen(replay.game, found.levels);
  const form = h("form", { method: "dialog", onsubmit: () => play() });
  const dialog = h("dialog.settings.from", { "aria-label": t("from.here") }, form);
  const play = () => {
    const mine = Number(new FormData(form).get("seat"));
    const seats = replay.hands.map((_, seat) => (seat === mine ? "me" : (level?.agent ?? "")));
    const pace = settings.get("lobby").wishes?.[replay.game]?.pace ?? 700; // as in the lobby
    start({ game: replay.game, rules: replay.rules, seats, pace, from: { replay: replay.id, turn } });
  };
  const pick = (/** @type {string} */ name) => {
    level = found.levels.find((one) => one.level === name);
  };
  put(
    form,
    h(
      "header",
      {},
      h("h2", {}, t("from.here"), h("small", {}, t("turn.n", { n: turn + 1 }))),
      h("button.close", { type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, "×"),
    ),
    h("h3", {}, t("from.seat")),
    h("div.takes", { role: "radiogroup", "aria-label": t("from.seat") }, replay.hands.map((_, seat) => seatOption(seat, nameOf(seat), seat === next))),
    h("h3", {}, t("levels")),
    levelPicker(found, level, pick),
    h("button.go", { type: "submit", "data-does": "from-go" }, t("go")),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {number} seat @param {string} name @param {boolean} next whether it is to act */
const seatOption = (seat, name, next) =>
  h(
    "label.switch",
    {},
    h("input", { type: "radio", name: "seat", value: String(seat), checked: next }),
    h("span", {}, name, next && h("small", {}, t("from.next"))),
  );
