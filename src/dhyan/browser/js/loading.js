// A pack, ready to be used for what it was trained for.

import { DhyanError } from "./core/errors.js";
import { startEngine } from "./engines/engine.js";
import { Writer } from "./engines/writer.js";
import { useFastProducts } from "./explain/fast-products.js";
import { Pack } from "./pack/pack.js";
import { Translator } from "./translation/translator.js";
import { Classifier } from "./vectors/classifier.js";
import { Embedder } from "./vectors/embedder.js";

export const MODEL_CLASSES = { translate: Translator, embed: Embedder, classify: Classifier, write: Writer };

/**
 * A `Translator`, `Embedder`, `Classifier` or `Writer`.
 * @param {string} name
 * @param {(file: string) => Promise<Uint8Array>} read a file of the pack
 */
export async function load(name, read) {
  const pack = await Pack.open(name, read);
  const Model = MODEL_CLASSES[pack.manifest.task];
  if (!Model) throw new DhyanError(`${name}: a pack for '${pack.manifest.task}' cannot be used here.`);
  await useFastProducts(); // of what is explained
  return new Model(pack, await startEngine(pack));
}
