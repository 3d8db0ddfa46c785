// How the page's questions reach what answers them: in a site, a worker of this tab. It has the place of the page's own
// parts/transport.js, which asks a server.

/** A module of one function that gives a vector: whoever reads it has WebAssembly SIMD. */
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];
const TOO_OLD =
  "this browser cannot run Dhyan, which needs WebAssembly SIMD and module workers: update it, or use another.";
const NOT_COME = "this site is incomplete, or there is no connection: load the page again.";
const API = new URL("api/v1/", document.baseURI).pathname;

const asked = new Map(); // id → what to do with its answer
const listeners = new Set();
let count = 0;
let worker = null;

const refusal = (sentence) =>
  new Response(JSON.stringify({ error: sentence }), { status: 501, headers: { "Content-Type": "application/json" } });

const isNewEnough = () =>
  typeof Worker !== "undefined" && Boolean([].toSorted) && globalThis.WebAssembly?.validate(new Uint8Array(SIMD));

/** null where the browser cannot do it. */
function started() {
  if (worker || !isNewEnough()) return worker;
  worker = new Worker(new URL("../../js/worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { id, fetching, status, headers, body } }) => {
    if (fetching) listeners.forEach((listener) => listener(fetching));
    else asked.get(id)?.(new Response(status === 204 ? null : body, { status, headers }));
  };
  worker.onerror = (event) => {
    event.preventDefault();
    worker = null; // it never came to be
    const sentence = event.message ? TOO_OLD : NOT_COME; // what was read is no module here, or nothing could be read
    for (const settle of asked.values()) settle(refusal(sentence));
  };
  return worker;
}

/** One question; the answer is a Response, as of fetch. */
export function ask(address, { method = "GET", body = null, signal = null } = {}) {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const to = started();
  if (!to) return Promise.resolve(refusal(TOO_OLD));
  count += 1;
  const id = count;
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      asked.delete(id);
      to.postMessage({ abort: id });
      reject(signal.reason);
    };
    signal?.addEventListener("abort", giveUp, { once: true });
    asked.set(id, (answer) => {
      asked.delete(id);
      signal?.removeEventListener("abort", giveUp);
      resolve(answer);
    });
    const path = address.slice(API.length);
    to.postMessage({ id, method, path, body: typeof body === "string" ? body : null });
  });
}

/** Whether questions are answered now. */
export const isAnswering = async () => true;

/** What only a tab that answers itself has. */
export const tab = {
  /** Called with { name, done, of, isOver } while a pack is fetched: bytes. */
  whenFetching: (listener) => listeners.add(listener),

  /** The page itself is stored, too: it is forgotten, and fetched at the next visit. */
  async forgetPage() {
    for (const one of (await navigator.serviceWorker?.getRegistrations()) ?? [])
      if (one.scope === new URL("./", document.baseURI).href) await one.unregister();
    for (const name of (await globalThis.caches?.keys()) ?? [])
      if (name.startsWith(`dhyan page ${new URL("./", document.baseURI).pathname} `)) await caches.delete(name);
  },
};

/** The page's own files are kept for when there is no connection. A new version takes over at the next visit. */
async function keepPage() {
  const isRenewed = Boolean(navigator.serviceWorker.controller);
  navigator.serviceWorker.addEventListener("controllerchange", () => isRenewed && location.reload(), { once: true });
  const registration = await navigator.serviceWorker.register(new URL("service-worker.js", document.baseURI));
  registration.waiting?.postMessage("take over");
}

if ("serviceWorker" in navigator)
  window.addEventListener("load", () => keepPage().catch(() => null)); // without it, it works as long as it is open
