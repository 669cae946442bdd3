// The rules of a game: their fields, as the server describes them, and as a line of words.

import { h } from "./dom.js";
import { ruleHelp, ruleName, ruleValue, t } from "./words.js";

/**
 * @typedef {Record<string, any>} Rules those that differ from the defaults
 * @param {Server.GameOut} game @param {Rules} rules @param {(rules: Rules) => void} onchange
 */
export function ruleFields(game, rules, onchange) {
  /** @param {Server.RuleOut} field @param {any} chosen */
  const set = (field, chosen) => {
    const { [field.name]: _, ...others } = rules;
    onchange(chosen === field.default ? others : { ...others, [field.name]: chosen });
  };
  return game.rules.map((field) => one(field, rules[field.name] ?? field.default, (chosen) => set(field, chosen)));
}

/** How many rules are not what the lobby offers first. @param {Server.GameOut} game @param {Rules} rules */
export const changedRules = (game, rules) =>
  game.rules.filter(({ name, default: base }) => (rules[name] ?? base) !== (game.usual[name] ?? base)).length;

/** All of them, from how the server writes them: "bidding=true base=3". @param {string} text */
export const rulesInWords = (text) =>
  text
    .split(" ")
    .map((rule) => rule.split("="))
    .map(([name, value]) => t("rule.is", { name: ruleName(name), value: ruleValue(value) }))
    .join(" · ");

/** @param {Server.RuleOut} field @param {any} value @param {(chosen: any) => void} set */
function one(field, value, set) {
  const label = h("span", {}, ruleName(field.name), h("small", {}, ruleHelp(field)));
  if (typeof field.default === "boolean")
    return h(
      "label.switch",
      {},
      h("input", { type: "checkbox", name: field.name, checked: value, onchange: (event) => set(event.target.checked) }),
      label,
    );
  const options = optionsOf(field);
  const input =
    options.length > 30
      ? h("input", {
          type: "number",
          name: field.name,
          min: options[0],
          max: options.at(-1),
          value,
          onchange: (event) => set(Number(event.target.value)),
        })
      : h(
          "select",
          { name: field.name, onchange: (event) => set(options[event.target.selectedIndex]) },
          options.map((option) => h("option", { value: String(option), selected: option === value }, ruleValue(option))),
        );
  return h("label.field", {}, label, input);
}

/** The server sends a long range as its ends. @param {Server.RuleOut} field @returns {any[]} */
function optionsOf(field) {
  if (Array.isArray(field.options)) return field.options;
  const { from, to } = field.options;
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
