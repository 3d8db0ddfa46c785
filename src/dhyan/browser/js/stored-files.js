// Files of packs: fetched when they are first needed, kept in the browser's Cache Storage, and checked whenever read.

import { DhyanError } from "./core/errors.js";

const TRIES = 2; // of a file that comes broken

/** The bytes of a file on a server; tell: gets how many have come. */
export async function fetchedFile(address, tell = (_bytes) => {}, signal = null) {
  let answer;
  try {
    answer = await fetch(address, { cache: "no-store", signal }); // kept by us, so not by the browser, too
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new DhyanError(`${address} could not be fetched: there is no connection; try again when there is one.`, 503);
  }
  if (!answer.ok) throw new DhyanError(`${address} could not be fetched: the answer was ${answer.status}.`, 404);
  if (!answer.body) return new Uint8Array(await answer.arrayBuffer());
  const pieces = [];
  let count = 0;
  const reader = answer.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((problem) => {
      if (problem.name === "AbortError") throw problem;
      throw new DhyanError(`${address} was cut off after ${count} bytes; try again.`, 503);
    });
    if (done) break;
    pieces.push(value);
    count += value.length;
    tell(count);
  }
  if (pieces.length === 1) return pieces[0];
  const bytes = new Uint8Array(count);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Whether these are the bytes that the site was built with. A page that is not secure has no digests: then by size. */
async function isWhole(bytes, { bytes: size, sha256 }) {
  if (bytes.length !== size) return false;
  if (!globalThis.crypto?.subtle) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return sha256 === [...digest].map((one) => one.toString(16).padStart(2, "0")).join("");
}

export class StoredFiles {
  /**
   * @param {URL} root the folder of the site
   * @param {Record<string, { bytes: number, sha256: string }>} files path below it → what it must be
   * @param {(path: string, bytes: number, how: "stored" | "fetched" | "failed") => void} tell how much of a file is here
   */
  constructor(root, files, tell = (_path, _bytes, _how) => {}) {
    this.root = root;
    this.files = files;
    this.tell = tell;
    this.name = `dhyan packs ${root.pathname}`; // other sites of the same host have their own
  }

  /** A file, whole: from the store, or fetched and stored. */
  async read(path) {
    const { href } = new URL(path, this.root);
    const wanted = this.files[path];
    const kept = await this.#kept(href);
    if (kept && (await isWhole(kept, wanted))) {
      this.tell(path, wanted.bytes, "stored");
      return kept;
    }
    try {
      const bytes = await this.#fetchWhole(path, href);
      await this.#keep(href, bytes);
      this.tell(path, wanted.bytes, "fetched");
      return bytes;
    } catch (problem) {
      this.tell(path, 0, "failed");
      throw problem;
    }
  }

  async #fetchWhole(path, href) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const bytes = await fetchedFile(href, (count) => this.tell(path, count, "fetched"));
      if (await isWhole(bytes, this.files[path])) return bytes;
    }
    throw new DhyanError(`${path} is not the file that this site was built with; load the page again.`, 503);
  }

  /** path → bytes of what is stored. */
  async list() {
    if (!(await globalThis.caches?.has(this.name).catch(() => false))) return {};
    const cache = await this.#cache();
    const known = new Map(Object.keys(this.files).map((path) => [new URL(path, this.root).href, path]));
    const found = {};
    for (const { url } of (await cache?.keys()) ?? [])
      if (known.has(url)) found[known.get(url)] = this.files[known.get(url)].bytes;
    return found;
  }

  clear() {
    return globalThis.caches?.delete(this.name) ?? false;
  }

  /** What an earlier version of the site had and this one has not takes no room. */
  async forgetOthers() {
    if (!(await globalThis.caches?.has(this.name))) return;
    const cache = await this.#cache();
    const known = new Set(Object.keys(this.files).map((path) => new URL(path, this.root).href));
    for (const request of (await cache?.keys()) ?? []) if (!known.has(request.url)) await cache.delete(request);
  }

  async #cache() {
    try {
      return await globalThis.caches?.open(this.name);
    } catch {
      return null; // a browser that keeps nothing: then it is fetched at every visit
    }
  }

  async #kept(href) {
    const cache = await this.#cache();
    try {
      const answer = await cache?.match(href);
      return answer ? new Uint8Array(await answer.arrayBuffer()) : null;
    } catch {
      return null; // half of it, or unreadable: as good as none
    }
  }

  async #keep(href, bytes) {
    const cache = await this.#cache();
    try {
      await cache?.put(href, new Response(bytes, { headers: { "Content-Length": String(bytes.length) } }));
    } catch {
      // no room: it works without, and is fetched again at the next visit
    }
  }
}
