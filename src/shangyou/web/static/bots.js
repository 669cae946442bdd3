// Bots: programs that play here. Challenge one that is connected; make one of my own, whose token is shown once.

import * as api from "./api.js";
import { copy, h, put, toast } from "./dom.js";
import { allGames } from "./games.js";
import * as settings from "./settings.js";
import { againstStrongest } from "./start.js";
import { t } from "./words.js";

/** @param {HTMLElement} root */
export async function showBots(root) {
  const online = h("section.panel.online", {}, h("h2", {}, t("bots.online")), h("p.key", {}, t("thinking")));
  const mine = h("section.panel.mybots", {}, h("h2", {}, t("bots.mine")), h("p.key", {}, t("thinking")));
  put(
    root,
    h(
      "div.bots",
      {},
      h("header.head", {}, h("h1", {}, t("title.bots")), h("p", {}, t("bots.text"))),
      h("div.columns", {}, online, mine),
    ),
  );
  await Promise.all([showOnline(online), showMine(mine)]);
}

// -- who is connected -----------------------------------------------------------------------------------------------------

/** @param {HTMLElement} panel */
async function showOnline(panel) {
  const [bots, games] = await Promise.all([api.get("bots"), allGames()]);
  const seats = Object.fromEntries(games.map((game) => [game.name, game.seats]));
  const lines = bots.map((bot) => h("li", {}, h("b", {}, bot.name), bot.plays.map((offer) => challenge(bot, offer, seats[offer.game]))));
  put(panel, h("h2", {}, t("bots.online")), lines.length ? h("ul.list", {}, lines) : h("p", {}, t("bots.nobody")));
}

/**
 * A game the bot plays, under the first of the rule sets it declares.
 * @param {Server.BotOut} bot @param {Server.OfferOut} offer @param {number} seats
 */
function challenge(bot, offer, seats) {
  const button = h(
    "button",
    {
      type: "button",
      "data-does": "challenge",
      "data-game": offer.game,
      onclick: async () => {
        button.disabled = true;
        await sitDown(bot, offer, seats);
        button.disabled = false;
      },
    },
    t(`game.${offer.game}`),
  );
  return button;
}

/**
 * Me, the bot, and the strongest agent in all other seats.
 * @param {Server.BotOut} bot @param {Server.OfferOut} offer @param {number} seats
 */
async function sitDown(bot, offer, seats) {
  const rules = offer.rules?.[0] ?? "";
  try {
    const [me, _, ...rest] = await againstStrongest(offer.game, rules, seats, 0);
    const { table } = await api.post("challenges", { game: offer.game, rules, seats: [me, `bot:${bot.bot}`, ...rest] });
    settings.change({ table }, true);
    location.hash = `#/table/${table}`;
  } catch (error) {
    toast(error.message);
  }
}

// -- my bots --------------------------------------------------------------------------------------------------------------

/** @param {HTMLElement} panel @param {Server.BotMade} [made] a bot just made */
async function showMine(panel, made) {
  const me = await api.get("me"); // who has never played has none
  const bots = me.known ? await api.get("me/bots") : [];
  const name = h("input", { name: "name", required: true, maxlength: 24, autocomplete: "off" });
  const form = h(
    "form",
    {},
    h("label.field", {}, h("span", {}, t("bots.name")), name),
    h("button.primary", { type: "submit" }, t("bots.make")),
  );
  form.addEventListener("submit", (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    change(panel, () => api.post("me/bots", { name: name.value }));
  });
  const lines = bots.map((bot) =>
    h(
      "li",
      {},
      h("b", {}, bot.name),
      h("small", {}, t(bot.online ? "bots.is_online" : "bots.is_away")),
      h("button", { type: "button", "data-does": "revoke", onclick: () => revoke(panel, bot) }, t("bots.revoke")),
    ),
  );
  put(panel, h("h2", {}, t("bots.mine")), made && token(made), form, h("ul.list", {}, lines));
}

/** @param {Server.BotMade} made */
function token(made) {
  return h(
    "div.token",
    { role: "status" },
    h("p", {}, t("bots.token", { name: made.name })),
    h("p", {}, h("code", {}, made.token)),
    h("button", { type: "button", onclick: () => copy(made.token, t("bots.copied")) }, t("bots.copy")),
    h("p.key", {}, t("bots.how"), " ", h("code", {}, `SHANGYOU_BOT_TOKEN=... shangyou bot --agent rule --arena ${location.origin}`)),
  );
}

/** @param {HTMLElement} panel @param {Server.MyBot} bot */
function revoke(panel, bot) {
  if (!window.confirm(t("bots.sure", { name: bot.name }))) return;
  change(panel, () => api.remove(`me/bots/${bot.bot}`));
}

/** @param {HTMLElement} panel @param {() => Promise<any>} ask */
async function change(panel, ask) {
  try {
    const made = await ask();
    await showMine(panel, made.token ? made : undefined);
  } catch (error) {
    toast(error.message);
  }
}
