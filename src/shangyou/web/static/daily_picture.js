// The result of a daily deal as a picture and a line of text to share. Neither shows a card.
// The picture is drawn on a canvas directly: an image made of SVG would need a weaker Content-Security-Policy.

import { copy, download, h, toast } from "./dom.js";
import { percent, signed } from "./hint.js";
import { t } from "./words.js";

const [WIDTH, HEIGHT, LEFT] = [1200, 630, 80];
const RING = { x: 905, y: 300, radius: 180 };
const COLOURS = { felt: "#2f6f5e", deep: "#173831", ink: "#f5f1e6", soft: "#c9d8cd", gold: "#f0cf7a", track: "rgb(255 255 255 / 16%)" };
const FONT = 'system-ui, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "WenQuanYi Micro Hei", sans-serif';

/** @param {Server.DailyOut} one @param {Server.DailyTry} mine @param {string} date */
export function sharePanel(one, mine, date) {
  const text = inWords(one, mine, date);
  const canvas = h("canvas.picture", { width: WIDTH, height: HEIGHT, role: "img", "aria-label": text });
  draw(canvas, one, mine, date);
  const name = `shangyou-${one.day}-${one.game}.png`;
  return h(
    "section.panel.share",
    {},
    h("h2", {}, t("daily.share")),
    canvas,
    h(
      "p.links",
      {},
      h("button.primary", { type: "button", "data-does": "share", onclick: () => share(canvas, name, text) }, t("daily.share.picture")),
      h("button", { type: "button", "data-does": "copy", onclick: () => copy(text, t("daily.copied")) }, t("daily.share.text")),
    ),
  );
}

/** By what the device offers to share with, or else as a file. @param {HTMLCanvasElement} canvas @param {string} name @param {string} text */
async function share(canvas, name, text) {
  /** @type {Blob | null} */ const picture = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!picture) return;
  const files = [new File([picture], name, { type: "image/png" })];
  if (!navigator.canShare?.({ files })) return download(name, picture, "image/png");
  try {
    await navigator.share({ files, text });
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message); // who closes the list of apps has changed their mind
  }
}

/** @param {Server.DailyOut} one @param {Server.DailyTry} mine @param {string} date */
function inWords(one, mine, date) {
  const values = { date, game: t(`game.${one.game}`), points: score(mine), place: mine.place, total: mine.total, champion: champion(one) };
  return `${t("daily.line", values)} ${location.origin}/#/daily/${one.day}/${one.game}`;
}

/** @param {Server.DailyTry} mine */
const score = ({ points }) => (points === null ? t("daily.given_up") : signed(points, 0));
/** @param {Server.DailyOut} one */
const champion = (one) => (one.champion === null ? "–" : signed(one.champion, 0));

// -- the picture ------------------------------------------------------------------------------------------------------------

/** @param {HTMLCanvasElement} canvas @param {Server.DailyOut} one @param {Server.DailyTry} mine @param {string} date */
function draw(canvas, one, mine, date) {
  const brush = canvas.getContext("2d");
  if (!brush) return;
  cloth(brush);
  cards(brush);
  const room = RING.x - RING.radius - LEFT - 40;
  write(brush, "上游 shangyou", LEFT + 92, 106, 38, { bold: true, room: room - 92 });
  write(brush, `${t("title.daily")} · ${date}`, LEFT, 196, 32, { colour: COLOURS.soft, room });
  write(brush, t(`game.${one.game}`), LEFT, 262, 54, { bold: true, room });
  write(brush, score(mine), LEFT, 430, mine.points === null ? 84 : 150, { bold: true, colour: COLOURS.gold, room });
  write(brush, t("daily.points"), LEFT, 486, 32, { colour: COLOURS.soft, room });
  write(brush, t("daily.champion.got", { points: champion(one) }), LEFT, 560, 32, { room });
  ring(brush, mine);
}

/** @param {CanvasRenderingContext2D} brush */
function cloth(brush) {
  const light = brush.createRadialGradient(WIDTH / 2, -100, 100, WIDTH / 2, 200, WIDTH * 0.8);
  light.addColorStop(0, COLOURS.felt);
  light.addColorStop(1, COLOURS.deep);
  brush.fillStyle = light;
  brush.fillRect(0, 0, WIDTH, HEIGHT);
}

/** Two cards of which nothing can be seen. @param {CanvasRenderingContext2D} brush */
function cards(brush) {
  for (const [x, turn, colour] of /** @type {[number, number, string][]} */ ([[LEFT, -0.2, COLOURS.gold], [LEFT + 26, 0.08, COLOURS.ink]])) {
    brush.save();
    brush.translate(x + 24, 92);
    brush.rotate(turn);
    brush.fillStyle = colour;
    brush.beginPath();
    brush.roundRect(-22, -32, 44, 64, 7);
    brush.fill();
    brush.restore();
  }
}

/** My place, and around it how many of the others I have beaten. @param {CanvasRenderingContext2D} brush @param {Server.DailyTry} mine */
function ring(brush, mine) {
  const { x, y, radius } = RING;
  const top = -Math.PI / 2;
  brush.lineWidth = 34;
  brush.lineCap = "round";
  for (const [share, colour] of /** @type {[number, string][]} */ ([[1, COLOURS.track], [mine.beaten ?? 0, COLOURS.gold]])) {
    if (!share) continue;
    brush.strokeStyle = colour;
    brush.beginPath();
    brush.arc(x, y, radius, top, top + share * 2 * Math.PI);
    brush.stroke();
  }
  write(brush, String(mine.place), x, y + 22, 118, { bold: true, middle: true, room: 260 });
  write(brush, t("daily.of", { n: mine.total ?? 0 }), x, y + 84, 36, { colour: COLOURS.soft, middle: true, room: 260 });
  if (mine.beaten !== null) write(brush, t("daily.ahead", { share: percent(mine.beaten) }), x, 560, 32, { middle: true, room: 460 });
}

/**
 * @param {CanvasRenderingContext2D} brush @param {string} text @param {number} x @param {number} y the foot of the letters @param {number} size
 * @param {{ colour?: string, bold?: boolean, middle?: boolean, room?: number }} [look] `room`: wider text is squeezed
 */
function write(brush, text, x, y, size, { colour = COLOURS.ink, bold = false, middle = false, room } = {}) {
  brush.font = `${bold ? 700 : 400} ${size}px ${FONT}`;
  brush.fillStyle = colour;
  brush.textAlign = middle ? "center" : "left";
  brush.fillText(text, x, y, room);
}
