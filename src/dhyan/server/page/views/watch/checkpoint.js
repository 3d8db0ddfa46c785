// One checkpoint as the page knows it: its sample texts, and the attention weights of the first of them.

import { bytes, get } from "../../parts/api.js";
import { Numbers } from "../../parts/numbers.js";

/** began: when the training was started, so that another one of the same name is not taken for it. */
export async function checkpoint(name, step, began) {
  const path = `trainings/${encodeURIComponent(name)}/samples/${step}`;
  const [info, raw] = await Promise.all([get(path, { began }), bytes(`${path}/attention`, { began })]);
  const weights = new Float32Array(raw.buffer, raw.byteOffset, raw.byteLength / 4);
  const heads = new Map();
  let begin = 0;
  for (const { part, shape } of info.attention) {
    const size = shape[1] * shape[2];
    for (let head = 0; head < shape[0]; head += 1, begin += size) {
      const address = `${part}.h${head}.weights`;
      heads.set(address, new Numbers(address, shape.slice(1), sides(part), weights.subarray(begin, begin + size)));
    }
  }
  return { ...info, heads, key: `${name} ${began} ${step}` };
}

/** The axes of an attention: who looks, and at what. */
const sides = (part) =>
  part.startsWith("enc") ? ["source", "source"] : ["predicting", part.endsWith("cross") ? "source" : "target"];

/** The tokens along an axis, as labels. */
export function labels(one, axis) {
  const tokens = { source: one.source, target: one.target, predicting: one.predicted }[axis]?.tokens ?? [];
  return tokens.map((token) => (axis === "predicting" ? `→ ${token.text}` : token.text));
}
