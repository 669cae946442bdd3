// What agents, people and seats are called.

import { t } from "./words.js";

/** @type {Record<string, Record<string, string>> | undefined} by game, each level and its agent, once they have come */
let levels;

/** Fetches which agent plays which level; whoever draws waits for it. Without it agents have their own names. */
export async function loadLevels() {
  levels ??= await (await fetch("/levels.json")).json();
}

/** The word for the level an agent plays in a game; nothing if it plays none. @param {string} name @param {string} game */
function levelWord(name, game) {
  const level = Object.entries(levels?.[game] ?? {}).find(([, agent]) => agent === name)?.[0];
  return level && t(`level.${level}`);
}

/**
 * What people call an agent: by its level in that game, or else by its own name, "paper/mean6" for short mean6.
 * @param {string} name @param {string} game @returns {string}
 */
export function agentName(name, game) {
  const search = /^search@?([^:]*):(.*)$/.exec(name);
  if (search) return t("thinks", { name: agentName(search[2], game), time: search[1] });
  const [head, aim] = name.split(":");
  const known = levelWord(head, game) ?? head.replace(/^paper\//, "");
  return aim ? `${known} (${aim})` : known;
}

/** For who has to tell agents apart: "Expert (rule)". @param {string} name @param {string} game */
export const fullName = (name, game) => (levelWord(name, game) ? `${agentName(name, game)} (${name})` : agentName(name, game));

/** The name of whoever plays, "" of a person without one. @param {{ name: string, kind: string }} player @param {string} game */
export const playerName = ({ name, kind }, game) => (kind === "agent" ? agentName(name, game) : name);

/** How a seat is called. @param {{ name: string, kind: string }} seat @param {string} game */
export function called(seat, game) {
  if (seat.kind === "me") return seat.name && seat.name !== "me" ? seat.name : t("you");
  if (seat.kind === "open") return t("seat.open");
  return playerName(seat, game) || t("seat.person");
}

/** Names that tell seats apart: who shares a name gets the number of the seat. @param {string[]} names */
export function distinct(names) {
  return names.map((name, seat) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} ${seat + 1}`));
}
