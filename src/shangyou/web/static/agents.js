// What the agents one can play against are, in a sentence each.

import { h } from "./dom.js";
import { agentName } from "./felt.js";
import { t } from "./words.js";

const SCRIPTED = ["random", "greedy", "paper-greedy", "rule", "rlcard-rule"];

/** @param {string} name */
function about(name) {
  const [folder] = name.split("/");
  const kind = SCRIPTED.includes(name) || ((folder === "champion" || folder === "paper") && folder !== name) ? folder : "model";
  return t(`agent.${kind}`, { name: agentName(name) });
}

/** A line for each different agent among those chosen. @param {string[]} names */
export const aboutAgents = (names) =>
  h("div.agents", {}, [...new Set(names)].filter((name) => name && name !== "me" && name !== "open").map((name) => h("p.key", {}, about(name))));
