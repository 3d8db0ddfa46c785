// The way to the server. What was fetched is kept for a while: the same number is often looked at twice.

import { Numbers } from "./numbers.js";
import { recallForNow } from "./storage.js";

// Below where the page is served, so a proxy may put it under any prefix.
const API = new URL("../../api/v1/", import.meta.url).pathname;
const KEPT = 400;
const kept = new Map();

export class Problem extends Error {}

/** The server wants a key, or another one than was given. */
export class KeyProblem extends Problem {}

async function fetched(path, options = {}) {
  const key = recallForNow("key");
  const headers = { ...options.headers, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem; // nobody waits for it any more
    throw new Problem("The server does not answer; is `dhyan serve` still running?");
  }
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  const sentence = problem.error ?? `The server answered ${answer.status}.`;
  throw answer.status === 401 ? new KeyProblem(sentence) : new Problem(sentence);
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

function remembered(path, read) {
  if (!kept.has(path)) {
    const controller = new AbortController();
    unfinished.set(path, controller);
    const found = fetched(path, { signal: controller.signal }).then(read);
    const finished = () => unfinished.get(path) === controller && unfinished.delete(path);
    found.then(finished, () => finished() && kept.delete(path));
    kept.set(path, found);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  }
  return kept.get(path);
}

/** What may have changed since it was last asked for. */
export const getNow = async (path) => (await fetched(url(path))).json();
export const get = (path, question) => remembered(url(path, question), (answer) => answer.json());
export const text = (path, question) => remembered(url(path, question), (answer) => answer.text());
export const bytes = (path, question) =>
  remembered(url(path, question), async (answer) => new Uint8Array(await answer.arrayBuffer()));

export const stop = (path) => fetched(url(path), { method: "DELETE" });

export async function post(path, content, signal) {
  const headers = { "Content-Type": "application/json" };
  return (await fetched(url(path), { method: "POST", headers, body: JSON.stringify(content), signal })).json();
}

/** Any numbers by address, as float32. */
export function numbers(address, question, words = false) {
  const path = url(`at/${encodeURIComponent(address)}`, question, words ? { words: "true" } : {});
  return remembered(path, async (answer) => {
    const list = (name) => (answer.headers.get(name) ?? "").split(",").filter(Boolean);
    const data = new Float32Array(await answer.arrayBuffer());
    return new Numbers(address, list("Dhyan-Shape").map(Number), list("Dhyan-Axes"), data);
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
