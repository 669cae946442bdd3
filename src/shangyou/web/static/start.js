// Opening a table.

import * as api from "./api.js";
import { toast } from "./dom.js";
import * as settings from "./settings.js";

/** Rules as the server reads them: "spring=true base=3". */
export const rulesText = (rules) =>
  typeof rules === "string"
    ? rules
    : Object.entries(rules ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(" ");

/** Who plays a game by these rules. @returns {Promise<{ name: string, strongest: boolean }[]>} */
export const agentsFor = (game, rules) => api.get(`agents?${new URLSearchParams({ game, rules: rulesText(rules) })}`);

/** The agent the server calls the strongest: the champion if the game has one, else a scripted agent. */
export const strongestOf = (agents) => agents.find((agent) => agent.strongest)?.name;

/** Me in one seat, the strongest there is in all others. */
export async function againstStrongest(game, rules, seats, mine) {
  const best = strongestOf(await agentsFor(game, rules));
  return Array.from({ length: seats }, (_, seat) => (seat === mine ? "me" : best));
}

/** @param {{ game: string, rules?: any, seats: string[], hints?: boolean, pace?: number, clock?: any, listed?: boolean, seed?: number, same_deal?: string, from?: any }} wish */
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
