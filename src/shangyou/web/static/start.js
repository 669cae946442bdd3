// Opening a table.

import * as api from "./api.js";
import { toast } from "./dom.js";
import * as settings from "./settings.js";

/** Rules as the server reads them: "spring=true base=3". @param {any} rules */
export const rulesText = (rules) =>
  typeof rules === "string"
    ? rules
    : Object.entries(rules ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(" ");

/** Who plays a game by these rules. @param {string} game @param {any} rules @returns {Promise<Server.AgentOut[]>} */
export const agentsFor = (game, rules) => api.get(`agents?${new URLSearchParams({ game, rules: rulesText(rules) })}`);

/** The agent the server calls the strongest: the champion if the game has one, else a scripted agent. @param {Server.AgentOut[]} agents */
export const strongestOf = (agents) => agents.find((agent) => agent.strongest)?.name ?? "";

/**
 * Me in one seat, the strongest there is in all others.
 * @param {string} game @param {any} rules @param {number} seats @param {number} mine
 */
export async function againstStrongest(game, rules, seats, mine) {
  const best = strongestOf(await agentsFor(game, rules));
  return Array.from({ length: seats }, (_, seat) => (seat === mine ? "me" : best));
}

/** How long agents take, as chosen in the lobby. @param {string} game */
export const paceFor = (game) => settings.get("lobby").wishes?.[game]?.pace ?? 700;

/** Goes to a table of mine. @param {string} table */
export function sitDown(table) {
  settings.change({ table }, true);
  location.hash = `#/table/${table}`;
}

/** @param {Omit<Server.NewTable, "rules"> & { rules?: any }} wish */
export async function start(wish, show = true) {
  try {
    const { table } = await api.post("tables", { hints: true, pace: 700, ...wish, rules: rulesText(wish.rules) });
    const known = Object.entries(settings.get("duplicates")).slice(-20);
    const duplicates = Object.fromEntries(wish.same_deal ? [...known, [table, wish.same_deal]] : known);
    settings.change({ table, duplicates }, true);
    if (show) location.hash = `#/table/${table}`;
    return table;
  } catch (error) {
    toast(error.message);
    return null;
  }
}

/**
 * The same cards from the next seat, the strongest in all others.
 * @param {string} replay @param {number} seats @param {number | null} mine
 * @param {{ game: string, rules: string, pace?: number }} table
 */
export async function otherSeat(replay, seats, mine, { game, rules, pace = 700 }) {
  const next = ((mine ?? 0) + 1) % seats;
  const who = await againstStrongest(game, rules, seats, next);
  await start({ game, rules, seats: who, hints: true, pace, same_deal: replay });
}
