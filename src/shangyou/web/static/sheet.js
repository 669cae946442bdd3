// Tables of results, of which the server sends one part after the other.

import { h, toast } from "./dom.js";
import { t } from "./words.js";

/** @param {string[]} heads words of the columns @param {...any} bodies */
export const sheet = (heads, ...bodies) =>
  h(
    "div.scroll",
    {},
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((key) => h("th", { scope: "col" }, t(`col.${key}`))),
        ),
      ),
      bodies,
    ),
  );

/** @template T @typedef {{ rows: T[], next: number | null }} Part with the offset of the rows that follow */

/**
 * The body of a table as far as it has come, and the button that fetches more.
 * @template T @param {Part<T>} first @param {(one: T) => any} row @param {(offset: number) => Promise<Part<T>>} load
 * @param {(rows: T[]) => void} [onmore] when more rows are there
 */
export function paged(first, row, load, onmore) {
  const body = h("tbody", {}, first.rows.map(row));
  const more = h("button.small", { type: "button", "data-does": "more", onclick: () => fetchMore() }, t("ranking.more"));
  let { next } = first;
  more.hidden = next === null;
  const fetchMore = async () => {
    try {
      const part = await load(next ?? 0);
      body.append(...part.rows.map(row));
      onmore?.(part.rows);
      next = part.next;
      more.hidden = next === null;
    } catch (error) {
      toast(error.message);
    }
  };
  return { body, more };
}
