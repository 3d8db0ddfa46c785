// The worker of a site: what `dhyan serve` answers, answered in the tab. One question after the other; whoever goes away
// while others wait is not answered.
//
// The page sends { id, method, path, body } or { abort: id }; it gets { id, status, headers, body }, and
// { fetching: { name, done, of, isOver } } while a pack comes.

import { problem } from "./api/answers.js";
import { Router } from "./api/router.js";
import { routes as modelRoutes } from "./api/routes-models.js";
import { ServedPacks } from "./api/served-packs.js";
import { setRules } from "./rules.js";
import { StoredFiles } from "./stored-files.js";

const ROOT = new URL("../../", import.meta.url); // of the site: this is in VERSION/js
const assets = async (name) => (await fetch(new URL(`../${name}`, import.meta.url))).json();

const first = new Router(modelRoutes); // the page is seen before the rest has come
const rest = Promise.all([import("./api/all-routes.js"), assets("js/rules.json").then(setRules)]);
rest.catch((error) => console.error(error));
const models = assets("site.json").then(opened);

function opened(site) {
  const come = new Map(); // path → bytes
  const coming = new Set(); // paths
  const files = Object.entries(site.packs).flatMap(([, pack]) =>
    Object.entries(pack.files).map(([file, wanted]) => [`${pack.folder}/${file}`, wanted]),
  );
  const tell = (path, bytes, how) => {
    come.set(path, bytes);
    coming[how === "fetched" && bytes < stored.files[path].bytes ? "add" : "delete"](path);
    const [name, { folder, files: own }] = Object.entries(site.packs).find(([, one]) =>
      path.startsWith(`${one.folder}/`),
    );
    const sum = (count) => Object.keys(own).reduce((total, file) => total + count(file), 0);
    const isOver = !Object.keys(own).some((file) => coming.has(`${folder}/${file}`));
    if (how === "stored" && isOver) return;
    const done = sum((file) => come.get(`${folder}/${file}`) ?? 0);
    postMessage({ fetching: { name, done, of: sum((file) => own[file].bytes), isOver } });
  };
  const stored = new StoredFiles(ROOT, Object.fromEntries(files), tell);
  stored.forgetOthers().catch(() => null);
  return Object.assign(new ServedPacks(site, stored), { assets });
}

const waiting = []; // questions, in their order
const { port1: bell, port2: ring } = new MessageChannel();
let isAwake = false;

addEventListener("message", ({ data }) => {
  if ("abort" in data) {
    const at = waiting.findIndex((one) => one.id === data.abort);
    if (at >= 0) waiting.splice(at, 1);
    return;
  }
  waiting.push(data);
  wake();
});

/** Between two questions the messages that have come are read: some may be given up by now. */
function wake() {
  if (isAwake) return;
  isAwake = true;
  ring.postMessage(null);
}

bell.onmessage = () => {
  isAwake = false;
  const question = waiting.shift();
  if (!question) return;
  answer(question);
  if (waiting.length) wake();
};

async function answer(question) {
  const { id, method, path, body } = question;
  let found;
  try {
    const known = await models;
    const isFirst = /^(models|stored)\b/.test(path);
    const router = isFirst ? first : (await rest)[0].router;
    found = await router.answer(known, { method, path, body });
  } catch (error) {
    console.error(error);
    found = problem(503, "this site is incomplete, or there is no connection: load the page again.");
  }
  postMessage({ id, ...found }, { transfer: found.body instanceof ArrayBuffer ? [found.body] : [] });
}
