// Keeps the page's own files, so that it opens without a connection. Packs are kept by the worker: stored-files.js.
// `dhyan site` fills in the version, a digest of all files, and the files with their digests.

const PAGE = { version: "", files: {} };

const worker = /** @type {any} */ (self); // the type checker knows only windows
const ROOT = new URL("./", location.href);
const NAME = `dhyan page ${ROOT.pathname} ${PAGE.version}`; // other sites of the same host have their own
const addressOf = (path) => new URL(path, ROOT).href;

/** All files or none: a digest that does not fit, or a file that does not come, leaves the version that was there. */
async function fetchAll() {
  const cache = await caches.open(NAME);
  const fetchOne = async ([path, integrity]) => {
    const answer = await fetch(addressOf(path), { integrity, cache: path ? "default" : "no-cache" });
    if (!answer.ok) throw new TypeError(`${path}: ${answer.status}`);
    await cache.put(addressOf(path), answer);
  };
  const left = Object.entries(PAGE.files);
  const take = async () => {
    while (left.length) await fetchOne(left.pop());
  };
  await Promise.all(Array.from({ length: 8 }, take));
}

async function forgetOthers() {
  const ours = `dhyan page ${ROOT.pathname} `;
  for (const name of await caches.keys()) if (name.startsWith(ours) && name !== NAME) await caches.delete(name);
  await worker.clients.claim();
}

worker.addEventListener("install", (event) => event.waitUntil(fetchAll()));
worker.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
worker.addEventListener("message", ({ data }) => data === "take over" && worker.skipWaiting());

worker.addEventListener("fetch", (event) => {
  const { method, url, mode } = event.request;
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== ROOT.origin || !pathname.startsWith(ROOT.pathname)) return;
  const path = pathname.slice(ROOT.pathname.length);
  const asked = mode === "navigate" && path === "index.html" ? "" : path;
  if (!Object.hasOwn(PAGE.files, asked)) return;
  event.respondWith(
    caches
      .open(NAME)
      .then((cache) => cache.match(addressOf(asked)))
      .then((kept) => kept ?? fetch(event.request)),
  );
});
