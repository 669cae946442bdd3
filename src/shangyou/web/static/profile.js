// Me: nickname, recovery code, devices, strength by role, what I have sent; and how to delete all of it.

import * as api from "./api.js";
import { copy, h, put, toast } from "./dom.js";
import { percent, signed } from "./hint.js";
import * as settings from "./settings.js";
import { t } from "./words.js";

/** @param {HTMLElement} root */
export async function showProfile(root) {
  const me = await api.get("me");
  const profile = me.known ? await api.get("me/profile") : null;
  const again = () => showProfile(root);
  put(
    root,
    h(
      "div.profile",
      {},
      h("header.head", {}, h("h1", {}, t("menu.me")), h("p", {}, t("me.text"))),
      h(
        "div.columns",
        {},
        h("div.stack", {}, nickname(me, again), profile && codePanel(profile), typePanel(again)),
        profile
          ? h("div.stack", {}, strength(profile), devices(profile, again), records(profile, again), farewell(again))
          : h("section.panel.unknown", {}, h("p", {}, t("me.unknown"))),
      ),
    ),
  );
}

/** Does what a button is for; the reason of a refusal is shown. @param {string} name @param {string} words @param {() => any} work */
const button = (name, words, work) =>
  h(
    name,
    {
      type: "button",
      onclick: async () => {
        try {
          await work();
        } catch (error) {
          toast(error.message);
        }
      },
    },
    words,
  );

/** @param {string} name @param {...any} content */
const panel = (name, ...content) => h(`section.panel.${name}`, {}, h("h2", {}, t(`me.${name}`)), ...content);

/** @param {string} text */
const moment = (text) => new Date(text).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

/** @param {Server.MeOut} me @param {() => void} again */
function nickname(me, again) {
  const field = h("input", { type: "text", name: "nickname", maxlength: 24, value: me.nickname, "aria-label": t("nickname") });
  const save = async () => {
    const { nickname } = await api.post("me", { nickname: field.value });
    settings.change({ nickname }, true);
    toast(t("me.saved"), "good");
    await again();
  };
  return panel("name", h("div.ask", {}, field, button("button.save", t("me.save"), save)));
}

/** @param {Server.ProfileOut} profile */
function codePanel(profile) {
  const shown = h("div.shown", { "aria-live": "polite" });
  const make = async () => {
    if (profile.has_code && !window.confirm(t("me.code.sure"))) return;
    showCode(shown, (await api.post("me/code")).code);
    profile.has_code = true;
  };
  return panel(
    "code",
    h("p", {}, t("me.code.text")),
    h("p.key", {}, t(profile.has_code ? "me.code.there" : "me.code.none")),
    h("p.links", {}, button("button.primary.make", t("me.code.make"), make)),
    shown,
  );
}

/** @param {HTMLElement} box @param {string} code */
function showCode(box, code) {
  put(
    box,
    h("p", {}, h("code.recovery", {}, code)),
    h("p.links", {}, button("button", t("me.copy"), () => copy(code, t("me.copied")))),
    h("p.key", {}, t("me.code.once")),
  );
}

/** This device becomes one of the person who has the code. @param {() => void} again */
function typePanel(again) {
  const field = h("input.typed", { type: "text", name: "code", maxlength: 100, autocomplete: "off", "aria-label": t("me.typed") });
  const shown = h("div.shown", { "aria-live": "polite" });
  const recover = async () => {
    const { nickname, code } = await api.post("me/recover", { code: field.value });
    settings.change({ nickname }, true);
    showCode(shown, code);
    document.querySelector(".unknown")?.remove(); // it is known now
    put(
      shown,
      h("p", {}, t("me.welcome", { name: nickname || t("nickname.none") })),
      [...shown.childNodes],
      h("p.links", {}, button("button.primary.goon", t("me.goon"), again)),
    );
  };
  return panel(
    "typed",
    h("p", {}, t("me.typed.text")),
    h("div.ask", {}, field, button("button.recover", t("me.recover"), recover)),
    shown,
  );
}

/** @param {Server.ProfileOut} profile */
function strength(profile) {
  const heads = ["game", "me.role", "games", "winrate", "pointsper"];
  const rows = profile.strength.map((one) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, t(`game.${one.game}`)),
      h("td", {}, one.role ? t(`role.${one.role}`) : "–"),
      h("td", {}, String(one.games)),
      h("td", {}, percent(one.win_rate), h("small", {}, ` ${one.win_interval.map(percent).join("–")}`)),
      h("td", {}, signed(one.points, 2)),
    ),
  );
  const head = h(
    "tr",
    {},
    heads.map((key) => h("th", { scope: "col" }, t(key.includes(".") ? key : `col.${key}`))),
  );
  return panel(
    "strength",
    rows.length ? h("div.scroll", {}, h("table", {}, h("thead", {}, head), h("tbody", {}, rows))) : h("p", {}, t("mygames.none")),
    h(
      "p.links",
      {},
      h("a.button", { href: "#/records" }, t("mygames")),
      h("a.button", { href: "#/progress" }, t("title.progress")),
    ),
  );
}

/** @param {Server.ProfileOut} profile @param {() => void} again */
function devices(profile, again) {
  /** @param {Server.DeviceOut} one */
  const line = (one) =>
    h(
      "li",
      {},
      h("b", {}, one.name || t("me.device")),
      h("small", {}, one.this ? t("me.here") : t("me.seen", { when: moment(one.seen_at) })),
      one.this ? null : button("button.small.signout", t("me.signout"), () => api.remove(`me/devices/${one.device}`).then(again)),
    );
  return panel("devices", h("ul.list", {}, profile.devices.map(line)));
}

/** @param {Server.ProfileOut} profile @param {() => void} again */
function records(profile, again) {
  if (!profile.records.length) return null;
  /** @param {Server.SentRecord} one */
  const line = (one) =>
    h(
      "li",
      {},
      h("a", { href: `#/replay/${one.replay}` }, one.name || t(`game.${one.game}`)),
      h("small", {}, moment(one.sent_at)),
      button("button.small", t("me.delete"), () => api.remove(`records/${one.replay}`).then(again)),
    );
  return panel("sent", h("p", {}, t("me.sent.text")), h("ul.list", {}, profile.records.map(line)));
}

/** @param {() => void} again */
function farewell(again) {
  const forget = async () => {
    if (!window.confirm(t("me.forget.sure"))) return;
    await api.remove("me");
    settings.change({ nickname: "", table: "" }, true);
    toast(t("me.forgotten"), "good");
    await again();
  };
  return panel("forget", h("p", {}, t("me.forget.text")), h("p.links", {}, button("button.danger.forget", t("me.forget.all"), forget)));
}
