// The rules of both ends: how ids become vectors, and how vectors become tokens or labels.

import { write } from "../address.js";
import { formula, neverWritten } from "../notation.js";
import { exponential, norm, plus, products } from "./helpers.js";

const embedding = (stack, a) =>
  stack === "dec" && a.shape === "encoder-decoder" && a.tie === "all" ? "enc.E" : `${stack}.E`;

export const ENDS = {
  "stack.embedded": async ({ trace, parsed, index: [i, c], a }) => {
    const id = (parsed.stack === "enc" ? trace.info.source : trace.info.target).tokens[i].id;
    const at = `${embedding(parsed.stack, a)}[${id},${c}]`;
    const entry = await trace.one(at),
      result = entry * Math.sqrt(a.d_model);
    return {
      formula: formula("embedded"),
      lines: [
        ["id", id],
        ["E[id]", entry, at],
        ["√d_model", Math.sqrt(a.d_model)],
        ["=", result],
      ],
      result,
    };
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
  "stack.input": async ({ trace, parsed, index, of }) => {
    const at = write({ ...parsed, array: "embedded" }, index);
    if (trace.info.addresses[`${parsed.stack}.positions`])
      return { formula: formula("input"), ...(await plus(at, write({ ...parsed, array: "positions" }, index), of)) };
    const result = await trace.one(at);
    return { formula: formula("input"), lines: [["", result, at]], result };
  },
  "stack.output": async ({ trace, parsed, index: [i, c], a, of }) => {
    const last = `${parsed.stack}.${(parsed.stack === "enc" ? a.encoder_layers : a.decoder_layers) - 1}.ffn`;
    if (a.norm === "pre")
      return norm(await of(`${last}.added[${i}]`), `${last}.added[${i},${c}]`, parsed.stack, c, of);
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
  "out.logprobs": async ({ index: [r, v], of }) => {
    const logits = (await of(`dec.out.logits[${r}]`)).slice();
    neverWritten().forEach((id) => {
      logits[id] = -Infinity;
    });
    const found = await exponential(logits, (k) => `dec.out.logits[${r},${k}]`, v, formula("logprobs"));
    return { ...found, lines: [...found.lines, ["log", Math.log(found.result)]], result: Math.log(found.result) };
  },
  "mlm.logits": async ({ index: [i, v], of }) => {
    const [x, weight, bias] = await Promise.all([of(`enc.output[${i}]`), of(`enc.E[${v}]`), of(`mlm.b[${v}]`)]);
    const addresses = [(k) => `enc.output[${i},${k}]`, (k) => `enc.E[${v},${k}]`];
    return { formula: formula("logits"), ...products(x, addresses[0], weight, addresses[1], bias[0], `mlm.b[${v}]`) };
  },
  "mlm.probs": async ({ index: [i, v], of }) =>
    exponential(await of(`mlm.logits[${i}]`), (k) => `mlm.logits[${i},${k}]`, v, formula("probs")),
  pool: async ({ trace, index: [c] }) => {
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
  "cls.logits": async ({ index: [label], of }) => {
    const [x, weight, bias] = await Promise.all([of("pool"), of(`cls.W[${label}]`), of(`cls.b[${label}]`)]);
    return {
      formula: formula("logits"),
      ...products(
        x,
        (k) => `pool[${k}]`,
        weight,
        (k) => `cls.W[${label},${k}]`,
        bias[0],
        `cls.b[${label}]`,
      ),
    };
  },
  "cls.probs": async ({ trace, index: [label], of }) =>
    exponential(await of("cls.logits"), (k) => `cls.logits[${k}]`, label, formula("probs"), trace.model.labels),
};
