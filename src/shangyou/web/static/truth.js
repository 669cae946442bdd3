// What was true of a finished game with open cards, as the server's solver proves it: from when on it was won by force, and which
// plays gave it away. It is asked for when all else is drawn.

import * as api from "./api.js";
import { laid } from "./cards.js";
import { h, put } from "./dom.js";
import { namesOf } from "./finished_games.js";
import { t } from "./words.js";

/** @typedef {import("./finished_games.js").Replay} Replay */

/** A panel that fills itself. @param {Replay} replay */
export function truthPanel(replay) {
  const found = h("div", { "aria-live": "polite" });
  load(replay, found);
  return h("section.panel.truth", {}, h("h2", {}, t("truth")), found, h("p.key", {}, t("truth.key")));
}

/** @param {Replay} replay @param {HTMLElement} found */
async function load(replay, found) {
  put(found, h("p.key", {}, t("thinking")));
  try {
    const truth = await api.get(`replays/${replay.id}/truth`);
    const turns = truth.turns.filter((one) => one.gave_away);
    put(found, h("p", {}, proven(replay, truth)), turns.length > 0 && h("ul.list", {}, turns.map((one) => turningPoint(replay, truth, one))));
  } catch (error) {
    const again = h("button.small", { type: "button", "data-does": "truth", onclick: () => load(replay, found) }, t("truth.again"));
    put(found, h("p.key", {}, error.message, " ", error.words?.why === "solver_busy" && again));
  }
}

/** Whether more than two sides play, so that what a seat can force is against all others. @param {Replay} replay */
const manySides = (replay) => new Set(replay.sides).size > 2;

/** @param {Replay} replay @param {Server.TruthOut} truth */
function proven(replay, { proven_from: from, forced_from: forced }) {
  if (from === null) return t("truth.unknown");
  if (forced !== null) return t("truth.forced", { n: forced + 1, names: replay.winners.map((seat) => namesOf(replay)[seat]).join(" · ") });
  return t(manySides(replay) ? "truth.against" : "truth.proven", { n: from + 1 });
}

/** @param {Replay} replay @param {Server.TruthOut} truth @param {Server.OpenTurnOut} one */
function turningPoint(replay, { objective }, { turn, seat, value, after, better }) {
  const what = objective === "place" ? "place" : manySides(replay) ? "against" : "win";
  return h(
    "li",
    {},
    h("a.button.small", { href: `#/replay/${replay.id}?turn=${turn}` }, t("turn.n", { n: turn + 1 })),
    h("span", {}, t(`truth.gave.${what}`, { name: namesOf(replay)[seat], value, after })),
    better && h("span.better", {}, t("truth.kept"), " ", better.cards.length ? laid(better) : t("pass")),
  );
}
