// One number, worked out again in the browser from the numbers that go into it: the ✓ beside it is earned here.

import { parse, write } from "./address.js";
import { FORMULAS } from "./math.js";
import { softmax } from "./numbers.js";

export const TOLERANCE = 1e-5;
const EPSILON = 1e-5; // inside a layer norm
const NEVER_WRITTEN = [0, 1, 2, 4]; // <pad>, <unk>, <start>, <mask>

/** How one number came about: formula, terms (products), lines (what is done with their sum), result. */
export async function recompute(trace, address) {
  const place = parse(address);
  if (place.head === null && /\.(self|cross)$/.test(place.part) && PER_HEAD_INDEX.has(place.array)) {
    place.head = Number(place.index[0]); // enc.0.self.weights[3,1,2] is enc.0.self.h3.weights[1,2]
    place.index = place.index.slice(1);
  }
  const index = place.index.map(Number);
  const shown = await trace.one(address);
  const work = RULES[place.name] ?? RULES[`${kind(place)}.${place.array}`] ?? RULES[place.array];
  if (!work || index.some(Number.isNaN)) return { address, shown, terms: [], lines: [], result: null, ok: null };
  const found = await work({ trace, place, index, a: trace.architecture, of: reader(trace) });
  const terms = found.terms ?? [];
  const size = Math.max(1, Math.abs(shown), ...terms.map((term) => Math.abs(term.product)));
  const delta = found.result === shown ? 0 : Math.abs(found.result - shown);
  return { lines: [], ...found, terms, address, shown, delta, ok: delta < TOLERANCE * (Number.isFinite(size) ? size : 1) };
}

const PER_HEAD_INDEX = new Set(["query", "key", "value", "turned_query", "turned_key", "scores", "scaled", "masked", "weights", "mixed", "share"]);

function kind({ part }) {
  if (part.endsWith("ffn")) return "ffn";
  if (/\.(self|cross)$/.test(part)) return "attention";
  return part === "dec.out" ? "out" : "stack";
}

const reader = (trace) => async (address) => (await trace.numbers(address)).data;

/** Σ left · right + bias, with the address of every factor. */
function products(left, leftAt, right, rightAt, bias = null, biasAt = "") {
  const terms = Array.from(left, (value, c) => ({
    left: { value, address: leftAt(c) }, right: { value: right[c], address: rightAt(c) }, product: value * right[c],
  }));
  const total = terms.reduce((sum, term) => sum + term.product, 0);
  if (bias === null) return { terms, lines: [["Σ", total]], result: total };
  return { terms, lines: [["Σ", total], ["+ b", bias, biasAt], ["=", total + bias]], result: total + bias };
}

/** What a part's matrices are multiplied with: after its norm (pre) or as it comes (post). */
const before = (part, a) => (a.norm === "pre" ? `${part}.normed` : `${part}.input`);

async function projection({ place, index: [i, c], a, of }, letter) {
  const { part, head } = place;
  const memory = part.endsWith("cross") && letter !== "Q" ? "enc.output" : before(part, a);
  const [x, weight, bias] = await Promise.all([
    of(`${memory}[${i}]`), of(`${part}.h${head}.W_${letter}[${c}]`), of(`${part}.h${head}.b_${letter}[${c}]`),
  ]);
  const rule = { Q: "query", K: "key", V: "value" }[letter];
  return { formula: FORMULAS[rule](), ...products(x, (k) => `${memory}[${i},${k}]`, weight, (k) => `${part}.h${head}.W_${letter}[${c},${k}]`, bias[0], `${part}.h${head}.b_${letter}[${c}]`) };
}

async function turned({ place, index: [i, c], a, of }, name) {
  const values = await of(write({ ...place, array: name }, [i]));
  const size = a.d_model / a.heads, pair = 2 * Math.floor(c / 2);
  const angle = i * 10000 ** (-pair / size);
  const [even, odd] = [values[pair], values[pair + 1]];
  const result = c % 2 ? even * Math.sin(angle) + odd * Math.cos(angle) : even * Math.cos(angle) - odd * Math.sin(angle);
  return { formula: FORMULAS.turned(), lines: [["p", i], ["angle", angle], ["even", even], ["odd", odd], ["=", result]], result };
}

const turnedName = ({ place, a }, name) => (a.positions === "rotary" && place.part.endsWith("self") ? `turned_${name}` : name);

async function dot(given) {
  const { place, index: [i, j], of } = given;
  const [q, k] = [turnedName(given, "query"), turnedName(given, "key")];
  const at = (array, row) => write({ ...place, array }, [row]);
  const [query, key] = await Promise.all([of(at(q, i)), of(at(k, j))]);
  return { formula: FORMULAS.scores(), ...products(query, (c) => write({ ...place, array: q }, [i, c]), key, (c) => write({ ...place, array: k }, [j, c])) };
}

async function norm(x, at, name, column, of) {
  const [gamma, beta] = await Promise.all([of(`${name}.norm.gamma[${column}]`), of(`${name}.norm.beta[${column}]`)]);
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const deviation = Math.sqrt(variance + EPSILON);
  const result = ((x[column] - mean) / deviation) * gamma[0] + beta[0];
  return {
    formula: FORMULAS.normed(), result,
    lines: [["x", x[column], `${at}`], ["μ", mean], ["√(σ² + ε)", deviation], ["γ", gamma[0], `${name}.norm.gamma[${column}]`], ["β", beta[0], `${name}.norm.beta[${column}]`], ["=", result]],
  };
}

async function exponential(values, at, column, formula, names) {
  const top = Math.max(...values);
  const share = softmax(values)[column];
  const denominator = Array.from(values).reduce((total, value) => total + Math.exp(value - top), 0);
  const terms = values.length > 64 ? [] : Array.from(values, (value, j) => ({
    label: names?.[j], left: { value, address: at(j) }, right: { value: Math.exp(value - top) }, product: Math.exp(value - top) / denominator, chosen: j === column,
  }));
  return {
    formula, terms: [], table: terms, result: share,
    lines: [["s", values[column], at(column)], ["max", top], ["exp(s − max)", Math.exp(values[column] - top)], ["Σ exp", denominator], ["=", share]],
  };
}

async function plus(one, other, of) {
  const [first, second] = await Promise.all([of(one), of(other)]);
  const result = first[0] + second[0];
  return { lines: [["", first[0], one], ["+", second[0], other], ["=", result]], result };
}

const embedding = (stack, a) => (stack === "dec" && a.shape === "encoder-decoder" && a.tie === "all" ? "enc.E" : `${stack}.E`);

function erf(x) { // its power series; beyond 4 it is 1 to eight digits
  const z = Math.abs(x);
  if (z > 4) return Math.sign(x);
  let term = z, total = z;
  for (let n = 1; n < 120; n += 1) {
    term *= (-z * z) / n;
    total += term / (2 * n + 1);
  }
  return Math.sign(x) * (2 / Math.sqrt(Math.PI)) * total;
}

const RULES = {
  "attention.query": (given) => projection(given, "Q"),
  "attention.key": (given) => projection(given, "K"),
  "attention.value": (given) => projection(given, "V"),
  "attention.turned_query": (given) => turned(given, "query"),
  "attention.turned_key": (given) => turned(given, "key"),
  "attention.scores": dot,
  "attention.scaled": async ({ trace, place, index, a }) => {
    const at = write({ ...place, array: "scores" }, index);
    const score = await trace.one(at), width = a.d_model / a.heads, result = score / Math.sqrt(width);
    return { formula: FORMULAS.scaled(), lines: [["q · k", score, at], ["d_k", width], ["√d_k", Math.sqrt(width)], ["=", result]], result };
  },
  "attention.masked": async ({ trace, place, index }) => {
    const at = write({ ...place, array: "scaled" }, index);
    const scaled = await trace.one(at);
    const ahead = place.stack === "dec" && place.part.endsWith("self") && index[1] > index[0];
    return { formula: FORMULAS.masked(), lines: [["q · k / √d_k", scaled, at], ["M", ahead ? -Infinity : 0]], result: ahead ? -Infinity : scaled };
  },
  "attention.weights": async ({ trace, place, index: [i, j], of }) => {
    const masked = await of(write({ ...place, array: "masked" }, [i]));
    const names = trace.labels(trace.sides(place.part)[1]);
    return exponential(masked, (k) => write({ ...place, array: "masked" }, [i, k]), j, FORMULAS.weights(), names);
  },
  "attention.mixed": async ({ trace, place, index: [i, c], of }) => {
    const at = (array) => write({ ...place, array });
    const [weights, values] = await Promise.all([of(write({ ...place, array: "weights" }, [i])), trace.numbers(`${at("value")}[:,${c}]`)]);
    const found = products(weights, (j) => write({ ...place, array: "weights" }, [i, j]), values.data, (j) => write({ ...place, array: "value" }, [j, c]));
    const off = trace.info.heads_off.includes(`${place.part}.h${place.head}`);
    const more = off ? { lines: [...found.lines, ["× 0", 0]], result: 0 } : {};
    return { formula: FORMULAS.mixed(), ...found, ...more };
  },
  "attention.share": async ({ place, index: [i, c], of }) => {
    const [mixed, weight] = await Promise.all([of(write({ ...place, array: "mixed" }, [i])), of(`${place.part}.h${place.head}.W_O[${c}]`)]);
    return { formula: FORMULAS.share(), ...products(mixed, (k) => write({ ...place, array: "mixed" }, [i, k]), weight, (k) => `${place.part}.h${place.head}.W_O[${c},${k}]`) };
  },
  "attention.output": async ({ place, index: [i, c], a, of }) => {
    const heads = Array.from({ length: a.heads }, (_, head) => `${place.part}.h${head}.share[${i},${c}]`);
    const [bias, ...shares] = (await Promise.all([`${place.part}.b_O[${c}]`, ...heads].map(of))).map((one) => one[0]);
    const result = shares.reduce((sum, share) => sum + share, bias);
    return { formula: FORMULAS.output(), lines: [...shares.map((share, head) => [`h${head}`, share, heads[head]]), ["+ b_O", bias, `${place.part}.b_O[${c}]`], ["=", result]], result };
  },
  "ffn.widened": (given) => wide(given, "1"),
  "ffn.gate": (given) => wide(given, "G"),
  "ffn.hidden": async ({ trace, place, index, a }) => {
    const at = write({ ...place, array: "widened" }, index);
    const x = await trace.one(at), lines = [["W₁x + b₁", x, at]];
    let result = Math.max(0, x);
    if (a.activation === "gelu") result = 0.5 * x * (1 + erf(x / Math.SQRT2));
    if (a.activation === "swiglu") {
      const gate = await trace.one(write({ ...place, array: "gate" }, index));
      lines.push(["gate", gate, write({ ...place, array: "gate" }, index)]);
      result = (x / (1 + Math.exp(-x))) * gate;
    }
    return { formula: FORMULAS[a.activation](), lines: [...lines, ["=", result]], result };
  },
  "ffn.output": async ({ place, index: [i, c], of }) => {
    const { part } = place;
    const [hidden, weight, bias] = await Promise.all([of(`${part}.hidden[${i}]`), of(`${part}.W_2[${c}]`), of(`${part}.b_2[${c}]`)]);
    return { formula: FORMULAS.ffn_output(), ...products(hidden, (k) => `${part}.hidden[${i},${k}]`, weight, (k) => `${part}.W_2[${c},${k}]`, bias[0], `${part}.b_2[${c}]`) };
  },
  added: async ({ place, index, of }) => ({ formula: FORMULAS.added(), ...(await plus(write({ ...place, array: "input" }, index), write({ ...place, array: "output" }, index), of)) }),
  normed: async ({ place, index: [i, c], a, of }) => {
    const from = `${place.part}.${a.norm === "pre" ? "input" : "added"}[${i}]`;
    return norm(await of(from), from.replace("]", `,${c}]`), place.part, c, of);
  },
  "stack.embedded": async ({ trace, place, index: [i, c], a }) => {
    const id = (place.stack === "enc" ? trace.info.source : trace.info.target).tokens[i].id;
    const at = `${embedding(place.stack, a)}[${id},${c}]`;
    const entry = await trace.one(at), result = entry * Math.sqrt(a.d_model);
    return { formula: FORMULAS.embedded(), lines: [["id", id], ["E[id]", entry, at], ["√d_model", Math.sqrt(a.d_model)], ["=", result]], result };
  },
  "stack.positions": async ({ trace, place, index: [i, c], a }) => {
    if (a.positions === "learned") {
      const at = `${place.stack}.P[${i},${c}]`, result = await trace.one(at);
      return { formula: FORMULAS.learned(), lines: [["P[p]", result, at]], result };
    }
    const angle = i * 10000 ** (-(c - (c % 2)) / a.d_model), result = c % 2 ? Math.cos(angle) : Math.sin(angle);
    return { formula: FORMULAS.sinusoidal(), lines: [["p", i], ["angle", angle], [c % 2 ? "cos" : "sin", result]], result };
  },
  "stack.input": async ({ trace, place, index, a, of }) => {
    const at = write({ ...place, array: "embedded" }, index);
    if (a.positions !== "rotary") return { formula: FORMULAS.input(), ...(await plus(at, write({ ...place, array: "positions" }, index), of)) };
    const result = await trace.one(at);
    return { formula: FORMULAS.input(), lines: [["", result, at]], result };
  },
  "stack.output": async ({ trace, place, index: [i, c], a, of }) => {
    const last = `${place.stack}.${(place.stack === "enc" ? a.encoder_layers : a.decoder_layers) - 1}.ffn`;
    if (a.norm === "pre") return norm(await of(`${last}.added[${i}]`), `${last}.added[${i},${c}]`, place.stack, c, of);
    const result = await trace.one(`${last}.normed[${i},${c}]`);
    return { formula: FORMULAS.normed(), lines: [["", result, `${last}.normed[${i},${c}]`]], result };
  },
  "out.logits": async ({ index: [r, v], a, of }) => {
    const table = a.tie === "none" ? "dec.out.W" : embedding("dec", a);
    const [x, weight, bias] = await Promise.all([of(`dec.output[${r}]`), of(`${table}[${v}]`), of(`dec.out.b[${v}]`)]);
    return { formula: FORMULAS.logits(), ...products(x, (k) => `dec.output[${r},${k}]`, weight, (k) => `${table}[${v},${k}]`, bias[0], `dec.out.b[${v}]`) };
  },
  "out.probs": async ({ index: [r, v], of }) => exponential(await of(`dec.out.logits[${r}]`), (k) => `dec.out.logits[${r},${k}]`, v, FORMULAS.probs()),
  "out.logprobs": async ({ index: [r, v], of }) => {
    const logits = (await of(`dec.out.logits[${r}]`)).slice();
    NEVER_WRITTEN.forEach((id) => { logits[id] = -Infinity; });
    const found = await exponential(logits, (k) => `dec.out.logits[${r},${k}]`, v, FORMULAS.logprobs());
    return { ...found, lines: [...found.lines, ["log", Math.log(found.result)]], result: Math.log(found.result) };
  },
  pool: async ({ trace, index: [c] }) => {
    const column = (await trace.numbers(`enc.output[:,${c}]`)).data;
    const total = column.reduce((sum, value) => sum + value, 0);
    return { formula: FORMULAS.pool(), lines: [["Σ", total], ["n", column.length], ["=", total / column.length]], result: total / column.length };
  },
  "cls.logits": async ({ index: [label], of }) => {
    const [x, weight, bias] = await Promise.all([of("pool"), of(`cls.W[${label}]`), of(`cls.b[${label}]`)]);
    return { formula: FORMULAS.logits(), ...products(x, (k) => `pool[${k}]`, weight, (k) => `cls.W[${label},${k}]`, bias[0], `cls.b[${label}]`) };
  },
  "cls.probs": async ({ trace, index: [label], of }) => exponential(await of("cls.logits"), (k) => `cls.logits[${k}]`, label, FORMULAS.probs(), trace.model.labels),
};

async function wide({ place, index: [i, c], a, of }, which) {
  const from = before(place.part, a);
  const [x, weight, bias] = await Promise.all([of(`${from}[${i}]`), of(`${place.part}.W_${which}[${c}]`), of(`${place.part}.b_${which}[${c}]`)]);
  return { formula: FORMULAS[which === "1" ? "widened" : "gate"](), ...products(x, (k) => `${from}[${i},${k}]`, weight, (k) => `${place.part}.W_${which}[${c},${k}]`, bias[0], `${place.part}.b_${which}[${c}]`) };
}
