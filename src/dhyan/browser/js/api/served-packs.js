// The packs of the site: described at once, fetched and started when first asked for.

import { didYouMean } from "../core/errors.js";
import { HttpError } from "./http-errors.js";

const DOES = { embed: ["embed", "classify"] }; // a classifier's encoder embeds too
const MOST_LOADED = 3; // packs that are ready at a time; a phone has little memory

export class ServedPacks {
  #loaded = new Map(); // name → its model (when it comes), what was asked for last at the end
  #embedders = new WeakMap();

  /**
   * @param {{ models: any, packs: Record<string, { folder: string, files: object }> }} site
   * @param {import("../stored-files.js").StoredFiles} files
   */
  constructor(site, files) {
    this.site = site;
    this.files = files;
  }

  /** What a pack says of itself; without a name, the first. */
  find(name = "") {
    const { models } = this.site.models;
    if (!models.length) throw new HttpError(404, "this site has no pack.");
    const found = name ? models.find((one) => one.name === name) : models[0];
    if (!found) {
      const names = models.map((one) => one.name);
      throw new HttpError(404, `no pack '${name}' is served here${didYouMean(name, names)}.`);
    }
    return found;
  }

  /** One that can do this; without a name, the first that can. */
  findFor(task, name = "") {
    const able = this.site.models.models.filter((one) => (DOES[task] ?? [task]).includes(one.task));
    if (!name && able.length) return able[0];
    if (!name) throw new HttpError(404, this.site.models.how_to_get[task]);
    const found = this.find(name);
    if (!able.includes(found))
      throw new HttpError(400, `'${name}' is a pack for \`dhyan ${found.task}\`, not for \`dhyan ${task}\`.`);
    return found;
  }

  /** A pack that is ready: a Translator, Embedder, Classifier or Writer, with its name. */
  get(name = "") {
    return this.#model(this.find(name ?? "").name);
  }

  getFor(task, name = "") {
    return this.#model(this.findFor(task, name ?? "").name);
  }

  /** A classifier's encoder embeds too. */
  async embedder(name = "") {
    const { Embedder } = await import("../vectors/embedder.js");
    const model = await this.getFor("embed", name);
    if (model instanceof Embedder) return model;
    if (!this.#embedders.has(model)) this.#embedders.set(model, new Embedder(model.pack, model.engine));
    return this.#embedders.get(model);
  }

  #model(name) {
    const model = this.#loaded.get(name) ?? this.#load(name);
    this.#loaded.delete(name);
    this.#loaded.set(name, model);
    for (const other of this.#loaded.keys()) {
      if (this.#loaded.size <= MOST_LOADED) break;
      this.#loaded.delete(other);
    }
    return model;
  }

  #load(name) {
    const { folder } = this.site.packs[name];
    const model = import("../loading.js").then(async ({ load }) => {
      const loaded = await load(name, (file) => this.files.read(`${folder}/${file}`));
      return Object.assign(loaded, { name });
    });
    model.catch(() => this.#loaded.delete(name)); // the next who asks tries again
    return model;
  }
}
