// The games: what the server says of each, and what the page shows beside that.

import * as api from "./api.js";
import { rulesText } from "./start.js";
import { t } from "./words.js";

/**
 * What a game looks like in the lobby, in whose order they stand; a game without an entry comes after these.
 * shown: the cards on its tile; example: the fields of a position to start from.
 * @type {Record<string, { shown: string[], example: Record<string, string> }>}
 */
const LOOKS = {
  doudizhu: {
    shown: ["3", "3", "3", "4", "4", "4", "S", "B"],
    example: {
      hand: "4 5 66 7 8 9 T JJ QQ K A 2 S B",
      role: "before",
      public: "345",
      played1: "34567",
      last: "34567",
      last_by: "1",
    },
  },
  zsy2: {
    shown: ["5", "5", "6", "6", "6"],
    example: { hand: "3 55 K A", played0: "66 77 88 99 TT JJ Q", played1: "33 44 9", last: "9" },
  },
  zsy4: {
    shown: ["7♠", "8♠", "9♠", "10♠"],
    example: { hand: "4s5s6s 8h8d Tc Jc Qh Kd Kc As 2h 2d", played3: "7c7d", last: "7c7d", left: "13 14 12" },
  },
};

/** @param {string} name */
export const lookOf = (name) => LOOKS[name] ?? { shown: [], example: {} };

/** @type {Map<string, Promise<any>>} */
const asked = new Map();

/** The answer of the server, asked for once. @template {string} P @param {P} path @returns {Promise<Server.Got<`GET ${P}`>>} */
function once(path) {
  const answer = asked.get(path) ?? api.get(path);
  asked.set(path, answer);
  answer.catch(() => asked.delete(path));
  return answer;
}

/** What there is of each game, in the order of the lobby. @template T @param {T[]} all @param {(one: T) => string} nameOf */
export function inLobbyOrder(all, nameOf) {
  /** @param {T} one */
  const place = (one) => (Object.keys(LOOKS).indexOf(nameOf(one)) + all.length) % all.length;
  return [...all].sort((a, b) => place(a) - place(b));
}

/** All games under their default rules. */
export const allGames = async () => inLobbyOrder(await once("games"), (game) => game.name);

/** A game under some rules. @param {string} name @param {any} rules */
export async function gameUnder(name, rules) {
  const text = rulesText(rules);
  return text ? once(`games/${name}?${new URLSearchParams({ rules: text })}`) : named(await allGames(), name);
}

/** The game of that name, or else the first. @param {Server.GameOut[]} games @param {string} name */
export const named = (games, name) => games.find((game) => game.name === name) ?? games[0];

/** @param {string} role landlord, after or before */
export const roleName = (role) => t(role === "landlord" ? role : `role.${role}`);
