// The rules of a recurrent unit, which some decoders have in place of self-attention: no heads, and one state that is
// handed on from token to token.

import { formula } from "../notation.js";
import { sigmoid } from "./activations.js";
import { before, products } from "./helpers.js";

async function projection({ parsed: { part }, index: [i, c], a, of }, weights, bias = "") {
  const from = before(part, a);
  const [x, weight, shift] = await Promise.all([
    of(`${from}[${i}]`),
    of(`${part}.${weights}[${c}]`),
    bias ? of(`${part}.${bias}[${c}]`) : [null],
  ]);
  return products(
    x,
    (k) => `${from}[${i},${k}]`,
    weight,
    (k) => `${part}.${weights}[${c},${k}]`,
    shift[0],
    `${part}.${bias}[${c}]`,
  );
}

export const RECURRENCE = {
  "ssru.forget": async (given) => {
    const found = await projection(given, "W_F", "b_F");
    const result = sigmoid(found.result);
    return { formula: formula("forget"), ...found, lines: [...found.lines, ["σ", result]], result };
  },
  "ssru.candidate": async (given) => ({ formula: formula("candidate"), ...(await projection(given, "W")) }),
  "ssru.cell": async ({ parsed: { part }, index: [i, c], of }) => {
    const at = (array, row) => `${part}.${array}[${row},${c}]`;
    const [[kept], [own], [state]] = await Promise.all([
      of(at("forget", i)),
      of(at("candidate", i)),
      i > 0 ? of(at("cell", i - 1)) : [0], // in front of the first token there is none
    ]);
    const result = kept * state + (1 - kept) * own;
    return {
      formula: formula("cell"),
      lines: [
        ["f", kept, at("forget", i)],
        ["c, t−1", state, i > 0 && at("cell", i - 1)],
        ["1 − f", 1 - kept],
        ["u", own, at("candidate", i)],
        ["=", result],
      ],
      result,
    };
  },
  "ssru.output": async ({ trace, parsed: { part }, index }) => {
    const at = `${part}.cell[${index.join(",")}]`;
    const state = await trace.one(at);
    return { formula: formula("state"), lines: [["c", state, at]], result: Math.max(0, state) };
  },
};
