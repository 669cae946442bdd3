// Small pictures on buttons.

import { svg } from "./dom.js";

const LINES = {
  home: "M4 11L12 4L20 11M6.5 9.5V20H17.5V9.5",
  sort: "M7 5V19M7 19L4 16M7 19L10 16M13 6H20M13 11H18M13 16H16",
  sound: "M4 10V14H8L12 18V6L8 10ZM15.5 9Q17.5 12 15.5 15M18 6.5Q22 12 18 17.5",
  mute: "M4 10V14H8L12 18V6L8 10ZM16 9.5L21 14.5M21 9.5L16 14.5",
  flag: "M6 21V4M6 5Q10 3 13 5T19 5V13Q16 15 13 13T6 13",
};

/** @param {keyof typeof LINES} name */
export const icon = (name) => svg("svg.icon", { viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: LINES[name] }));
