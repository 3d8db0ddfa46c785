// Reading packs, and saying all that is wrong with a broken one at once.

import { DhyanError } from "../core/errors.js";
import { GenerationSettings } from "../generation/settings.js";
import { hasDecoder, hasEncoder, parameterShapes } from "./parameter-shapes.js";
import { readManifest } from "./manifest.js";
import { Weights } from "./weights-file.js";
import { JoinedWeights, NUMBERS, WORDS, readWordsHead } from "./words-head.js";

export const MANIFEST = "pack.json";
export const WEIGHTS = "model.safetensors";
const MOST_PROBLEMS = 20; // reported at once; other weights altogether would give thousands

/** A trained model: its description, its weights, its tokenizers. */
export class Pack {
  constructor(name, manifest, weights, tokenizers, wordsHead = null) {
    this.name = name;
    this.folder = name; // what messages call it, as in Python
    this.manifest = manifest;
    this.weights = weights;
    this.wordsHead = wordsHead; // what is added to a classifier's logits for the words of a text, or null
    this.learnt = wordsHead ? new JoinedWeights(weights, wordsHead.weights) : weights; // all that has an address
    this.tokenizers = tokenizers; // side (source, target) → tokenizer, twice the same where they share one
  }

  /**
   * Open a pack and check it; one DhyanError lists every problem of a broken one.
   * @param {string} name
   * @param {(file: string) => Promise<Uint8Array>} read a file of the pack
   */
  static async open(name, read) {
    const [description, numbers] = await Promise.all([present(name, MANIFEST, read), present(name, WEIGHTS, read)]);
    const manifest = readManifest(description, `${name}/${MANIFEST}`);
    const weights = new Weights(numbers, `${name}/${WEIGHTS}`);
    const tokenizers = await readTokenizers(name, manifest, read);
    const problems = [...weightProblems(manifest, weights), ...vocabularyProblems(manifest, tokenizers)];
    if (problems.length) {
      const count = problems.length === 1 ? "1 problem" : `${problems.length.toLocaleString("en")} problems`;
      const shown = problems.slice(0, MOST_PROBLEMS);
      if (problems.length > MOST_PROBLEMS) shown.push("…");
      throw new DhyanError(`${name} is broken (${count}): ${shown.join("; ")}.`);
    }
    return new Pack(name, manifest, weights, tokenizers, await wordsHead(name, manifest, read));
  }

  /** Of what the encoder reads. */
  get sourceTokenizer() {
    return this.tokenizers.source ?? null;
  }

  /** Of what the decoder writes. */
  get targetTokenizer() {
    return this.tokenizers.target ?? null;
  }

  /** The only one of an encoder or a decoder alone. */
  get tokenizer() {
    const tokenizer = this.sourceTokenizer ?? this.targetTokenizer;
    if (!tokenizer) throw new DhyanError(`${this.name} has no vocabulary.`);
    return tokenizer;
  }

  /** The pack's own settings for a search. */
  get decoding() {
    return new GenerationSettings(this.manifest.decoding);
  }
}

async function present(name, file, read) {
  let bytes = null;
  try {
    bytes = await read(file);
  } catch (error) {
    if (error instanceof DhyanError) throw error;
  }
  if (!bytes) throw new DhyanError(`${name} is broken (1 problem): ${file} is missing.`, 404);
  return bytes;
}

async function wordsHead(name, manifest, read) {
  if (!manifest.words_head) return null;
  const files = await Promise.all([present(name, WORDS, read), present(name, NUMBERS, read)]);
  return readWordsHead(name, ...files, manifest.words_head, manifest.architecture.labels);
}

async function readTokenizers(name, manifest, read) {
  const { Tokenizer } = await import("../text/tokenizer.js");
  const found = new Map();
  for (const file of new Set(Object.values(manifest.tokenizers))) {
    const text = new TextDecoder().decode(await present(name, file, read));
    found.set(file, Tokenizer.fromJson(text, `${name}/${file}`));
  }
  return Object.fromEntries(Object.entries(manifest.tokenizers).map(([side, file]) => [side, found.get(file)]));
}

/** Names and shapes against the architecture, before anything of that size is allocated. */
function weightProblems(manifest, weights) {
  const expected = parameterShapes(manifest.architecture);
  const problems = [];
  for (const [name, shape] of expected) {
    if (!weights.has(name)) problems.push(`${WEIGHTS} lacks ${name}`);
    else if (weights.shape(name).join() !== shape.join()) {
      const [has, wanted] = [weights.shape(name), shape].map((sizes) => sizes.join(" × "));
      problems.push(`${name} is ${has} where the architecture says ${wanted}`);
    }
  }
  const unknown = weights.names.filter((name) => !expected.has(name));
  return [...problems, ...unknown.map((name) => `${WEIGHTS} has ${name}, which the architecture does not`)];
}

/** A vocabulary that is not the model's own gives nonsense, so it is said in words rather than in sizes. */
function vocabularyProblems(manifest, tokenizers) {
  const { architecture: a, labels, label_kind: kind } = manifest;
  const problems = [];
  for (const [side, isNeeded, size] of [
    ["source", hasEncoder(a), a.source_vocabulary],
    ["target", hasDecoder(a), a.target_vocabulary],
  ]) {
    if (isNeeded && !(side in manifest.tokenizers)) problems.push(`${MANIFEST} names no ${side} tokenizer`);
    const tokenizer = tokenizers[side];
    if (tokenizer && tokenizer.size !== undefined && tokenizer.size !== size) {
      problems.push(
        `${manifest.tokenizers[side]} has ${tokenizer.size} entries, but the model was trained with ${size}:` +
          " it is another model's vocabulary",
      );
    }
  }
  if (a.labels !== labels.length) {
    problems.push(`${MANIFEST} names ${labels.length} labels for a classifier of ${a.labels}`);
  }
  if (kind === "number" && a.labels !== 1) {
    problems.push(`${MANIFEST} says that its one output is a number, and there are ${a.labels}`);
  }
  return problems;
}
