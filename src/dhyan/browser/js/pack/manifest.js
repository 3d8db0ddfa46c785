// `pack.json`: what a pack says of itself.

import { DhyanError } from "../core/errors.js";
import { rule } from "../rules.js";

export const FORMAT = 2; // as pack/manifest.py has it; what of it a tab cannot run is said by name

const ARCHITECTURE = {
  d_model: 512,
  heads: 8,
  d_ff: 2048,
  encoder_layers: 6,
  decoder_layers: 6,
  positions: "sinusoidal",
  max_positions: 512,
  norm: "pre",
  activation: "relu",
  tie: "output",
  source_vocabulary: 0,
  target_vocabulary: 0,
  labels: 0,
  masked_head: false,
};
const DECODING = {
  beam: 4,
  length_penalty: 1.0,
  length_offset: 0,
  alternatives: 1,
  max_length: null,
  sample: false,
  temperature: 1.0,
  top_k: 0,
  top_p: 1.0,
  seed: 0,
};
const TEXT = { pieces: "bpe", vocabulary: null, shared: false, lowercase: false, character_coverage: 1.0 };
const CONFIDENCE = { bias: 2.266, log_probability: 9.212, log_words: 0.19 };
const OTHERS = {
  labels: [],
  words_head: 0,
  label_kind: "one",
  reads_pairs: false,
  storage: "float32",
  placeholders: [],
  style_tags: {},
  source_language: "",
  target_language: "",
  metrics: {},
  training: {},
  licence: "",
};
const SIZES = ["d_model", "heads", "d_ff", "encoder_layers", "decoder_layers", "max_positions"];
const TASKS = ["translate", "classify", "embed", "write"];
const LABEL_KINDS = ["one", "several", "number"];

/** The description with all its defaults, its keys as they stand in the file. */
export function readManifest(bytes, path = "pack.json") {
  let content;
  try {
    content = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    content = null;
  }
  if (!Number.isInteger(content?.format) || typeof content.architecture !== "object" || !content.architecture) {
    throw new DhyanError(`${path} is not a pack's description; copy the pack again.`);
  }
  if (content.format > FORMAT) {
    throw new DhyanError(
      `${path} was written by a newer Dhyan (${String(content.dhyan ?? "unknown").slice(0, 20)}, pack format` +
        ` ${content.format}; this one reads up to ${FORMAT}): use a newer page.`,
    );
  }
  const manifest = {
    ...OTHERS,
    ...content,
    architecture: { ...ARCHITECTURE, ...content.architecture },
    text: { ...TEXT, ...content.text },
    decoding: { ...DECODING, ...content.decoding },
    confidence: { ...CONFIDENCE, ...content.confidence },
  };
  const problem = problemOf(manifest);
  if (problem) throw new DhyanError(`${path}: ${problem}.`);
  return manifest;
}

/** What the engine could not run with. Whoever wrote the pack has checked the rest. */
function problemOf({ name, task, architecture, tokenizers, label_kind: kind, reads_pairs: pairs }) {
  if (typeof name !== "string") return "'name' is missing";
  if (!TASKS.includes(task)) return `task = '${task}' is not one of ${TASKS.join(", ")}`;
  if (!LABEL_KINDS.includes(kind)) return `label_kind = '${kind}' is not one of ${LABEL_KINDS.join(", ")}`;
  if (pairs) return "pairs of texts are nothing that a browser's tab can run";
  if (typeof tokenizers !== "object" || !tokenizers) return "'tokenizers' is missing";
  const own = (table) => rule("browser.runnable", table);
  for (const [key, allowed] of own("CHOICES")) {
    const found = architecture[key];
    if (!allowed.includes(found)) return `architecture.${key} = '${found}' is not one of ${allowed.join(", ")}`;
  }
  for (const [key, value] of Object.entries(architecture)) {
    if (own("CHOICES").has(key) || own("ANY").includes(key)) continue;
    const [found, only] = [JSON.stringify(value), JSON.stringify(JSON.parse(own("FIXED").get(key) ?? "null"))];
    if (found !== only) return `architecture.${key} = ${found} is nothing that a browser's tab can run`;
  }
  for (const key of SIZES) {
    const found = architecture[key];
    if (!Number.isInteger(found) || found < 1) return `architecture.${key} = ${found}: input should be a valid integer`;
  }
  const { heads, d_model: size } = architecture;
  return size % heads ? `architecture: heads = ${heads} does not divide d_model = ${size}` : null;
}
