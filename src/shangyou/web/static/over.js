// The end of a game: who won, all hands, and where to go from here.

import * as api from "./api.js";
import { inOrder, row } from "./cards.js";
import { h } from "./dom.js";
import { signed } from "./hint.js";
import { called } from "./names.js";
import { rematch, withPeople } from "./rematch.js";
import * as settings from "./settings.js";
import { otherSeat, start } from "./start.js";
import { t } from "./words.js";

/** @param {Server.StateOut} state @param {(seat: number) => string} nameOf @param {(message: Server.table_to_server) => void} send */
export function endOfGame(state, nameOf, send) {
  const { result } = state;
  if (!result)
    return [h("h2", {}, t("over.left")), h("p.links", {}, onward(state), h("a.button", { href: "#/" }, t("lobby")))];
  const won = state.seat === null ? null : result.winners.includes(state.seat);
  const place = state.places_paid && state.seat !== null ? result.places[state.seat] : 0;
  const title = won === null ? t("over.title") : won ? t("over.won") : place ? t("over.place", { n: place }) : t("over.lost");
  return [
    h("h2", { class: won ? "won" : "" }, title, state.seat !== null && h("b.score", {}, signed(result.scores[state.seat], 0))),
    h(
      "ul.endseats",
      {},
      state.seats.map((_, i) => ending(state, result, i, nameOf(i))),
    ),
    duplicate(state, result),
    links(state, result.replay, nameOf, send),
  ];
}

/** @param {Server.StateOut} state @param {Server.ResultOut} result @param {number} seat @param {string} name */
function ending(state, result, seat, name) {
  const rest = result.hands[seat] ?? [];
  const place = state.places_paid && result.places?.[seat] ? t("place", { n: result.places[seat] }) : "";
  return h(
    "li",
    { class: result.winners.includes(seat) ? "winner" : "" },
    h(
      "span.who",
      {},
      result.winners.includes(seat) && h("span.mark.out", {}, t("winner")),
      h("strong", {}, name),
      state.seats[seat].landlord && h("span.mark.landlord", {}, t("landlord.short")),
      state.seats[seat].doubled && h("span.mark.doubled", {}, t("double.yes")),
      place && h("small", {}, place),
    ),
    h("b.score", {}, signed(result.scores[seat], 0)),
    result.hands.length > 0 && h("span.rest", {}, rest.length ? row(inOrder(rest, settings.get("sort"))) : h("small", {}, t("over.empty"))),
  );
}

/** After the same deal from another seat: the score these cards made before. @param {Server.StateOut} state @param {Server.ResultOut} result */
function duplicate({ seat, table }, result) {
  const earlier = settings.get("duplicates")[table];
  if (!earlier || seat === null) return null;
  const line = h("p.duplicate", { hidden: true });
  api
    .get(`replays/${earlier}`)
    .then((replay) => {
      const values = {
        name: called(replay.players[seat] ?? { name: "", kind: "unknown" }, replay.game),
        theirs: signed(replay.result.scores[seat], 0),
        mine: signed(result.scores[seat], 0),
      };
      line.textContent = t("over.duplicate", values);
      line.hidden = false;
    })
    .catch(() => {});
  return line;
}

/** @param {Server.StateOut} state @param {string} id of the replay @param {(seat: number) => string} nameOf @param {(message: Server.table_to_server) => void} send */
function links(state, id, nameOf, send) {
  return h(
    "p.links",
    {},
    onward(state) ||
      (withPeople(state) && rematch(state, send, nameOf)) ||
      (state.seat !== null && h("button.primary", { type: "button", onclick: () => again(state) }, t("over.again"))),
    id && h("a.button", { href: `#/review/${id}`, "data-does": "review" }, t("review")),
    id && h("a.button", { href: `#/replay/${id}`, "data-does": "replay" }, t("replay")),
    id &&
      state.seat !== null &&
      h(
        "button",
        {
          type: "button",
          "data-does": "same",
          onclick: () =>
            otherSeat(id, state.seats.length, state.seat, { game: state.game, rules: state.rules, pace: state.pace }),
        },
        t("over.same"),
      ),
    h("a.button", { href: "#/" }, t("lobby")),
  );
}

/** The duplicate match this was a deal of, or the ranking of the daily deal. @param {Server.StateOut} state */
const onward = ({ match, daily, game }) =>
  (match && h("a.button.primary", { href: `#/match/${match}`, "data-does": "match" }, t("over.match"))) ||
  (daily && h("a.button.primary", { href: `#/daily/${daily}/${game}`, "data-does": "daily" }, t("over.daily")));

/** A new deal, everybody where they sat; people find it by the link. @param {Server.StateOut} state */
function again(state) {
  const seats = state.seats.map((seat, i) => (i === state.seat ? "me" : seat.kind === "agent" ? seat.name : "open"));
  const clock = state.clock && { move: state.clock.move, reserve: state.clock.reserve };
  start({ game: state.game, rules: state.rules, seats, hints: state.hints, pace: state.pace, clock });
}
