// The rules of what surrounds attention in a layer: feed-forward, residual sums, norms, and what is handed on.

import { write } from "../address.js";
import { lookingBack } from "../architecture.js";
import { formula } from "../notation.js";
import { BENDS } from "./activations.js";
import { before, norm, plus, products } from "./helpers.js";

/** What a part gets is what the part before it gave: nothing is computed in between. */
async function handedOn({ trace, parsed, index, a }) {
  const [stack, layer, name] = parsed.part.split(".");
  const first = stack === "dec" ? lookingBack(a) : "self";
  const parts = stack === "dec" && trace.hasCross ? [first, "cross", "ffn"] : [first, "ffn"];
  const given = a.norm === "pre" ? "added" : "normed",
    before = parts.indexOf(name) - 1;
  let from = `${stack}.input`;
  if (before >= 0) from = `${stack}.${layer}.${parts[before]}.${given}`;
  else if (Number(layer) > 0) from = `${stack}.${layer - 1}.ffn.${given}`;
  const at = `${from}[${index.join(",")}]`,
    result = await trace.one(at);
  return { lines: [["=", result, at]], result };
}

async function wide({ parsed, index: [i, c], a, of }, which) {
  const from = before(parsed.part, a);
  const [x, weight, bias] = await Promise.all([
    of(`${from}[${i}]`),
    of(`${parsed.part}.W_${which}[${c}]`),
    of(`${parsed.part}.b_${which}[${c}]`),
  ]);
  return {
    formula: formula(which === "1" ? "widened" : "gate"),
    ...products(
      x,
      (k) => `${from}[${i},${k}]`,
      weight,
      (k) => `${parsed.part}.W_${which}[${c},${k}]`,
      bias[0],
      `${parsed.part}.b_${which}[${c}]`,
    ),
  };
}

export const LAYER = {
  "ffn.widened": (given) => wide(given, "1"),
  "ffn.gate": (given) => wide(given, "G"),
  "ffn.hidden": async ({ trace, parsed, index, a }) => {
    const at = write({ ...parsed, array: "widened" }, index);
    const x = await trace.one(at),
      lines = [["W₁x + b₁", x, at]];
    let result = BENDS[a.activation](x);
    if (a.activation === "swiglu") {
      const gate = await trace.one(write({ ...parsed, array: "gate" }, index));
      lines.push(["gate", gate, write({ ...parsed, array: "gate" }, index)]);
      result *= gate;
    }
    return { formula: formula(a.activation), lines: [...lines, ["=", result]], result };
  },
  "ffn.output": async ({ parsed, index: [i, c], of }) => {
    const { part } = parsed;
    const [hidden, weight, bias] = await Promise.all([
      of(`${part}.hidden[${i}]`),
      of(`${part}.W_2[${c}]`),
      of(`${part}.b_2[${c}]`),
    ]);
    return {
      formula: formula("ffn_output"),
      ...products(
        hidden,
        (k) => `${part}.hidden[${i},${k}]`,
        weight,
        (k) => `${part}.W_2[${c},${k}]`,
        bias[0],
        `${part}.b_2[${c}]`,
      ),
    };
  },
  added: async ({ parsed, index, of }) => ({
    formula: formula("added"),
    ...(await plus(write({ ...parsed, array: "input" }, index), write({ ...parsed, array: "output" }, index), of)),
  }),
  normed: async ({ parsed, index: [i, c], a, of }) => {
    const from = `${parsed.part}.${a.norm === "pre" ? "input" : "added"}[${i}]`;
    return norm(await of(from), from.replace("]", `,${c}]`), `${parsed.part}.norm`, c, { a, of });
  },
  "attention.input": handedOn,
  "ssru.input": handedOn,
  "ffn.input": handedOn,
};
