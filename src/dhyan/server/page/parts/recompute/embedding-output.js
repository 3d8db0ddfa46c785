// The rules of both ends: how ids become vectors, and how vectors become tokens or labels.

import { cellOf, write } from "../address.js";
import { formula, neverWritten } from "../notation.js";
import { BENDS } from "./activations.js";
import { exponential, norm, plus, products } from "./helpers.js";

const embedding = (stack, a) =>
  stack === "dec" && a.shape === "encoder-decoder" && a.tie === "all" ? "enc.E" : `${stack}.E`;

/** Embedding + position, where positions are added. */
async function sum({ trace, parsed, index, of }) {
  const at = write({ ...parsed, array: "embedded" }, index);
  if (trace.info.addresses[`${parsed.stack}.positions`])
    return { formula: formula("input"), ...(await plus(at, write({ ...parsed, array: "positions" }, index), of)) };
  const result = await trace.one(at);
  return { formula: formula("input"), lines: [["", result, at]], result };
}

/** A hidden layer in front of the logits: bend(W x + b). row: the address of x. */
async function hiddenLayer(head, row, column, activation, of) {
  const [x, weight, bias] = await Promise.all([
    of(row),
    of(`${head}.hidden.W[${column}]`),
    of(`${head}.hidden.b[${column}]`),
  ]);
  const found = products(
    x,
    (k) => cellOf(row, [k]),
    weight,
    (k) => `${head}.hidden.W[${column},${k}]`,
    bias[0],
    `${head}.hidden.b[${column}]`,
  );
  const result = BENDS[activation](found.result);
  return { formula: formula("hidden_layer"), ...found, lines: [...found.lines, [activation, result]], result };
}

export const ENDS = {
  "stack.embedded": async ({ trace, parsed, index: [i, c], a }) => {
    const id = (parsed.stack === "enc" ? trace.info.source : trace.info.target).tokens[i].id;
    const at = `${embedding(parsed.stack, a)}[${id},${c}]`;
    const entry = await trace.one(at);
    const lines = [
      ["id", id],
      ["E[id]", entry, at],
    ];
    if (!a.embedding_scale) return { formula: formula("embedded_unscaled"), lines, result: entry };
    const root = Math.sqrt(a.d_model);
    const result = entry * root;
    return { formula: formula("embedded"), lines: [...lines, ["√d_model", root], ["=", result]], result };
  },
  "stack.positions": async ({ trace, parsed, index: [i, c], a }) => {
    if (a.positions === "learned") {
      const at = `${parsed.stack}.P[${i},${c}]`,
        result = await trace.one(at);
      return { formula: formula("learned"), lines: [["P[p]", result, at]], result };
    }
    const angle = i * 10000 ** (-(c - (c % 2)) / a.d_model),
      result = c % 2 ? Math.cos(angle) : Math.sin(angle);
    return {
      formula: formula("sinusoidal"),
      lines: [
        ["p", i],
        ["angle", angle],
        [c % 2 ? "cos" : "sin", result],
      ],
      result,
    };
  },
  "stack.summed": sum,
  "stack.input": async (given) => {
    const { parsed, index, a, of } = given;
    if (!a.embedding_norm) return sum(given);
    const [i, c] = index;
    const at = `${parsed.stack}.summed`;
    return norm(await of(`${at}[${i}]`), `${at}[${i},${c}]`, `${parsed.stack}.embedding_norm`, c, { a, of });
  },
  "stack.output": async ({ trace, parsed, index: [i, c], a, of }) => {
    const last = `${parsed.stack}.${(parsed.stack === "enc" ? a.encoder_layers : a.decoder_layers) - 1}.ffn`;
    if (a.norm === "pre")
      return norm(await of(`${last}.added[${i}]`), `${last}.added[${i},${c}]`, `${parsed.stack}.norm`, c, { a, of });
    const result = await trace.one(`${last}.normed[${i},${c}]`);
    return { formula: formula("normed"), lines: [["", result, `${last}.normed[${i},${c}]`]], result };
  },
  "out.logits": async ({ index: [r, v], a, of }) => {
    const table = a.tie === "none" ? "dec.out.W" : embedding("dec", a);
    const [x, weight, bias] = await Promise.all([
      of(`dec.output[${r}]`),
      of(`${table}[${v}]`),
      of(`dec.out.b[${v}]`),
    ]);
    return {
      formula: formula("logits"),
      ...products(
        x,
        (k) => `dec.output[${r},${k}]`,
        weight,
        (k) => `${table}[${v},${k}]`,
        bias[0],
        `dec.out.b[${v}]`,
      ),
    };
  },
  "out.probs": async ({ index: [r, v], of }) =>
    exponential(await of(`dec.out.logits[${r}]`), (k) => `dec.out.logits[${r},${k}]`, v, formula("probs")),
  "out.logprobs": async ({ index: [r, v], a, of }) => {
    const logits = (await of(`dec.out.logits[${r}]`)).slice();
    neverWritten(a).forEach((id) => {
      logits[id] = -Infinity;
    });
    const found = await exponential(logits, (k) => `dec.out.logits[${r},${k}]`, v, formula("logprobs"));
    return { ...found, lines: [...found.lines, ["log", Math.log(found.result)]], result: Math.log(found.result) };
  },
  "mlm.hidden": ({ index: [i, c], a, of }) => hiddenLayer("mlm", `enc.output[${i}]`, c, a.activation, of),
  "mlm.normed": async ({ index: [i, c], a, of }) =>
    norm(await of(`mlm.hidden[${i}]`), `mlm.hidden[${i},${c}]`, "mlm.norm", c, { a, of }),
  "mlm.logits": async ({ index: [i, v], a, of }) => {
    const from = a.masked_transform ? "mlm.normed" : "enc.output";
    const [x, weight, bias] = await Promise.all([of(`${from}[${i}]`), of(`enc.E[${v}]`), of(`mlm.b[${v}]`)]);
    const addresses = [(k) => `${from}[${i},${k}]`, (k) => `enc.E[${v},${k}]`];
    return { formula: formula("logits"), ...products(x, addresses[0], weight, addresses[1], bias[0], `mlm.b[${v}]`) };
  },
  "mlm.probs": async ({ index: [i, v], of }) =>
    exponential(await of(`mlm.logits[${i}]`), (k) => `mlm.logits[${i},${k}]`, v, formula("probs")),
  pool: async ({ trace, index: [c], a }) => {
    if (a.pooling === "first") {
      const result = await trace.one(`enc.output[0,${c}]`);
      return { formula: formula("pool_first"), lines: [["", result, `enc.output[0,${c}]`]], result };
    }
    const column = (await trace.numbers(`enc.output[:,${c}]`)).data.filter((_, row) => !trace.isHidden(row));
    const total = column.reduce((sum, value) => sum + value, 0);
    return {
      formula: formula("pool"),
      lines: [
        ["Σ", total],
        ["n", column.length],
        ["=", total / column.length],
      ],
      result: total / column.length,
    };
  },
  "cls.hidden": ({ index: [c], a, of }) => hiddenLayer("cls", "pool", c, a.classifier_hidden, of),
  "cls.logits": async ({ index: [label], a, of }) => {
    const from = a.classifier_hidden === "none" ? "pool" : "cls.hidden";
    const [x, weight, bias] = await Promise.all([of(from), of(`cls.W[${label}]`), of(`cls.b[${label}]`)]);
    return {
      formula: formula("logits"),
      ...products(
        x,
        (k) => `${from}[${k}]`,
        weight,
        (k) => `cls.W[${label},${k}]`,
        bias[0],
        `cls.b[${label}]`,
      ),
    };
  },
  "cls.probs": async ({ trace, index: [label], of }) => {
    const { sums, lines, address } = await withWords(trace, label, of);
    const { label_kind: kind, labels: names } = trace.model;
    const by = formula(lines.length ? "labels" : "probs");
    const found =
      kind === "several"
        ? sigmoid(sums[label], address(label))
        : await exponential(sums, address, label, by, names);
    return lines.length ? { ...found, lines: [...lines, ...found.lines.slice(1)] } : found;
  },
  "cls.number": async ({ trace, index: [label], of }) => {
    const { sums, lines, address } = await withWords(trace, label, of);
    const alone = [["=", sums[label], address(label)]];
    return { formula: formula("number"), lines: lines.length ? lines : alone, result: sums[label] };
  },
  "cls.words": async ({ trace, index: [label], of }) => {
    const { words } = trace.info.words_head;
    const parts = words.length ? await of(`cls.words.parts[:,${label}]`) : [];
    const [bias] = await of(`cls.words.b[${label}]`);
    const total = parts.reduce((sum, one) => sum + one, 0);
    const lines = words.map((word, w) => [word, parts[w], `cls.words.parts[${w},${label}]`]);
    const result = total + bias;
    lines.push(["Σ", total], ["+ b", bias, `cls.words.b[${label}]`], ["=", result]);
    return { formula: formula("words"), lines, result };
  },
  "cls.words.parts": async ({ trace, index: [w, label], of }) => {
    const learnt = `cls.words.W[${trace.info.words_head.rows[w]},${label}]`;
    const [tfIdf, weight] = await Promise.all([of(`cls.words.tf_idf[${w}]`), of(learnt)]);
    const addresses = [() => `cls.words.tf_idf[${w}]`, () => learnt];
    return { formula: formula("words_part"), ...products(tfIdf, addresses[0], weight, addresses[1]) };
  },
  "cls.words.tf_idf": async ({ index: [w], of }) => {
    const weighted = await of("cls.words.weighted");
    const length = Math.hypot(...weighted) || 1;
    const result = weighted[w] / length;
    const lines = [
      ["u", weighted[w], `cls.words.weighted[${w}]`],
      ["√Σu²", length],
      ["=", result],
    ];
    return { formula: formula("tf_idf"), lines, result };
  },
  "cls.words.weighted": async ({ trace, index: [w], of }) => {
    const learnt = `cls.words.idf[${trace.info.words_head.rows[w]}]`;
    const [[count], [idf]] = await Promise.all([of(`cls.words.counts[${w}]`), of(learnt)]);
    const times = count > 0 ? 1 + Math.log(Math.max(count, 1)) : 0;
    const lines = [
      ["n", count, `cls.words.counts[${w}]`],
      ["1 + ln n", times],
      ["idf", idf, learnt],
      ["=", times * idf],
    ];
    return { formula: formula("word_weighted"), lines, result: times * idf };
  },
};

/** The logits with what the words head adds to them, if there is one; lines: how that comes about for one label. */
async function withWords(trace, label, of) {
  const logits = await of("cls.logits");
  if (!trace.info.words_head) return { sums: logits, lines: [], address: (k) => `cls.logits[${k}]` };
  const words = await of("cls.words");
  const sums = logits.map((one, k) => one + words[k]);
  const lines = [
    ["logit", logits[label], `cls.logits[${label}]`],
    ["+ words", words[label], `cls.words[${label}]`],
    ["s", sums[label]],
  ];
  return { sums, lines, address: (k) => `cls.words[${k}]` };
}

/** 1 / (1 + exp(−s)): each label by itself. */
function sigmoid(value, at) {
  const power = Math.exp(-value);
  return {
    formula: formula("sigmoid"),
    lines: [
      ["s", value, at],
      ["exp(−s)", power],
      ["=", 1 / (1 + power)],
    ],
    result: 1 / (1 + power),
  };
}
