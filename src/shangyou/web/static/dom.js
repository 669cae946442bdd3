// Making elements. Text goes in as text, never as markup; styles go in as classes and custom properties.

const SVG = "http://www.w3.org/2000/svg";

/**
 * h("button.big", { onclick, "aria-label": "Play", vars: { "--i": 3 } }, "Play", child, [more])
 * @param {string} name tag and classes @param {object} [props] @param {...any} children
 * @returns {any} the element
 */
export function h(name, props = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  return fill(document.createElement(tag || "div"), classes, props, children);
}

/** The same for SVG. */
export function svg(name, props = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  return fill(document.createElementNS(SVG, tag), classes, props, children);
}

function fill(element, classes, props, children) {
  if (classes.length) element.classList.add(...classes);
  for (const [key, value] of Object.entries(props ?? {})) set(element, key, value);
  append(element, children);
  return element;
}

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

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Puts children in place of what an element held. */
export function put(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** A message for screen readers. */
export function announce(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/** A short message at the edge of the page. */
export function toast(text, kind = "bad") {
  const box = h(`div.toast.${kind}`, {}, text);
  document.getElementById("toasts")?.append(box);
  setTimeout(() => box.remove(), 6000);
}

/** Offers a text as a file. */
export function download(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Copies, and says so. */
export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done, "good");
  } catch {
    window.prompt(done, text);
  }
}
