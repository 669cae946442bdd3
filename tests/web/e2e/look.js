// Looks at a page: how well texts stand out from what is behind them, also from gradients, which axe-core leaves undecided.

/** @typedef {{ r: number, g: number, b: number, a: number }} Colour */

/** Texts that can be seen, with their contrast. What is disabled or only decoration is left out. */
function texts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const text = (walker.currentNode.textContent ?? "").trim();
    if (!text || !element?.checkVisibility({ opacityProperty: true }) || element.closest(":disabled, [aria-hidden=true], .unseen, .skip, option, noscript, svg")) continue;
    const style = getComputedStyle(element);
    const behind = backdrop(element);
    const ink = over(parse(style.color, opacity(element)), behind);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
    found.push({ text: text.slice(0, 30), what: element.outerHTML.slice(0, 60), large, contrast: ratio(ink, behind) });
  }
  return found;
}

/** @param {string} text */
const parse = (text, share = 1) => {
  const [r, g, b, a = 1] = (text.match(/[\d.]+/g) ?? []).map(Number);
  const scale = text.startsWith("color(") ? 255 : 1; // color(srgb 1 0.5 0), as mixed colours are told
  return { r: r * scale, g: g * scale, b: b * scale, a: a * share };
};
/** @param {Colour} top @param {Colour} under */
const over = (top, under) => ({
  r: top.r * top.a + under.r * (1 - top.a),
  g: top.g * top.a + under.g * (1 - top.a),
  b: top.b * top.a + under.b * (1 - top.a),
  a: 1,
});

/** @param {Element | null} element @returns {number} */
const opacity = (element) => (element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1);

/** The colour behind an element: its own background over its parents'; of a gradient the first colour. @param {Element | null} element @returns {Colour} */
function backdrop(element) {
  if (!element) return parse(matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(0,0,0)" : "rgb(255,255,255)");
  const style = getComputedStyle(element);
  const painted = style.backgroundImage.match(/rgba?\([^)]*\)/)?.[0] ?? style.backgroundColor;
  const own = parse(painted);
  return own.a === 1 ? own : over(own, backdrop(element.parentElement));
}

/** @param {Colour} one @param {Colour} two */
function ratio(one, two) {
  const [high, low] = [luminance(one), luminance(two)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** @param {Colour} colour */
function luminance({ r, g, b }) {
  const [x, y, z] = [r, g, b].map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

/** @type {any} */ (window).look = { texts };
