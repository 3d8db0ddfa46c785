// The Transformer in int8: every number stays in the kernels' memory, JavaScript says what comes next.
//
// A row of activations is padded to a multiple of 16 numbers, the rest of it zero. Addresses are in bytes.

import { DhyanError } from "../core/errors.js";
import { hasCross, hasDecoder, hasEncoder, isGated } from "../pack/parameter-shapes.js";
import { Kernels, loadKernels } from "./kernels.js";
import { HeadLayout, Linear, padded, plainLayout } from "./linear.js";

const STORE = 0; // what a product does with its result: store it,
const RELU = 1; // … without what is negative,
const ADD = 2; // or add it to what is there, the residual connection
const NEVER = -3e38; // the logit of what must not be written
const LEVELS = 127; // whole numbers on either side of 0 that an activation is rounded to: int8, as CTranslate2 has it
const LARGEST_SUM = 2 ** 31 - 1; // of a product, in 32 bits
const POSITIONS = 1024; // rows of a table of positions at least

/** The longest sequence that the model can take. */
export const tableLength = (a) =>
  a.positions === "learned" ? a.max_positions : Math.max(POSITIONS, 2 * a.max_positions);

/** A lane holds 16 bits, so that finer steps would cost nothing; but then a tab would translate otherwise than the
 * command does. Very long rows have fewer levels, so that their sums fit. */
const levels = (inputs) => Math.min(LEVELS, Math.floor(LARGEST_SUM / (127 * inputs)));

export class Transformer {
  /** @param {import("../pack/pack.js").Pack} pack */
  static async of(pack) {
    return new Transformer(pack.manifest.architecture, pack.weights, await loadKernels());
  }

  constructor(architecture, weights, module) {
    this.architecture = architecture;
    this.heads = new HeadLayout(architecture.heads, architecture.d_model / architecture.heads);
    this.model = plainLayout(architecture.d_model); // a row of the residual stream
    this.hidden = plainLayout(architecture.d_ff);
    const numbers = weights.names.reduce((sum, name) => sum + weights.shape(name).reduce((x, y) => x * y, 1), 0);
    this.kernels = new Kernels(module, Math.ceil(1.02 * numbers) + (4 << 20));
    this.encoder = hasEncoder(architecture) ? this._stack(weights, "enc", architecture.encoder_layers) : null;
    this.decoder = hasDecoder(architecture) ? this._stack(weights, "dec", architecture.decoder_layers) : null;
    if (this.decoder) this.output = this._output(weights);
    this.positions = new Positions(this.kernels, architecture, this.heads, weights);
    this.vocabulary = architecture.target_vocabulary;
  }

  // -- weights -------------------------------------------------------------------------------------------------

  _stack(weights, name, depth) {
    const isShared = name === "dec" && !weights.has("dec.E");
    const whose = isShared ? "enc" : name;
    const outputs = plainLayout(weights.shape(`${whose}.E`)[0]);
    const isOutput = name === "dec" && this.architecture.tie !== "none";
    const parts = [{ matrix: `${whose}.E`, bias: isOutput ? "dec.out.b" : null, outputs }];
    const shared = isShared ? this.encoder.embedding : null;
    const layers = Array.from({ length: depth }, (_, number) => this._layer(weights, `${name}.${number}`));
    return {
      embedding: shared ?? new Linear(this.kernels, weights, parts, this.model, isOutput ? NEVER : 0),
      layers,
      norm: this.architecture.norm === "pre" ? this._norm(weights, `${name}.norm`) : null,
    };
  }

  /** The last layer. Tied to an embedding, it has the same panels. */
  _output(weights) {
    const isTied = this.architecture.tie !== "none";
    const { embedding } = this.decoder;
    if (!isTied) {
      const outputs = plainLayout(this.architecture.target_vocabulary);
      return new Linear(this.kernels, weights, [{ matrix: "dec.out.W", bias: "dec.out.b", outputs }], this.model, NEVER);
    }
    if (weights.has("dec.E")) return embedding;
    const biases = this.kernels.take(4 * embedding.outputs); // one embedding for both sides: the biases are apart
    this.kernels.f32.fill(NEVER, biases >> 2, (biases >> 2) + embedding.outputs);
    this.kernels.f32.set(weights.float32("dec.out.b"), biases >> 2);
    return { ...embedding, biases };
  }

  _layer(weights, name) {
    const projection = (part, which) => ({
      matrix: `${name}.${part}.W_${which}`,
      bias: `${name}.${part}.b_${which}`,
      outputs: { ...this.heads, width: padded(this.heads.width), pieces: this.heads.pieces },
    });
    const linear = (parts, inputs) => new Linear(this.kernels, weights, parts, inputs);
    const back = (part, which) => [
      { matrix: `${name}.${part}.W_${which}`, bias: `${name}.${part}.b_${which}`, outputs: this.model },
    ];
    const forth = (which) => ({
      matrix: `${name}.ffn.W_${which}`,
      bias: `${name}.ffn.b_${which}`,
      outputs: this.hidden,
    });
    const inHeads = { width: this.heads.width, pieces: this.heads.pieces };
    const layer = {
      self: {
        norm: this._norm(weights, `${name}.self.norm`),
        project: linear([..."QKV"].map((which) => projection("self", which)), this.model),
        join: linear(back("self", "O"), inHeads),
      },
      cross: null,
      ffn: {
        norm: this._norm(weights, `${name}.ffn.norm`),
        widen: linear((isGated(this.architecture) ? ["1", "G"] : ["1"]).map(forth), this.model),
        narrow: linear(back("ffn", "2"), this.hidden),
      },
    };
    if (name.startsWith("dec") && hasCross(this.architecture)) {
      layer.cross = {
        norm: this._norm(weights, `${name}.cross.norm`),
        query: linear([projection("cross", "Q")], this.model),
        keysAndValues: linear([..."KV"].map((which) => projection("cross", which)), this.model),
        join: linear(back("cross", "O"), inHeads),
      };
    }
    return layer;
  }

  _norm(weights, name) {
    return { gamma: this._vector(weights, `${name}.gamma`), beta: this._vector(weights, `${name}.beta`) };
  }

  _vector(weights, name) {
    const address = this.kernels.take(4 * this.model.width);
    this.kernels.f32.fill(0, address >> 2, (address >> 2) + this.model.width);
    this.kernels.f32.set(weights.float32(name), address >> 2);
    return address;
  }

  // -- the two stacks ------------------------------------------------------------------------------------------

  /** ids, end mark included → the address of their vectors in context: (positions, d_model), rows padded. */
  encode(ids) {
    const { kernels } = this;
    const x = kernels.take(4 * ids.length * this.model.width);
    const top = kernels.top;
    const room = new Room(this, ids.length, ids.length);
    const stride = 12 * this.heads.width; // bytes of a row of queries, keys and values
    const rows = kernels.take(ids.length * stride);
    const table = kernels.take(4 * ids.length);
    for (let at = 0; at < ids.length; at += 1) kernels.i32[(table >> 2) + at] = rows + at * stride;
    this._embed(this.encoder, "enc", ids, 0, 1, x);
    const seen = { table, tableStep: 0, keys: ids.length, keysStep: 0, position: 0, positionStep: 1 };
    for (const layer of this.encoder.layers) {
      this._attendToItself(layer.self, x, ids.length, rows, stride, 0, seen, room);
      this._feedForward(layer.ffn, x, ids.length, room);
    }
    if (this.encoder.norm) this._normalise(this.encoder.norm, x, ids.length, x);
    kernels.release(top);
    return x;
  }

  /** Rows of float32 without their padding. */
  readRows(address, rows) {
    const size = this.architecture.d_model;
    const found = new Float32Array(rows * size);
    for (let row = 0; row < rows; row += 1) {
      const from = (address >> 2) + row * this.model.width;
      found.set(this.kernels.f32.subarray(from, from + size), row * size);
    }
    return found;
  }

  // -- the parts -----------------------------------------------------------------------------------------------

  /** E[id] · √d_model + position. */
  _embed(stack, name, ids, first, step, x) {
    const { embedding } = stack;
    const { f32, run } = this.kernels;
    const root = Math.fround(Math.sqrt(this.architecture.d_model));
    ids.forEach((id, row) => {
      const to = x + 4 * row * this.model.width;
      run.unpackRow(embedding.panels, id, embedding.inputs, f32[(embedding.scales >> 2) + id] * root, to);
      const position = this.positions.added(name, first + row * step);
      if (position) run.add(to, position, this.model.width);
    });
  }

  /** rows: where queries, keys and values are written, `stride` bytes apart, `at` bytes from their beginning. */
  _attendToItself(part, x, count, rows, stride, at, seen, room) {
    const width = 4 * this.heads.width;
    this._linear(part.project, this._before(part, x, count, room), count, rows + at, stride, STORE, room);
    if (this.positions.isRotary) {
      for (let row = 0; row < count; row += 1) {
        const { cosines, sines } = this.positions.angles(seen.position + row * seen.positionStep);
        // queries and keys lie side by side
        this.kernels.run.rotate(rows + at + row * stride, 2 * this.heads.heads, this.heads.stride, cosines, sines);
      }
    }
    this._attend(rows + at, stride, count, seen, at + width, at + 2 * width, this.positions.slopes, room);
    this._addAndNorm(part, part.join, room.context, count, 4 * this.heads.width, x, room);
  }

  _attendToSource(part, x, count, source, layer, room) {
    const width = 4 * this.heads.width;
    this._linear(part.query, this._before(part, x, count, room), count, room.queries, width, STORE, room);
    const at = 2 * width * layer;
    const seen = { table: source.table, tableStep: 0, keys: source.length, keysStep: 0, position: 0, positionStep: 0 };
    this._attend(room.queries, width, count, seen, at, at + width, 0, room);
    this._addAndNorm(part, part.join, room.context, count, width, x, room);
  }

  _attend(queries, stride, count, seen, keyAt, valueAt, slopes, room) {
    const { heads, size, stride: padding } = this.heads;
    this.kernels.run.attend(
      queries,
      stride,
      count,
      seen.table,
      seen.tableStep,
      seen.keys,
      seen.keysStep,
      keyAt,
      valueAt,
      heads,
      padding,
      1 / Math.sqrt(size),
      slopes,
      seen.position,
      seen.positionStep,
      room.context,
      4 * this.heads.width,
      room.scores,
    );
  }

  _feedForward(part, x, count, room) {
    const { activation } = this.architecture;
    const { run } = this.kernels;
    const width = 4 * part.widen.outputs;
    const mode = activation === "relu" ? RELU : STORE;
    this._linear(part.widen, this._before(part, x, count, room), count, room.hidden, width, mode, room);
    for (let row = 0; row < count && mode === STORE; row += 1) {
      const at = room.hidden + row * width;
      if (activation === "gelu") run.gelu(at, this.hidden.width, room.spare);
      else run.swiglu(at, at + 4 * this.hidden.width, this.hidden.width, room.spare);
    }
    this._addAndNorm(part, part.narrow, room.hidden, count, width, x, room);
  }

  /** What goes into a part: pre-norm's is normed. */
  _before(part, x, count, room) {
    if (this.architecture.norm !== "pre") return x;
    this._normalise(part.norm, x, count, room.normed);
    return room.normed;
  }

  /** x + W · what a part has found; post-norm norms the sum. */
  _addAndNorm(part, linear, found, count, stride, x, room) {
    this._product(linear, found, stride, count, x, 4 * this.model.width, ADD, room);
    if (this.architecture.norm === "post") this._normalise(part.norm, x, count, x);
  }

  _normalise({ gamma, beta }, x, count, out) {
    this.kernels.run.layerNorm(x, count, this.model.width, this.architecture.d_model, gamma, beta, out);
  }

  /** Rows of the residual stream through a linear layer. */
  _linear(linear, x, count, out, outStride, mode, room) {
    this._product(linear, x, 4 * this.model.width, count, out, outStride, mode, room);
  }

  _product(linear, x, stride, count, out, outStride, mode, room) {
    const { panels, scales, biases, inputs, outputs } = linear;
    const { run } = this.kernels;
    run.quantize(x, stride, count, inputs, room.numbers, room.scales, levels(inputs));
    run.multiply(
      room.numbers,
      room.scales,
      panels,
      scales,
      biases,
      out,
      outStride,
      count,
      outputs,
      inputs,
      mode,
    );
  }
}

/** Room for what the parts hand on to each other, for so many rows at a time. */
class Room {
  constructor(transformer, rows, keys) {
    const { kernels, model, heads, hidden, architecture } = transformer;
    const widest = Math.max(model.width, heads.width, hidden.width);
    this.normed = kernels.take(4 * rows * model.width);
    this.queries = kernels.take(4 * rows * heads.width);
    this.context = kernels.take(4 * rows * heads.width);
    this.hidden = kernels.take(4 * rows * hidden.width * (isGated(architecture) ? 2 : 1));
    this.spare = kernels.take(4 * hidden.width);
    this.numbers = kernels.take(2 * rows * widest);
    this.scales = kernels.take(4 * rows);
    this.scores = kernels.take(4 * (keys + 8));
  }
}

/** Numbers that say where a token stands, made when first asked for. */
class Positions {
  constructor(kernels, architecture, heads, weights) {
    this.kernels = kernels;
    this.size = architecture.d_model;
    this.width = padded(architecture.d_model);
    this.heads = heads;
    this.kind = architecture.positions;
    this.isRotary = this.kind === "rotary";
    this.length = tableLength(architecture);
    this.slopes = 0;
    this.learned = {};
    const rowsOf = { sinusoidal: this.width, rotary: 2 * heads.stride }[this.kind] ?? 0;
    this.table = rowsOf ? kernels.take(4 * this.length * rowsOf) : 0;
    this.made = 0; // rows of the table
    if (this.kind === "learned") {
      for (const stack of ["enc", "dec"]) {
        if (weights.has(`${stack}.P`)) this.learned[stack] = this._learned(weights.float32(`${stack}.P`));
      }
    }
    if (this.kind === "alibi") {
      this.slopes = kernels.take(4 * heads.heads);
      for (let head = 0; head < heads.heads; head += 1) {
        kernels.f32[(this.slopes >> 2) + head] = 2 ** ((-8 * (head + 1)) / heads.heads);
      }
    }
  }

  _learned(rows) {
    const count = rows.length / this.size;
    const address = this.kernels.take(4 * count * this.width);
    this.kernels.f32.fill(0, address >> 2, (address >> 2) + count * this.width);
    for (let row = 0; row < count; row += 1) {
      this.kernels.f32.set(rows.subarray(row * this.size, (row + 1) * this.size), (address >> 2) + row * this.width);
    }
    return address;
  }

  /** The address of what is added to the embedding at a position; 0: nothing is. */
  added(stack, position) {
    this._refuseBeyond(position);
    if (this.kind === "learned") return this.learned[stack] + 4 * position * this.width;
    if (this.kind !== "sinusoidal") return 0;
    for (; this.made <= position; this.made += 1) {
      const row = (this.table >> 2) + this.made * this.width;
      this.kernels.f32.fill(0, row, row + this.width);
      eachAngle(this.made, this.size, (at, angle) => {
        this.kernels.f32[row + at] = Math.sin(angle);
        this.kernels.f32[row + at + 1] = Math.cos(angle);
      });
    }
    return this.table + 4 * position * this.width;
  }

  /** The addresses of a position's cosines and sines, as `rotate` wants them. */
  angles(position) {
    this._refuseBeyond(position);
    const { stride, size } = this.heads;
    for (; this.made <= position; this.made += 1) {
      const row = (this.table >> 2) + this.made * 2 * stride;
      this.kernels.f32.fill(0, row, row + 2 * stride);
      eachAngle(this.made, size, (at, angle) => {
        this.kernels.f32.fill(Math.cos(angle), row + at, row + at + 2);
        this.kernels.f32[row + stride + at] = -Math.sin(angle);
        this.kernels.f32[row + stride + at + 1] = Math.sin(angle);
      });
    }
    const cosines = this.table + 8 * position * stride;
    return { cosines, sines: cosines + 4 * stride };
  }

  _refuseBeyond(position) {
    if (position < this.length || this.kind === "alibi") return;
    throw new DhyanError(`a text of ${position + 1} tokens is too long for this pack (${this.length} at most); split it.`);
  }
}

/** position / 10000^(2i / size) for each pair of numbers. */
function eachAngle(position, size, use) {
  for (let at = 0; at < size; at += 2) use(at, position * Math.exp(at * (-Math.log(10000) / size)));
}

/** What a decoder has gone through: hypotheses, each with the rows of its past. Rows are written once and shared. */
export class DecoderState {
  /**
   * @param {Transformer} transformer
   * @param {number[] | null} source ids with their end mark, of an encoder–decoder
   * @param {number} beam hypotheses at most
   * @param {number} longest positions at most
   * @param {number} together tokens at most that are gone through in one step: a prompt's
   */
  constructor(transformer, source, beam, longest, together = 1) {
    const { kernels, architecture, heads, model } = transformer;
    this.transformer = transformer;
    this.begin = kernels.top;
    this.longest = longest;
    this.depth = architecture.decoder_layers;
    this.stride = 12 * heads.width * this.depth; // bytes of one token: queries, keys and values of all layers
    this.source = source === null ? null : this._readSource(source);
    this.tables = kernels.take(4 * beam * longest);
    const rows = Math.max(beam, together);
    this.x = kernels.take(4 * rows * model.width);
    this.last = kernels.take(4 * rows * model.width);
    this.room = new Room(transformer, rows, Math.max(longest, source?.length ?? 0));
    this.asked = Math.max(beam, Math.min(together, 16)); // rows whose logits are computed together
    this.logits = kernels.take(4 * this.asked * transformer.output.outputs);
    this.exponentials = kernels.take(4 * transformer.output.outputs);
    this.values = kernels.take(4 * transformer.output.outputs);
    this.places = kernels.take(4 * transformer.output.outputs);
    this.position = 0;
  }

  /** Keys and values of the source, of all layers: one product each, before the first step. */
  _readSource(ids) {
    const { transformer } = this;
    const { kernels, heads, decoder } = transformer;
    const stride = 8 * heads.width * this.depth;
    const rows = kernels.take(ids.length * stride);
    const table = kernels.take(4 * ids.length);
    for (let at = 0; at < ids.length; at += 1) kernels.i32[(table >> 2) + at] = rows + at * stride;
    const top = kernels.top;
    const memory = transformer.encode(ids);
    const room = new Room(transformer, ids.length, ids.length);
    decoder.layers.forEach((layer, number) => {
      const out = rows + 8 * heads.width * number;
      transformer._linear(layer.cross.keysAndValues, memory, ids.length, out, stride, STORE, room);
    });
    kernels.release(top);
    return { table, length: ids.length };
  }

  /** A prompt's tokens, one behind the other, for the only hypothesis that there is. */
  read(tokens) {
    const first = this._newRows(tokens.length);
    const { i32 } = this.transformer.kernels;
    tokens.forEach((_, at) => {
      i32[(this.tables >> 2) + this.position + at] = first + at * this.stride;
    });
    const { position } = this;
    this._through(tokens, first, {
      table: this.tables,
      tableStep: 0,
      keys: position + 1,
      keysStep: 1,
      position,
      positionStep: 1,
    });
    this.position += tokens.length;
  }

  /** The next token of each hypothesis. */
  advance(tokens) {
    const first = this._newRows(tokens.length);
    const { i32 } = this.transformer.kernels;
    const { position, longest } = this;
    tokens.forEach((_, row) => {
      i32[(this.tables >> 2) + row * longest + position] = first + row * this.stride;
    });
    this._through(tokens, first, {
      table: this.tables,
      tableStep: 4 * longest,
      keys: position + 1,
      keysStep: 0,
      position,
      positionStep: 0,
    });
    this.position += 1;
  }

  /** From now on row i continues what row parents[i] was. */
  reorder(parents) {
    const { i32 } = this.transformer.kernels;
    const from = this.tables >> 2;
    const pasts = parents.map((parent) => {
      const begin = from + parent * this.longest;
      return i32.slice(begin, begin + this.position);
    });
    pasts.forEach((past, row) => i32.set(past, from + row * this.longest));
  }

  /** Where we are, to come back to with `goBack`; of the first hypothesis alone. */
  remember() {
    const from = this.tables >> 2;
    const { i32, top } = this.transformer.kernels;
    return { position: this.position, top, past: i32.slice(from, from + this.position) };
  }

  goBack({ position, top, past }) {
    this.position = position;
    this.transformer.kernels.release(top);
    this.transformer.kernels.i32.set(past, this.tables >> 2);
  }

  /** Compute the logits of what follows some of the rows of the last step. */
  predict(first, count) {
    const { transformer } = this;
    const { decoder, model, output } = transformer;
    let x = this.x + 4 * first * model.width;
    if (decoder.norm) {
      transformer._normalise(decoder.norm, x, count, this.last);
      x = this.last;
    }
    transformer._linear(output, x, count, this.logits, 4 * output.outputs, STORE, this.room);
  }

  /** The logits of a predicted row, to be looked at or changed; until the next step. */
  logitsOf(row) {
    const { kernels, output, vocabulary } = this.transformer;
    const from = (this.logits >> 2) + row * output.outputs;
    return kernels.f32.subarray(from, from + vocabulary);
  }

  /** These tokens cannot follow. */
  ban(row, tokens) {
    const logits = this.logitsOf(row);
    for (const token of tokens) logits[token] = NEVER;
  }

  /** The most probable tokens that may follow, most probable first: ids, and their log-probabilities. */
  best(row, count) {
    const { kernels, output, vocabulary } = this.transformer;
    const address = this.logits + 4 * row * output.outputs;
    const found = Math.min(count, vocabulary);
    kernels.run.topK(address, output.outputs, found, this.values, this.places);
    const largest = kernels.f32[this.values >> 2];
    const sum = kernels.run.exponentials(address, output.outputs, largest, this.exponentials);
    const total = largest + Math.log(sum);
    const ids = new Array(found);
    const logProbabilities = new Array(found);
    for (let at = 0; at < found; at += 1) {
      ids[at] = kernels.i32[(this.places >> 2) + at];
      logProbabilities[at] = kernels.f32[(this.values >> 2) + at] - total;
    }
    return { ids, logProbabilities };
  }

  /** The log-probability of one token. */
  logProbability(row, token) {
    const { kernels, output } = this.transformer;
    const address = this.logits + 4 * row * output.outputs;
    kernels.run.topK(address, output.outputs, 1, this.values, this.places);
    const largest = kernels.f32[this.values >> 2];
    const sum = kernels.run.exponentials(address, output.outputs, largest, this.exponentials);
    return kernels.f32[(address >> 2) + token] - largest - Math.log(sum);
  }

  /** Give the memory back. */
  end() {
    this.transformer.kernels.release(this.begin);
  }

  _newRows(count) {
    return this.transformer.kernels.take(count * this.stride);
  }

  _through(tokens, rows, seen) {
    const { transformer, x, room } = this;
    const count = tokens.length;
    const { decoder, heads } = transformer;
    transformer._embed(decoder, "dec", tokens, seen.position, seen.positionStep, x);
    decoder.layers.forEach((layer, number) => {
      const at = 12 * heads.width * number;
      transformer._attendToItself(layer.self, x, count, rows, this.stride, at, seen, room);
      if (layer.cross) transformer._attendToSource(layer.cross, x, count, this.source, number, room);
      transformer._feedForward(layer.ffn, x, count, room);
    });
  }
}
