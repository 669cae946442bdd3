// The counter of cards that were not seen yet.

import { RANKS } from "./cards.js";
import { h } from "./dom.js";
import { t } from "./words.js";

/** @type {Record<string, string>} */
const SHOWN = { T: "10", S: "☆", B: "★" };

/** How many cards of each rank are not seen yet, high ones first. @param {number[]} unseen */
export function countsOf(unseen) {
  const counts = [...RANKS].map((rank, i) => count(SHOWN[rank] ?? rank, unseen[i]));
  return [h("span.title", {}, t("counter.short")), counts.reverse()];
}

/** @param {string} rank @param {number} n */
function count(rank, n) {
  const label = t("counter.of", { rank, n });
  return h(
    "span.count",
    { role: "listitem", class: n ? "" : "none", "aria-label": label },
    h("i", {}, rank),
    h("b", {}, String(n)),
  );
}
