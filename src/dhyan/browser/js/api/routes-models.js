// What the site has, and what of it is stored in this browser.

import { json } from "./answers.js";
import { HttpError } from "./http-errors.js";

export const routes = {
  "GET models": ({ site }) => json(site.models),

  /** Pack by pack, how many of its bytes are stored. */
  "GET stored": async ({ site, files }) => {
    const stored = await files.list();
    const packs = Object.entries(site.packs).map(([name, { folder, files: own, licence }]) => {
      const paths = Object.keys(own).map((file) => `${folder}/${file}`);
      const sum = (count) => paths.reduce((total, path) => total + count(path), 0);
      return { name, licence, bytes: sum((path) => stored[path] ?? 0), of: sum((path) => files.files[path].bytes) };
    });
    return json({ packs, version: site.version });
  },

  /** A pack before it is needed, so that it is there without a connection. */
  "POST stored/:name": async ({ site, files }, { parts: { name } }) => {
    if (!Object.hasOwn(site.packs, name)) throw new HttpError(404, `this site has no pack ${name}.`);
    const { folder, files: own } = site.packs[name];
    for (const file of Object.keys(own)) await files.read(`${folder}/${file}`);
    return json({ stored: name });
  },

  "DELETE stored": async ({ files }) => json({ cleared: await files.clear() }),
};
