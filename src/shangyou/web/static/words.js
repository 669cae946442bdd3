// Texts of the page in the language chosen. `{name}` is filled in.

import * as settings from "./settings.js";

/** @type {Record<string, string[]>} a short name in both languages, and the help in Chinese */
const RULES = {
  bidding: ["Bidding", "叫分", "抢地主：每家叫 0 至 3 分；关闭时一号座为地主"],
  base: ["Base", "底分", "无炸弹时农民输赢的分数；叫分时以叫分为准"],
  doubling: ["Doubling", "加倍", "出牌前各家可以加倍：与对方的输赢翻倍"],
  spring: ["Spring", "春天", "输方一张未出则翻倍"],
  joker_kickers: ["Joker kickers", "双王可带", "四张或飞机可以同时带大小王"],
  pass_is_final: ["A pass is final", "不出即退出本轮", "不出后要等到本轮结束"],
  cards_each: ["Cards each", "每人张数", "发给每人的张数，其余盖住"],
  shortest_chain: ["Shortest chain", "最短连牌", "连牌至少几节"],
  two_in_chain: ["2 in chains", "2 可入连牌", "2 可以作为连牌的一节"],
  first_lead: ["First lead", "谁先出", "谁先出牌"],
  decks: ["Packs", "几副牌", "一副或两副"],
  shortest_straight: ["Shortest straight", "最短顺子", "顺子至少几张"],
  two_in_straight: ["2 in straights", "2 可入顺子", "2 可以接在顺子末尾"],
  flush_is_higher: ["Flush is higher", "同花顺更大", "同长度时同花顺大于杂花顺"],
  joker_pairs: ["Joker pairs", "王可成对", "两副牌时两张相同的王是一对"],
  points: ["Points", "计分", "按名次 3 1 -1 -3，或头名独得"],
};
/** @type {Record<string, string[]>} in both languages; numbers need no words */
const VALUES = {
  true: ["yes", "是"],
  false: ["no", "否"],
  coin: ["by a coin", "抛硬币"],
  seat0: ["seat 1", "一号座"],
  spade3: ["3 of spades", "黑桃 3"],
  random: ["by chance", "随机"],
  places: ["by place", "按名次"],
  winner: ["the first takes all", "头名独得"],
};

export const language = () => (settings.get("language") === "zh" ? "zh" : "en");

/** `{n}` is the value of that name, `{n:card|cards}` a number and its noun. @param {string} text @param {Record<string, any>} values */
const fill = (text, values) =>
  text.replace(/\{(\w+)(?::(.*?)\|(.*?))?\}/g, (_, name, one, many) => {
    const value = String(values[name] ?? "");
    return one ? `${value} ${value === "1" ? one : many}` : value;
  });

/** @type {Record<string, Record<string, string>>} by language, each once it was chosen; and the server's reasons in Chinese */
const TEXTS = {};

/** Fetches the texts of the language chosen; whoever draws waits for it. */
export async function loadWords() {
  if (TEXTS[language()]) return;
  if (language() === "en") TEXTS.en = (await import("./english.js")).EN;
  else [TEXTS.zh, TEXTS.reasons] = [(await import("./chinese.js")).ZH, (await import("./chinese_reasons.js")).REASONS];
}

/** @param {string} key @param {Record<string, any>} [values] */
export function t(key, values = {}) {
  return fill((TEXTS[language()] ?? Object.values(TEXTS)[0])?.[key] ?? key, values);
}

/** @param {string} name */
export const ruleName = (name) => RULES[name]?.[language() === "zh" ? 1 : 0] ?? name;
/** @param {Server.RuleOut} field */
export const ruleHelp = (field) => (language() === "zh" && RULES[field.name]?.[2]) || field.help || "";
/** @param {string | number | boolean} value */
export const ruleValue = (value) => VALUES[String(value)]?.[language() === "zh" ? 1 : 0] ?? String(value);

/**
 * Why the server refused: its reason in English, or the sentence of it in Chinese.
 * @param {{ reason: string, words?: Server.Words | null }} fault
 */
export function refusal({ reason, words }) {
  if (language() === "zh" && words) return inChinese(words);
  return `${reason[0].toUpperCase()}${reason.slice(1)}.`;
}

/** @param {Server.Words} words @returns {string} */
function inChinese({ why, values }) {
  const filled = Object.entries(values).map(([name, value]) => [name, gap(name, value)]);
  const sentence = TEXTS.reasons?.[why];
  return sentence ? fill(sentence, Object.fromEntries(filled)) : why;
}

/**
 * The value of a gap: several, a reason again, the name of a game or of a pattern, or a text as it is.
 * @param {string} name @param {Server.Words["values"][string]} value @returns {string}
 */
function gap(name, value) {
  if (Array.isArray(value)) return value.map((entry) => gap(name, entry)).join("、");
  if (typeof value !== "string") return inChinese(value);
  if (name === "game" || name === "other") return TEXTS.zh?.[`game.${value}`] ?? value;
  return /pattern/.test(name) ? patternName(value) : value;
}

/** "solo-chain x5" or "chain 2-2-3": the family has a name, its size is the same in all languages. @param {string} pattern */
function patternName(pattern) {
  const [family, ...size] = pattern.split(" ");
  return [t(`pattern.${family}`), ...size].join(" ");
}
