// The Transformer in plain arrays, recording every intermediate number: what `dhyan.explain.numpy_model` is in NumPy.
//
// It follows the notes line by line and shares nothing with the engine but the weights, so that when the two agree,
// both are right. Shapes are those of one sentence; every line also works with axes in front of them (`…`), which is
// how many hypotheses, or many ways to hide a word, go through together.

import { DhyanError } from "../core/errors.js";
import { opened } from "../model/architecture.js";
import {
  Tensor,
  add,
  both,
  combine,
  concatenated,
  linear,
  linearByHead,
  map,
  mean,
  multiply,
  splitHeads,
  sum,
  taken,
} from "./arrays.js";
import { EditedTrace, Edits } from "./edits.js";
import * as formulas from "./formulas.js";
import { answerAddress, labelAnswer } from "./label-scores.js";
import { Trace, UNRECORDED } from "./trace.js";
import { ChangedWeights, openedWeights } from "./weights.js";
import { wordsLogits } from "./known-words.js";

export { UNRECORDED };

const ACTIVATIONS = { relu: formulas.relu, gelu: formulas.gelu, swiglu: formulas.silu };

/** Keys and values of the positions that a decoder has gone through: a step adds one, the rest are known. */
export class KeyValueCache {
  length = 0;
  parts = new Map(); // part → [key, value], (…, heads, positions, d_head) each

  /** Follow the hypotheses that live on: row i of the batch becomes what row rows[i] was. */
  select(rows) {
    for (const [part, pair] of this.parts) {
      // What comes from the source is the same for all.
      if (part.endsWith(".self")) this.parts.set(part, pair.map((one) => taken(one, rows)));
    }
  }
}

/** Ids in, a trace out. `weights` are named by address and shaped as `parameterShapes` says. */
export class NumpyTransformer {
  /**
   * @param {object} architecture of the pack's manifest
   * @param {object} weights of the pack
   * @param {import("./address.js").Head[]} headsOff such as ["enc.2.self", 5]: its result counts as zero before W_O
   * @param {number[]} hidden positions of the given text that nobody may look at, as nobody looks at padding
   * @param {import("./edits.js").Edit[]} edits numbers that were set by hand, weights among them
   * @param {import("./known-words.js").KnownWords | null} words of the text those that a words head knows
   * @param {import("../core/label-kind.js").LabelKind} labelKind what a classifier on top says
   */
  constructor(architecture, weights, headsOff = [], hidden = [], edits = [], words = null, labelKind = "one") {
    this.architecture = opened(architecture);
    this.hidden = hidden;
    this.words = words;
    this.labelKind = labelKind;
    this.edits = new Edits(edits);
    const learnt = openedWeights(weights);
    this.changedWeights = this.edits.ofWeights(learnt);
    this.weights = this.changedWeights.size ? new ChangedWeights(learnt, this.changedWeights) : learnt;
    this.switches = new Map(); // part → (…, heads, 1, 1): 1 for a head that is on, 0 for one that is off
    const { heads } = this.architecture;
    for (const [part, head] of headsOff) {
      if (!this.switches.has(part)) {
        this.switches.set(part, new Tensor(new Float32Array(heads).fill(1), [heads, 1, 1]));
      }
      this.switches.get(part).data[head] = 0;
    }
  }

  /** As many models as the part has heads, which go through together as rows of a batch: row h lacks head h. */
  withoutEachHead(part) {
    const { heads } = this.architecture;
    const each = new Tensor(new Float32Array(heads * heads).fill(1), [heads, heads, 1, 1]); // (rows, heads, 1, 1)
    for (let head = 0; head < heads; head++) each.data[head * heads + head] = 0;
    const other = Object.assign(Object.create(NumpyTransformer.prototype), this);
    const own = this.switches.get(part);
    other.switches = new Map(this.switches).set(part, own ? multiply(each, own) : each);
    return other;
  }

  /**
   * Run the whole model on one row.
   *
   * source: ids for the encoder, end mark included. target: ids for the decoder, start mark first; each position
   * predicts the token that follows it.
   */
  trace(source = null, target = null) {
    const trace = new Trace(this.weights);
    let memory = null;
    if (source !== null) {
      memory = this.encode(trace, source);
      this.headsOnTop(trace, memory);
    }
    if (target !== null) this.decode(trace, target, memory);
    return trace;
  }

  // -- the two stacks ------------------------------------------------------------------------------------------

  /** visible: mask (…, positions), 0 for a token that nobody may look at, as nobody looks at padding. */
  encode(trace, ids, visible = null) {
    const edited = this.editing(trace);
    const mask = visible === null ? null : overKeys(visible);
    let x = this.embed(edited, "enc", ...asRows(ids, "enc.E"));
    for (let layer = 0; layer < this.architecture.encoderLayers; layer++) {
      x = this.attend(edited, `enc.${layer}.self`, x, x, mask);
      x = this.feedForward(edited, `enc.${layer}.ffn`, x);
    }
    return this.finish(edited, "enc", x);
  }

  /**
   * All positions at once: the logits of what follows each. visible: as above, of the source's tokens if there is a
   * source, else of the target's own.
   */
  decode(trace, ids, memory, visible = null) {
    const x = this.decodeWithoutLogits(trace, ids, memory, visible);
    const logits = this.out(trace, this.logits(x));
    trace.record("dec.out.probs", formulas.softmax(logits));
    return logits;
  }

  /** For whoever asks only where the decoder looks: the logits cost as much as a layer or two. */
  decodeWithoutLogits(trace, ids, memory, visible = null) {
    const edited = this.editing(trace);
    const x = this.embed(edited, "dec", ...asRows(ids, this.embedding));
    const [mask, sourceMask] = this.masks(x.shape.at(-2), visible, memory !== null);
    return this.throughDecoder(edited, x, memory, mask, sourceMask);
  }

  /** newest: rows of new ids → (rows, vocabulary) logits of what follows the last of them. */
  step(cache, newest, memory) {
    const unrecorded = this.editing(UNRECORDED, cache.length);
    let x = this.embed(unrecorded, "dec", newest, this.embedding, cache.length, true);
    const [rows, length, size] = x.shape;
    const mask = formulas.causalMask(cache.length + length, cache.length);
    x = this.throughDecoder(unrecorded, x, memory, mask, null, cache);
    cache.length += length;
    const last = Tensor.zeros([rows, 1, size]);
    for (let row = 0; row < rows; row++) last.data.set(x.row(row).row(length - 1).data, row * size);
    const logits = this.out(UNRECORDED, this.logits(last), cache.length - 1);
    return logits.reshape(rows, logits.shape.at(-1));
  }

  /** Where the decoder may look in its own tokens, and in the source's. */
  masks(length, visible, hasSource) {
    const mask = formulas.causalMask(length); // (queries, keys)
    if (visible === null) return [mask, null];
    const hiding = overKeys(visible);
    return hasSource ? [mask, hiding] : [both(mask, hiding), null];
  }

  throughDecoder(trace, x, memory, mask, sourceMask = null, cache = null) {
    for (let layer = 0; layer < this.architecture.decoderLayers; layer++) {
      x = this.attend(trace, `dec.${layer}.self`, x, x, mask, cache);
      if (memory !== null) x = this.attend(trace, `dec.${layer}.cross`, x, memory, sourceMask, cache);
      x = this.feedForward(trace, `dec.${layer}.ffn`, x);
    }
    return this.finish(trace, "dec", x);
  }

  /** (…, d_model) → (…, vocabulary): one neuron for each entry of the target vocabulary. */
  logits(x) {
    const name = this.weights.has("dec.out.W") ? "dec.out.W" : this.embedding;
    return linear(x, this.weights.matrix(name), this.weights.get("dec.out.b"));
  }

  /** (…, rows, vocabulary): the logits of the rows from `firstRow` on, as they are in the end. */
  out(trace, logits, firstRow = 0) {
    const found = this.editing(trace, firstRow).record("dec.out.logits", logits);
    this.refuseOverflow(found);
    return found;
  }

  /** What stands on an encoder alone: the sentence's vector, its label, the guess at each masked token. */
  headsOnTop(trace, x, visible = null) {
    if (this.architecture.hasDecoder) return;
    const edited = this.editing(trace);
    this.refuseOverflow(x);
    const w = this.weights;
    const vector = edited.record("pool", this.pool(x, visible)); // (…, d_model)
    if (this.architecture.labels) {
      const logits = edited.record("cls.logits", linear(vector, w.matrix("cls.W"), w.get("cls.b")));
      const seen = this.inSight(x.shape.at(-2), visible);
      const added = this.words && wordsLogits(edited, this.words, w, seen);
      const answer = labelAnswer(this.labelKind, added ? add(logits, added) : logits);
      edited.record(answerAddress(this.labelKind), answer);
    }
    if (this.architecture.maskedHead) {
      const logits = edited.record("mlm.logits", linear(x, w.matrix("enc.E"), w.get("mlm.b")));
      edited.record("mlm.probs", formulas.softmax(logits));
    }
  }

  /** The mean of all positions that are in sight. */
  pool(x, visible = null) {
    const seen = this.inSight(x.shape.at(-2), visible);
    if (seen === null) return mean(x, -2);
    const share = new Tensor(Float32Array.from(seen.data), [...seen.shape, 1]); // (…, positions, 1)
    return combine(sum(multiply(x, share), -2), sum(share, -2), (all, count) => all / count);
  }

  /** (…, positions): a mask of the given text without the positions that are hidden. */
  inSight(positions, mask) {
    if (!this.hidden.length) return mask;
    const seen = new Tensor(new Uint8Array(positions).fill(1), [positions]);
    for (const at of this.hidden) if (at < positions) seen.data[at] = 0;
    return mask === null ? seen : both(mask, seen);
  }

  // -- what was set by hand ------------------------------------------------------------------------------------

  /** What to record into, so that numbers set by hand take their places. firstRow: of what is computed now. */
  editing(trace, firstRow = 0) {
    return this.edits.any ? new EditedTrace(trace, this.edits, firstRow) : trace;
  }

  refuseOverflow(array) {
    if (this.edits.any && !array.data.every(Number.isFinite)) {
      throw new DhyanError("the numbers that were set are too large together: others overflow; set smaller ones.");
    }
  }

  // -- the parts -----------------------------------------------------------------------------------------------

  /** The name of the decoder's table, which may be the encoder's too. */
  get embedding() {
    return this.weights.has("dec.E") ? "dec.E" : "enc.E";
  }

  /** E[id] · √d_model + position. rows: of ids, all as long; their axis is kept only if there is a batch of them. */
  embed(trace, stack, rows, table, firstPosition = 0, isBatch = false) {
    const a = this.architecture, scale = Math.fround(Math.sqrt(a.dModel)), length = rows[0].length;
    const vectors = map(this.weights.rows(table, rows.flat()), (one) => one * scale);
    const shape = isBatch ? [rows.length, length, a.dModel] : [length, a.dModel];
    let x = trace.record(`${stack}.embedded`, vectors.reshape(...shape)); // (…, positions, d_model)
    const last = firstPosition + length;
    if (a.positions === "sinusoidal") {
      x = add(x, trace.record(`${stack}.positions`, formulas.positionalEncoding(last, a.dModel, firstPosition)));
    } else if (a.positions === "learned") {
      x = add(x, trace.record(`${stack}.positions`, this.weights.get(`${stack}.P`).rows(firstPosition, last)));
    }
    return trace.record(`${stack}.input`, x);
  }

  /** Multi-head attention with its add & norm. `memory` is x itself, or the encoder's output in `cross`. */
  attend(trace, part, x, memory, mask = null, cache = null) {
    const w = this.weights, { heads, rotary, positions, hasEncoder } = this.architecture;
    const isSelf = part.endsWith(".self");
    x = trace.record(`${part}.input`, x);
    const before = this.normBefore(trace, part, x);
    const looked = isSelf ? before : memory;
    const known = cache?.parts.get(part) ?? null;
    const start = cache?.length ?? 0;

    // (…, heads, positions, d_head): x W[h]ᵀ + b[h] for each h
    const project = (which, rows) =>
      splitHeads(linear(rows, w.matrix(`${part}.W_${which}`), w.get(`${part}.b_${which}`)), heads);

    let query = trace.record(`${part}.query`, project("Q", before)), key, value;
    if (known !== null && !isSelf) {
      [key, value] = known; // the source does not change while the target grows
    } else {
      key = trace.record(`${part}.key`, project("K", looked));
      value = trace.record(`${part}.value`, project("V", looked));
    }
    if (rotary && isSelf) {
      query = trace.record(`${part}.turned_query`, formulas.rotate(query, start));
      key = trace.record(`${part}.turned_key`, formulas.rotate(key, start));
    }
    if (known !== null && isSelf) {
      [key, value] = [concatenated(known[0], key, -2), concatenated(known[1], value, -2)];
    }
    cache?.parts.set(part, [key, value]);

    const isGiven = !hasEncoder || part.startsWith("enc") || !isSelf; // what is looked at was given
    const allowed = isGiven ? this.inSight(key.shape.at(-2), mask) : mask;
    const hasBias = positions === "alibi" && isSelf;
    const bias = hasBias ? formulas.alibi(heads, query.shape.at(-2), key.shape.at(-2)) : null;
    const switches = this.switches.get(part);
    const record = (name, array) =>
      trace.record(`${part}.${name}`, name === "mixed" && switches ? multiply(array, switches) : array);

    const table = formulas.attention(query, key, value, allowed, bias, record);
    // Concatenating the heads and multiplying by W_O is the same as adding up each head's share of it.
    const share = trace.record(`${part}.share`, linearByHead(table.mixed, w.matrix(`${part}.W_O`)));
    const output = trace.record(`${part}.output`, add(sum(share, -3), w.get(`${part}.b_O`))); // (…, queries, d_model)
    return this.addAndNorm(trace, part, x, output);
  }

  /** Each token on its own: W_2 · bend(W_1 · x + b_1) + b_2. */
  feedForward(trace, part, x) {
    const w = this.weights;
    const through = (rows, which) => linear(rows, w.matrix(`${part}.W_${which}`), w.get(`${part}.b_${which}`));
    x = trace.record(`${part}.input`, x);
    const before = this.normBefore(trace, part, x);
    const widened = trace.record(`${part}.widened`, through(before, "1"));
    let hidden = ACTIVATIONS[this.architecture.activation](widened);
    if (this.architecture.gated) hidden = multiply(hidden, trace.record(`${part}.gate`, through(before, "G")));
    hidden = trace.record(`${part}.hidden`, hidden); // (…, positions, d_ff)
    return this.addAndNorm(trace, part, x, trace.record(`${part}.output`, through(hidden, "2")));
  }

  // -- add & norm ----------------------------------------------------------------------------------------------

  norm(name, x) {
    return formulas.layerNorm(x, this.weights.get(`${name}.norm.gamma`), this.weights.get(`${name}.norm.beta`));
  }

  normBefore(trace, part, x) {
    return this.architecture.norm === "pre" ? trace.record(`${part}.normed`, this.norm(part, x)) : x;
  }

  addAndNorm(trace, part, x, output) {
    const added = trace.record(`${part}.added`, add(x, output));
    return this.architecture.norm === "post" ? trace.record(`${part}.normed`, this.norm(part, added)) : added;
  }

  /** Pre-norm leaves the stream of sums un-normed: one last norm settles it. */
  finish(trace, stack, x) {
    return trace.record(`${stack}.output`, this.settled(stack, x));
  }

  /** The stream as the last layer would hand it on, wherever it is looked into. */
  settled(stack, x) {
    return this.architecture.norm === "pre" ? this.norm(stack, x) : x;
  }
}

/** Ids of one row, or of several that are as long: what `embed` takes. */
const asRows = (ids, table) => (Array.isArray(ids[0]) ? [ids, table, 0, true] : [[ids], table]);

/** (…, keys) → (…, heads, queries, keys), the same for all heads and queries. */
const overKeys = ({ data, shape }) => new Tensor(data, [...shape.slice(0, -1), 1, 1, shape.at(-1)]);
