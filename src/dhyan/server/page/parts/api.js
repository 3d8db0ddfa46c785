// The way to the server. What was fetched is kept for a while: the same number is often looked at twice.

import { said, t } from "./i18n.js";
import { Numbers } from "./numbers.js";
import { recallForNow } from "./storage.js";
import { ask as transported, isAnswering } from "./transport.js";

// Below where the page is served, so a proxy may put it under any prefix.
const API = new URL("api/v1/", document.baseURI).pathname;
const KEPT = 400; // answers
const KEPT_BYTES = 64 * 2 ** 20; // of all of them together
const kept = new Map(); // path → { answer (when it comes), bytes }, what was asked for last at the end

const REFUSED = [400, 404, 413, 422]; // what was asked cannot be, whenever it is asked

export class Problem extends Error {
  constructor(sentence, status = 0) {
    super(said(sentence));
    this.sentence = sentence; // as the server said it
    this.isRefused = REFUSED.includes(status);
  }
}

/** The server wants a key, or another one than was given. */
export class KeyProblem extends Problem {}

const PAUSES = [300, 600, 1000, 2000]; // milliseconds between two tries while the server does not answer
const TRIES = 3; // of one question: whatever ends the server each time is not asked for ever
const LONGEST_PAUSE = 10; // seconds that a busy server may ask us to wait
const LONGEST_PATH = 60_000; // characters: servers take no longer line, and say nothing about the text in it

const listeners = new Set();
/** Called with "lost", "busy" or "back". */
export const whenServerChanges = (listener) => listeners.add(listener);
const tellAll = (now) => listeners.forEach((listener) => listener(now));

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

let waiting = null; // for a server that does not answer: one wait for all who ask

/** When the server answers; whether it had been lost. */
export async function whenServerAnswers() {
  if (!waiting && (await isAnswering())) return false;
  waiting ??= (async () => {
    tellAll("lost");
    for (let tries = 0; !(await isAnswering()); tries += 1) await pause(PAUSES[Math.min(tries, PAUSES.length - 1)]);
    waiting = null;
    tellAll("back");
  })();
  await waiting;
  return true;
}

const aborted = (signal) =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason), { once: true }));

/** Ask, and ask again where the server does not answer or has too much to do; `read` takes what it needs. */
async function fetched(path, options = {}, read = (answer) => answer) {
  if (path.length > LONGEST_PATH)
    throw new Problem(t("This text is much too long to be opened up; take a few sentences of it."), 413);
  const key = recallForNow("key");
  const headers = { ...options.headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  let busy = false;
  for (let tries = 1; ; tries += 1) {
    let answer;
    try {
      answer = await transported(path, { ...options, headers });
      if (answer.ok) {
        if (busy) tellAll("back");
        return await read(answer);
      }
    } catch (problem) {
      if (problem.name === "AbortError") throw problem; // nobody waits for it any more
      if (!(problem instanceof TypeError)) throw problem;
      if (tries === TRIES) throw new Problem(t("The server does not answer; is `dhyan serve` still running?"));
      await Promise.race([whenServerAnswers(), aborted(options.signal)]);
      continue;
    }
    const wait = Number(answer.headers.get("Retry-After"));
    if (answer.status === 503 && wait > 0 && wait <= LONGEST_PAUSE && tries < TRIES) {
      busy = true;
      tellAll("busy");
      await Promise.race([pause(1000 * wait), aborted(options.signal)]);
      continue;
    }
    if (busy) tellAll("back");
    const problem = await answer.json().catch(() => ({}));
    const sentence = problem.error ?? `${t("The server answered")} ${answer.status}.`;
    throw answer.status === 401 ? new KeyProblem(sentence) : new Problem(sentence, answer.status);
  }
}

let unfinished = new Map(); // path → how to abort what is asked for there

/** Nobody waits any more for what was asked so far: the server can stop computing it. */
export function giveUpUnfinished() {
  const given = unfinished;
  unfinished = new Map();
  for (const [path, controller] of given) {
    kept.delete(path);
    controller.abort();
  }
}

function ask(path, read) {
  const controller = new AbortController();
  unfinished.set(path, controller);
  const one = { answer: null, bytes: 0 };
  const counted = async (answer) => {
    const [content, bytes] = await read(answer);
    one.bytes = bytes;
    return content;
  };
  one.answer = fetched(path, { signal: controller.signal }, counted);
  const finished = () => unfinished.get(path) === controller && unfinished.delete(path);
  const fails = () => finished() && kept.delete(path);
  one.answer.then(() => finished() && forgetOldest(), fails);
  return one;
}

function forgetOldest() {
  let bytes = 0;
  for (const one of kept.values()) bytes += one.bytes;
  for (const [path, one] of kept) {
    if (kept.size <= KEPT && bytes <= KEPT_BYTES) return;
    bytes -= one.bytes;
    kept.delete(path);
  }
}

/** read: an answer → what is in it, and how many bytes that takes. */
function remembered(path, read) {
  const one = kept.get(path) ?? ask(path, read);
  kept.delete(path);
  kept.set(path, one);
  return one.answer;
}

async function written(answer) {
  const content = await answer.text();
  return [content, 2 * content.length];
}

async function structured(answer) {
  const [content, bytes] = await written(answer);
  return [JSON.parse(content), bytes];
}

/** What may have changed since it was last asked for. */
export const getNow = (path) => fetched(url(path), {}, (answer) => answer.json());
export const get = (path, question) => remembered(url(path, question), structured);
export const text = (path, question) => remembered(url(path, question), written);
export const bytes = (path, question) =>
  remembered(url(path, question), async (answer) => {
    const content = new Uint8Array(await answer.arrayBuffer());
    return [content, content.byteLength];
  });

export const stop = (path) => fetched(url(path), { method: "DELETE" });

export function post(path, content, signal) {
  const headers = { "Content-Type": "application/json" };
  const options = { method: "POST", headers, body: JSON.stringify(content), signal };
  return fetched(url(path), options, (answer) => answer.json());
}

/** Send a form; the answer is read while it comes, a line of JSON at a time. */
export async function postLines(path, form, signal, read) {
  const answer = await fetched(url(path), { method: "POST", body: form, signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read().catch((problem) => {
      throw problem.name === "AbortError" ? problem : new Problem(t("The answer of the server was cut off; try again."));
    });
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) if (line) read(JSON.parse(line));
    if (done) return;
  }
}

export const blob = async (path) => (await fetched(url(path))).blob();

/** Any numbers by address, as float32. */
export function numbers(address, question, words = false) {
  const path = url(`at/${encodeURIComponent(address)}`, question, words ? { words: "true" } : {});
  return remembered(path, async (answer) => {
    const list = (name) => (answer.headers.get(name) ?? "").split(",").filter(Boolean);
    const data = new Float32Array(await answer.arrayBuffer());
    return [new Numbers(address, list("Dhyan-Shape").map(Number), list("Dhyan-Axes"), data), data.byteLength];
  });
}

/** The address of a path of the API, with the question that it is about. */
export function url(path, question = {}, more = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...question, ...more })) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") parameters.append(name, one);
    }
  }
  const query = parameters.toString();
  return API + (query ? `${path}?${query}` : path);
}
