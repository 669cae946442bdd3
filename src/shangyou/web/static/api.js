// The server: requests, and the live table over a socket that reconnects by itself.

import { refusal, t } from "./words.js";

const ROOT = "/api/v1";

/** @type {Map<string, Promise<any>>} answers that are waited for, of requests that change something */
const underWay = new Map();

/** Who clicks twice gets one answer twice: the same change is not asked for again while the first has no answer.
 * @param {string} method @param {string} path @param {any} [body] */
function change(method, path, body) {
  const key = JSON.stringify([method, path, body]);
  const answer = underWay.get(key) ?? ask(method, path, body).finally(() => underWay.delete(key));
  underWay.set(key, answer);
  return answer;
}

/**
 * The answer of the server; a refusal is an error in the chosen language, with its code, and the name and values of its sentence as
 * `words`.
 * @param {string} method @param {string} path @param {any} [body]
 */
async function ask(method, path, body) {
  const text = typeof body === "string";
  /** @type {Record<string, string>} */ const headers = body === undefined ? {} : { "Content-Type": text ? "text/plain; charset=utf-8" : "application/json" };
  const sent = body === undefined || text ? body : JSON.stringify(body);
  const answer = await fetch(`${ROOT}/${path}`, { method, headers, body: sent, credentials: "same-origin" }).catch(() => {
    throw new Error(t("no.offline"));
  });
  const isJson = (answer.headers.get("content-type") ?? "").startsWith("application/json");
  const content = isJson ? await answer.json() : await answer.text();
  if (!answer.ok)
    throw Object.assign(new Error(content?.code ? refusal(content) : answer.statusText), { code: content?.code, words: content?.words });
  return content;
}

/** @template {string} P @param {P} path @returns {Promise<Server.Got<`GET ${P}`>>} */
export const get = (path) => ask("GET", path);
/** @template {string} P @param {P} path @param {Server.Body<`POST ${P}`>} [body] @returns {Promise<Server.Got<`POST ${P}`>>} */
export const post = (path, body) => change("POST", path, body ?? {});
/** @template {string} P @param {P} path @returns {Promise<Server.Got<`DELETE ${P}`>>} */
export const remove = (path) => change("DELETE", path);
/** @param {string} path */
export const url = (path) => `${ROOT}/${path}`;

/**
 * Server-sent events as they come; a refusal is an error, as of `ask`. Unlike an EventSource it says why, and does not ask again.
 * @param {string} path @param {(message: any) => void} onmessage @param {AbortSignal} signal stops it
 */
export async function events(path, onmessage, signal) {
  const answer = await fetch(`${ROOT}/${path}`, { credentials: "same-origin", signal });
  if (!answer.ok || !answer.body) throw new Error(refusal(await answer.json()));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let waiting = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const whole = (waiting + value).split("\n\n");
    waiting = whole.pop() ?? "";
    for (const event of whole) onmessage(JSON.parse(event.replace(/^data: /, "")));
  }
}

const FIRST_WAIT = 300;
const LONGEST_WAIT = 8000;
const PING_EVERY = 20000;
const ANSWER_WITHIN = 8000; // a connection that was cut without notice stays open for minutes, and what is sent on it is lost
const PING = { kind: "ping" };
const FOR_GOOD = new Set([1008, 4400, 4401, 4403, 4404, 4429]); // closed by the server on purpose; connecting again is no use

/** A live table. Calls back with messages, and with "on", "off" or "gone" as the connection changes. */
export class Live {
  /** @param {string} table @param {(message: any) => void} onmessage @param {(state: string, why?: string) => void} onstate */
  constructor(table, onmessage, onstate) {
    this.table = table;
    this.onmessage = onmessage;
    this.onstate = onstate;
    this.wait = FIRST_WAIT;
    this.closed = false;
    /** @type {any} */ this.timer = undefined;
    /** @type {any} of an answer that does not come */ this.silence = undefined;
    this.wake = () => document.visibilityState === "visible" && this.again();
    document.addEventListener("visibilitychange", this.wake);
    window.addEventListener("online", this.wake);
    this.cut = () => this.giveUp();
    window.addEventListener("offline", this.cut);
    this.ping = setInterval(() => this.send(PING), PING_EVERY);
    this.socket = this.open();
  }

  /** @returns {WebSocket} */
  open() {
    clearTimeout(this.timer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${ROOT}/tables/${encodeURIComponent(this.table)}/live`);
    this.socket = socket;
    socket.onopen = () => this.onstate("on");
    this.expectAnswer();
    socket.onmessage = (event) => {
      this.expectNothing();
      this.wait = FIRST_WAIT;
      this.onmessage(JSON.parse(event.data));
    };
    socket.onclose = (event) => socket === this.socket && this.lost(event);
    return socket;
  }

  /** Closes the connection if no message comes for too long. */
  expectAnswer() {
    this.silence ??= setTimeout(() => this.giveUp(), ANSWER_WITHIN);
  }

  /** The connection is dead, whatever the browser still believes of it. */
  giveUp() {
    this.socket.onclose = null;
    this.socket.close();
    this.lost({ code: 1006 });
  }

  expectNothing() {
    clearTimeout(this.silence);
    this.silence = undefined;
  }

  /** @param {{ code: number, reason?: string }} event */
  lost(event) {
    this.expectNothing();
    if (this.closed) return;
    if (FOR_GOOD.has(event.code)) return this.onstate("gone", event.reason);
    this.onstate("off");
    this.timer = setTimeout(() => this.open(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(this.wait * 1.7, LONGEST_WAIT);
  }

  /** Connects at once if the connection is down; else sends a ping to find out whether it is. */
  again() {
    if (!this.closed && this.socket.readyState >= WebSocket.CLOSING) this.open();
    else this.send(PING);
  }

  /** @returns {boolean} whether it could be sent @param {any} message */
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    if (message.kind !== "hint") this.expectAnswer(); // a hint takes as long as it takes
    return true;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.expectNothing();
    clearInterval(this.ping);
    document.removeEventListener("visibilitychange", this.wake);
    window.removeEventListener("online", this.wake);
    window.removeEventListener("offline", this.cut);
    this.socket.close();
  }
}
