// Tokens drawn by chance: temperature, the k most probable, the most probable that add up to p; by a seed.

/** Numbers from 0 up to 1 that depend on the seed alone (xorshift128, its state filled by a multiplying hash). */
export function randomNumbers(seed) {
  let mixed = seed >>> 0;
  const fill = () => {
    mixed = (mixed + 0x9e3779b9) >>> 0;
    let x = mixed;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  };
  const state = Uint32Array.from([fill(), fill(), fill(), fill() || 1]);
  return () => {
    const t = state[3] ^ (state[3] << 11);
    state[3] = state[2];
    state[2] = state[1];
    state[1] = state[0];
    state[0] = state[0] ^ (state[0] >>> 19) ^ t ^ (t >>> 8);
    return state[0] / 2 ** 32;
  };
}

/**
 * One token, drawn by its probability after temperature, top-k and top-p.
 * @param {Float32Array} logits
 * @param {{temperature: number, topK: number, topP: number}} settings
 * @param {() => number} random
 */
export function drawToken(logits, { temperature, topK, topP }, random) {
  let ids = null; // all of them, unless the most probable are looked for
  if ((topK > 0 && topK < logits.length) || topP < 1) {
    ids = Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a]);
    if (topK > 0) ids = ids.slice(0, topK);
  }
  const count = ids?.length ?? logits.length;
  let largest = -Infinity;
  for (let at = 0; at < count; at += 1) largest = Math.max(largest, logits[ids ? ids[at] : at]);
  const weights = new Float64Array(count);
  let total = 0;
  for (let at = 0; at < count; at += 1) {
    weights[at] = Math.exp((logits[ids ? ids[at] : at] - largest) / temperature);
    total += weights[at];
  }
  let end = count;
  if (topP < 1) {
    let before = 0; // what the likelier ones already add up to
    for (end = 0; end < count && before < topP * total; end += 1) before += weights[end];
    total = before;
  }
  let left = random() * total;
  let last = 0; // that has any probability: what rounding leaves over is its own
  for (let at = 0; at < end; at += 1) {
    if (weights[at] > 0) last = at;
    left -= weights[at];
    if (left < 0) break;
  }
  return ids ? ids[last] : last;
}
