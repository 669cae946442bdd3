// What the agents one can play against are, in a sentence each.

import { h } from "./dom.js";
import { fullName } from "./names.js";
import { t } from "./words.js";

/** A sentence about an agent; those that have none of their own share one with their kind. @param {string} name */
export function about(name) {
  const keys = [name.replace(/^paper\//, ""), name.split("/")[0]].map((known) => `agent.${known}`);
  return t(keys.find((key) => t(key) !== key) ?? "agent.model");
}

/** A line for each different agent among those chosen. @param {string[]} names @param {string} game */
export const aboutAgents = (names, game) =>
  h(
    "div.agents",
    {},
    [...new Set(names)]
      .filter((name) => name && name !== "me" && name !== "open")
      .map((name) => h("p.key", {}, t("level.agent", { name: fullName(name, game), about: about(name) }))),
  );
