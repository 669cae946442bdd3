// Making elements. Text goes in as text, never as markup; styles go in as classes and custom properties.

import { t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * What an element is given: handlers as "onclick", custom properties as `vars`, all else as attributes or properties.
 * @typedef {{ vars?: Record<string, any>, [handler: `on${string}`]: ((event: any) => any) | undefined, [attribute: string]: any }} Props
 */

/**
 * h("button.big", { onclick, "aria-label": "Play", vars: { "--i": 3 } }, "Play", child, [more])
 * @param {string} name tag and classes @param {Props} [props] @param {...any} children
 * @returns {any} the element
 */
export function h(name, props = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  return fill(document.createElement(tag || "div"), classes, props, children);
}

/** The same for SVG. @param {string} name @param {Props} [props] @param {...any} children @returns {any} */
export function svg(name, props = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  return fill(document.createElementNS(SVG, tag), classes, props, children);
}

/** @param {any} element @param {string[]} classes @param {Props} props @param {any[]} children */
function fill(element, classes, props, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(props ?? {})) set(element, key, value);
  append(element, children);
  return element;
}

/** @param {any} element @param {string} key @param {any} value */
function set(element, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else if (key === "vars") for (const [name, v] of Object.entries(value)) element.style.setProperty(name, String(v));
  else if (key === "class")
    String(value)
      .split(" ")
      .filter(Boolean)
      .forEach((c) => element.classList.add(c));
  else if (key === "value" || key === "checked" || key === "disabled" || key === "selected" || key === "open")
    element[key] = value;
  else element.setAttribute(key, value === true ? "" : String(value));
}

/** @param {any} element @param {any[]} children */
function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Puts children in place of what an element held. @template {Element} E @param {E} element @param {...any} children @returns {E} */
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** Which control in there has the focus, as a selector: by what it does, or by its name. @param {Element} element */
export function focused(element) {
  const control = /** @type {HTMLInputElement | null} */ (element.querySelector(":focus"));
  if (control?.dataset.does) return `[data-does="${control.dataset.does}"]`;
  return control?.name ? `[name="${control.name}"]` : "";
}

/** Gives the focus to the first that a selector finds in there. @param {Element} element @param {string} selector */
export function focus(element, selector) {
  if (selector) /** @type {HTMLElement | null} */ (element.querySelector(selector))?.focus({ preventScroll: true });
}

const NEXT_TRY = 40; // milliseconds
/** @type {WeakMap<Element, () => void>} what is drawn in an element as soon as nothing in there is pressed */
const waiting = new WeakMap();

/**
 * Draws once nothing in the element is pressed: a click on what is replaced between press and release would be lost. Of several
 * drawings that wait the last one is made. A list that is open counts as pressed in some browsers and is not asked.
 * @param {Element} element @param {() => void} draw
 */
export function whenLetGo(element, draw) {
  waiting.delete(element);
  if (!element.querySelector(":is(a, button, input, summary):active")) return draw();
  waiting.set(element, draw);
  setTimeout(() => waiting.get(element) === draw && whenLetGo(element, draw), NEXT_TRY);
}

/** Puts children in place of what an element held, as soon as it can be; the control that had the focus has it again. @param {Element} element @param {...any} children */
export function redraw(element, ...children) {
  whenLetGo(element, () => replace(element, children));
}

/** @param {Element} element @param {any[]} children */
function replace(element, children) {
  const had = focused(element);
  put(element, ...children);
  focus(element, had);
}

/** A message for screen readers. @param {string} text */
export function announce(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/** A short message at the edge of the page. A click on it or Esc puts it away, else it goes by itself. @param {string} text */
export function toast(text, kind = "bad") {
  const close = h("button.close", { type: "button", "aria-label": t("close"), "data-does": "dismiss" }, "×");
  const box = h(`div.toast.${kind}`, { onclick: () => box.remove() }, h("span", {}, text), close);
  document.getElementById("toasts")?.append(box);
  setTimeout(() => box.remove(), 6000);
}

/** Esc is about a dialog, then about the latest message, and only then about the rest of the page. @param {KeyboardEvent} event */
function dismiss(event) {
  const latest = document.querySelector(".toast:last-child");
  if (event.key !== "Escape" || !latest || document.querySelector("dialog[open]")) return;
  latest.remove();
  event.preventDefault();
  event.stopPropagation();
}

document.addEventListener("keydown", dismiss, { capture: true });

/** Offers a text or a picture as a file. @param {string} name @param {BlobPart} content */
export function download(name, content, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Copies, and says so. @param {string} text @param {string} done */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done, "good");
  } catch {
    window.prompt(done, text);
  }
}
