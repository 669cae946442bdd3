// The bar at the top: where one can go, and what one can set.

import { h, put } from "./dom.js";
import * as settings from "./settings.js";
import { loadWords, t } from "./words.js";

const PLACES = ["", "daily", "learn", "position", "records", "ranking", "me"];

/** @param {HTMLElement} root @param {string} here */
export function drawMenu(root, here) {
  const nav = h(
    "nav",
    { "aria-label": t("menu") },
    PLACES.map((place) =>
      h("a", { href: `#/${place}`, "aria-current": place === here ? "page" : null }, t(`menu.${place || "lobby"}`)),
    ),
  );
  const other = settings.get("language") === "zh" ? "en" : "zh";
  put(
    root,
    h(
      "a.brand",
      { href: "#/", "aria-label": "shangyou" },
      h("img", { src: "/icon.svg", alt: "", width: 28, height: 28 }),
      h("b", {}, "上游"),
      h("span", {}, "shangyou"),
    ),
    nav,
    h(
      "button.plain.language",
      { type: "button", lang: other === "zh" ? "zh-Hans" : "en", onclick: () => settings.change({ language: other }) },
      other === "zh" ? "中文" : "English",
    ),
    h("button.plain.gear", { type: "button", "aria-label": t("settings"), onclick: openSettings }, "⚙"),
  );
}

export function openSettings() {
  /** @param {any} name of a setting @param {(string | boolean)[]} options */
  const choose = (name, options) =>
    h(
      "label.field",
      {},
      h("span", {}, t(`set.${name}`)),
      h(
        "select",
        {
          name,
          onchange: (event) => {
            const value = event.target.value;
            settings.change({ [name]: typeof settings.get(name) === "boolean" ? value === "true" : value });
            reopen(dialog);
          },
        },
        options.map((value) =>
          h("option", { value: String(value), selected: settings.get(name) === value }, t(`set.${name}.${value}`)),
        ),
      ),
    );
  const dialog = h(
    "dialog.settings",
    { "aria-label": t("settings") },
    h(
      "header",
      {},
      h("h2", {}, t("settings")),
      h("button.close", { type: "button", "aria-label": t("close"), onclick: () => dialog.close() }, "×"),
    ),
    choose("language", ["en", "zh"]),
    choose("theme", ["auto", "light", "dark"]),
    choose("motion", [true, false]),
    choose("sound", [true, false]),
    choose("size", ["small", "normal", "large"]),
    choose("sort", settings.SORTS),
    h("h3", {}, t("keys")),
    h("p.key", {}, t("keys.text")),
  );
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (/** @type {MouseEvent} */ event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
}

/** In the language just chosen. @param {HTMLDialogElement} dialog */
function reopen(dialog) {
  dialog.close();
  loadWords().then(openSettings);
}
