// A small line chart in SVG, as wide as its place.

import { h, put, svg } from "./dom.js";

const [LEFT, RIGHT, EDGE] = [44, 10, 9];

/**
 * @typedef {{ low: number, high: number, height?: number, label: string, middle?: number, marks?: {at: number, className?: string}[],
 *             ticks?: {value: number, text: string}[], onpick?: (at: number) => void }} Options
 * @typedef {{ values: (number|null)[], name: string, className?: string }} Line
 * @param {Line[]} lines the same x for all @param {Options} options
 */
export function chart(lines, options) {
  const element = h("div.chartbox");
  let shown = -1;
  const draw = () => element.clientWidth && put(element, picture(lines, options, element.clientWidth, shown));
  new ResizeObserver(draw).observe(element);
  return {
    element,
    /** @param {number} at */
    show: (at) => {
      shown = at;
      draw();
    },
  };
}

/** @param {Line[]} lines @param {Options} options @param {number} width @param {number} shown */
function picture(lines, options, width, shown) {
  const { low, high, height = 150, label, middle, marks = [], ticks = [], onpick } = options;
  const n = Math.max(1, ...lines.map((line) => line.values.length));
  const inner = width - LEFT - RIGHT;
  /** @param {number} i */
  const x = (i) => LEFT + (n > 1 ? (i / (n - 1)) * inner : 0);
  /** @param {number} value */
  const y = (value) => EDGE + (1 - (value - low) / (high - low || 1)) * (height - 2 * EDGE);
  /** @param {number} value @param {string} look */
  const across = (value, look) => svg(`line.${look}`, { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) });
  /** @param {any} event */
  const pick = (event) => {
    const at = (event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT) / inner;
    onpick?.(Math.max(0, Math.min(n - 1, Math.round(at * (n - 1)))));
  };
  return svg(
    "svg.chart",
    { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, onclick: onpick && pick },
    ticks.map((tick) => [
      across(tick.value, "grid"),
      svg("text.tick", { x: LEFT - 6, y: y(tick.value) + 4, "text-anchor": "end" }, tick.text),
    ]),
    middle !== undefined && across(middle, "half"),
    lines.map((line) => path(line, x, y)),
    marks.map((mark) => svg(`circle.dot.${mark.className ?? "a"}`, { cx: x(mark.at), cy: y(valueAt(lines[0], mark.at) ?? low), r: 5 })),
    shown >= 0 && svg("line.cursor", { x1: x(shown), x2: x(shown), y1: 3, y2: height - 3 }),
  );
}

/** The value there, or the last before it. @param {Line} line @param {number} at */
const valueAt = (line, at) => line.values.slice(0, at + 1).findLast((value) => value !== null && value !== undefined);

/** @typedef {(at: number) => number} Scale @param {Line} line @param {Scale} x @param {Scale} y */
function path(line, x, y) {
  const points = line.values.flatMap((value, i) => (value === null || value === undefined ? [] : [[x(i), y(value)]]));
  const d = points.map(([px, py], i) => `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  return svg(`path.line.${line.className ?? "a"}`, { d }, svg("title", {}, line.name));
}
