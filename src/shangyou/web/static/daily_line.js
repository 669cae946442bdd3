// The line of the lobby about today's deals: whether I have played them, and when the next come.

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { t } from "./words.js";

const SECOND = 1000;

/** @param {number} seconds @param {() => void} onend */
export function countdown(seconds, onend) {
  const element = h("b.countdown", { role: "timer" });
  const end = Date.now() + seconds * SECOND;
  const draw = () => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / SECOND));
    element.textContent = [left / 3600, (left / 60) % 60, left % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
    if (left) return;
    clearInterval(timer);
    onend();
  };
  const timer = setInterval(draw, SECOND);
  draw();
  return { element, close: () => clearInterval(timer) };
}

export class DailyLine {
  element = h("a.today", { href: "#/daily" }, h("strong", {}, t("title.daily")));
  close = () => {};

  async load() {
    const today = await api.get("daily").catch(() => null); // the page about it says what is wrong
    if (!today || !this.element.isConnected) return;
    this.close();
    const timer = countdown(today.seconds_left + 1, () => this.load());
    this.close = timer.close;
    put(this.element, h("strong", {}, t("title.daily")), h("span", {}, standing(today.deals)), h("span", {}, t("daily.next"), " ", timer.element));
  }
}

/** @param {Server.DailyDeal[]} deals */
function standing(deals) {
  const mine = deals.filter((deal) => deal.mine);
  if (mine.some((deal) => deal.mine?.running)) return t("daily.waits");
  if (!mine.length) return t("daily.unplayed");
  return mine.length === deals.length ? t("daily.all.played") : t("daily.some.played", { n: mine.length, of: deals.length });
}
