// What seats say before the first play: bids for landlord, and whether they double.

import { t } from "./words.js";

/** @typedef {Server.BidOut["kind"]} Kind */

/** Of a bid its points, of doubling 1 or 0. @param {Kind | undefined} kind @param {number} points */
export function inWords(kind, points) {
  if (kind === "double") return t(points ? "double.yes" : "double.no");
  return points ? t("bid.is", { n: points }) : t("bid.no");
}

/** All that was said, in order. @param {Server.BidOut[]} bids @param {(seat: number) => string} nameOf */
export const allInWords = (bids, nameOf) => bids.map(({ kind, seat, points }) => `${nameOf(seat)}: ${inWords(kind, points)}`).join(" · ");

/** What the adviser would say. @param {Kind | undefined} kind @param {number} points */
export function adviceInWords(kind, points) {
  if (kind === "double") return t(points ? "hint.double" : "hint.nodouble");
  return points ? t("hint.bid", { n: points }) : t("hint.nobid");
}

/** What is to be said at a table now, if anything. @param {Server.StateOut["status"]} status @returns {Kind | undefined} */
export const dueAt = (status) => (status === "bidding" ? "bid" : status === "doubling" ? "double" : undefined);
