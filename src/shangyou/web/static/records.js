// Records: games pasted or sent as a file become replays; my own games can be taken away.

import * as api from "./api.js";
import { download, h, put, toast } from "./dom.js";
import { signed } from "./hint.js";
import { myGames } from "./finished_games.js";
import { refusal, t } from "./words.js";

const EXAMPLE = `game: doudizhu
rules: base=3
name: Table 9 number 2
players: DeepRocket,human,human
34445689TJQKKA22B;4555677889TJJQKA2;3336677899TTJQQK2;AAS
0,4443;1,5557;0,AAA5;0,6;1,8;2,2;2,3339;2,66;0,KK;0,22;0,SB;0,89TJQ;
result: 12,-6,-6
`;

/** @param {HTMLElement} root */
export async function showRecords(root) {
  const area = h("textarea.records", { rows: 10, spellcheck: "false", "aria-label": t("records.paste"), placeholder: EXAMPLE });
  const results = h("section.results", { "aria-live": "polite" });
  const file = h("input.unseen", {
    type: "file",
    accept: ".txt,.jsonl,.json",
    onchange: async () => {
      if (file.files[0]) area.value = await file.files[0].text();
    },
  });
  const mine = h("section.panel.mygames", {}, h("h2", {}, t("mygames")), h("p.key", {}, t("thinking")));
  put(
    root,
    h(
      "div.recordspage",
      {},
      h("header.head", {}, h("h1", {}, t("menu.records")), h("p", {}, t("records.text"))),
      h(
        "div.columns",
        {},
        h(
          "section.panel",
          {},
          h("h2", {}, t("records.paste")),
          area,
          h(
            "p.links",
            {},
            h(
              "button.primary",
              { type: "button", "data-does": "send", onclick: () => send(area.value || EXAMPLE, results) },
              t("records.send"),
            ),
            h(
              "button",
              {
                type: "button",
                onclick: () => {
                  area.value = EXAMPLE;
                },
              },
              t("records.example"),
            ),
            h("label.button", {}, t("records.file"), file), // the browser's own button speaks the browser's language
          ),
          results,
        ),
        mine,
      ),
    ),
  );
  await drawMine(mine);
}

/** @param {string} text @param {HTMLElement} results */
async function send(text, results) {
  try {
    await api.post("me"); // records belong to somebody, who can delete them
    const answer = await api.post("records", text);
    put(
      results,
      h(
        "ul.list",
        {},
        answer.map((one) =>
          h(
            "li",
            { class: one.replay ? "" : "bad" },
            one.replay
              ? h("a", { href: `#/replay/${one.replay}` }, one.name || one.replay)
              : h("strong", {}, one.name || t("records.bad")),
            h("small", {}, one.fault ? refusal(one.fault) : one.finished ? t(`game.${one.game}`) : t("unfinished")),
          ),
        ),
      ),
    );
  } catch (error) {
    put(results, h("p.bad", {}, error.message));
  }
}

/** @param {HTMLElement} box */
async function drawMine(box) {
  try {
    const games = await myGames();
    put(
      box,
      h("h2", {}, t("mygames"), h("small", {}, String(games.length))),
      h(
        "p.links",
        {},
        games.length ? h("a.button", { href: "#/progress" }, t("title.progress")) : null,
        h("button", { type: "button", "data-does": "export", disabled: !games.length, onclick: takeAway }, t("mygames.export")),
        h(
          "button.danger",
          { type: "button", "data-does": "delete", disabled: !games.length, onclick: () => forget(box) },
          t("mygames.delete"),
        ),
      ),
      games.length ? h("ul.list", {}, games.slice(0, 100).map(line)) : h("p", {}, t("mygames.none")),
    );
  } catch (error) {
    put(box, h("h2", {}, t("mygames")), h("p", {}, error.message));
  }
}

/** @param {Server.MyGame} game */
function line(game) {
  const when = game.finished_at ? new Date(game.finished_at).toLocaleString(document.documentElement.lang) : "";
  return h(
    "li",
    {},
    h("span.mark", { class: game.won ? "out" : "" }, game.won ? t("won") : t("lost")),
    h("a", { href: `#/replay/${game.replay}` }, t(`game.${game.game}`)),
    h("b", {}, signed(game.score, 0)),
    h("small", {}, when),
    h("a", { href: `#/review/${game.replay}` }, t("review")),
  );
}

async function takeAway() {
  try {
    const text = await api.get("me/export");
    download("my-games.jsonl", typeof text === "string" ? text : JSON.stringify(text), "application/x-ndjson");
  } catch (error) {
    toast(error.message);
  }
}

/** @param {HTMLElement} box */
async function forget(box) {
  if (!window.confirm(t("mygames.sure"))) return;
  try {
    await api.remove("me/games");
    await drawMine(box);
  } catch (error) {
    toast(error.message);
  }
}
