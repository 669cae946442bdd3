// The page: which part is shown follows from the address behind the #.

import { h, put } from "./dom.js";
import { drawMenu } from "./menu.js";
import { loadLevels } from "./names.js";
import * as settings from "./settings.js";
import { loadWords, t } from "./words.js";

/** Each part is loaded when it is first needed. @type {Record<string, (root: HTMLElement, rest: string[], query: URLSearchParams) => Promise<any>>} */
const PARTS = {
  "": async (root) => (await import("./lobby.js")).showLobby(root),
  table: async (root, [id]) => (id ? (await import("./table.js")).showTable(root, id) : PARTS[""](root, [], new URLSearchParams())),
  replay: async (root, [id], query) => (await import("./replay.js")).showReplay(root, id, query),
  review: async (root, [id]) => (await import("./review.js")).showReview(root, id),
  position: async (root, _, query) => (await import("./editor.js")).showEditor(root, query),
  records: async (root) => (await import("./records.js")).showRecords(root),
  ranking: async (root, [game], query) => (await import("./leaderboard.js")).showLeaderboard(root, game, query),
  progress: async (root) => (await import("./progress.js")).showProgress(root),
  me: async (root) => (await import("./profile.js")).showProfile(root),
  daily: async (root, [day, game]) => (await import("./daily.js")).showDaily(root, day, game),
  puzzle: async (root, [game, number]) => (await import("./puzzle.js")).showPuzzle(root, game, number),
  match: async (root, [id]) => (await import("./match.js")).showMatch(root, id),
  bots: async (root) => (await import("./bots.js")).showBots(root),
  learn: async (root, [game]) => (await import("./tutorial.js")).showTutorial(root, game),
  guided: async (root, [game, id]) => (await import("./tutorial.js")).showGuided(root, game, id),
};

/** @type {(() => void) | null} how the page shown is left */
let leave = null;
let drawn = 0;

async function show() {
  const number = ++drawn;
  await Promise.allSettled([loadWords(), loadLevels()]); // without words those of the other language are shown
  if (number !== drawn) return;
  const [path, search = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [part, ...rest] = path.split("/");
  leave?.();
  leave = null;
  for (const fault of document.querySelectorAll(".toast.bad")) fault.remove(); // it was about the page that is left
  const name = PARTS[part] ? part || "lobby" : "lobby";
  const root = h("div.page"); // of this visit only: an answer that comes after the page was left is drawn out of sight
  const main = put(place("main"), root);
  main.className = `part-${name}`;
  drawMenu(place("top"), part);
  place("skip").textContent = t("skip");
  document.title = `${t(`title.${name}`)} · 上游 shangyou`;
  try {
    const left = await (PARTS[part] ?? PARTS[""])(root, rest, new URLSearchParams(search));
    if (number === drawn) leave = typeof left === "function" ? left : null;
    else if (typeof left === "function") left();
  } catch (error) {
    if (!root.isConnected) return;
    const why = error.code === "malformed" ? t("no.page") : error.message; // the address is all that was sent
    put(root, h("div.failed", { role: "alert" }, h("h1", {}, t(`title.${name}`)), h("p", {}, why), home()));
  }
}

/** An element that index.html has. @param {string} id @returns {any} */
const place = (id) => document.getElementById(id);

const home = () => h("p.links", {}, h("a.button.primary", { href: "#/" }, t("lobby")));

settings.apply();
settings.onchange(show);
window.addEventListener("hashchange", show);
place("skip").addEventListener("click", (/** @type {MouseEvent} */ event) => {
  event.preventDefault(); // the # is for parts of the page
  place("main").focus();
});
show();
