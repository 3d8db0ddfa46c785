// The rules of attention: q, k, v, their products, softmax, what a head brings back, and all heads together.

import { write } from "../address.js";
import { formula } from "../notation.js";
import { before, exponential, products } from "./helpers.js";

async function projection({ parsed, index: [i, c], a, of }, letter) {
  const { part, head } = parsed;
  const memory = part.endsWith("cross") && letter !== "Q" ? "enc.output" : before(part, a);
  const [x, weight, bias] = await Promise.all([
    of(`${memory}[${i}]`),
    of(`${part}.h${head}.W_${letter}[${c}]`),
    of(`${part}.h${head}.b_${letter}[${c}]`),
  ]);
  const rule = { Q: "query", K: "key", V: "value" }[letter];
  return {
    formula: formula(rule),
    ...products(
      x,
      (k) => `${memory}[${i},${k}]`,
      weight,
      (k) => `${part}.h${head}.W_${letter}[${c},${k}]`,
      bias[0],
      `${part}.h${head}.b_${letter}[${c}]`,
    ),
  };
}

async function turned({ parsed, index: [i, c], a, of }, name) {
  const values = await of(write({ ...parsed, array: name }, [i]));
  const size = a.d_model / a.heads,
    pair = 2 * Math.floor(c / 2);
  const angle = i * a.rotary_base ** (-pair / size);
  const [even, odd] = [values[pair], values[pair + 1]];
  const result =
    c % 2 ? even * Math.sin(angle) + odd * Math.cos(angle) : even * Math.cos(angle) - odd * Math.sin(angle);
  return {
    formula: formula("turned"),
    lines: [
      ["p", i],
      ["angle", angle],
      ["even", even],
      ["odd", odd],
      ["=", result],
    ],
    result,
  };
}

const turnedName = ({ parsed, a }, name) =>
  a.positions === "rotary" && parsed.part.endsWith("self") ? `turned_${name}` : name;

async function dot(given) {
  const {
    parsed,
    index: [i, j],
    of,
  } = given;
  const [q, k] = [turnedName(given, "query"), turnedName(given, "key")];
  const at = (array, row) => write({ ...parsed, array }, [row]);
  const [query, key] = await Promise.all([of(at(q, i)), of(at(k, j))]);
  return {
    formula: formula("scores"),
    ...products(
      query,
      (c) => write({ ...parsed, array: q }, [i, c]),
      key,
      (c) => write({ ...parsed, array: k }, [j, c]),
    ),
  };
}

/** Whether a key is hidden from a query; one that would have nothing else to look at sees it all the same. */
function isHidden(trace, part, [query, key], isOwn) {
  const length = isOwn ? query + 1 : trace.tokens(trace.sides(part)[1]).tokens.length;
  const isSeen = (_, position) => !trace.isHidden(position);
  return trace.isHidden(key) && Array.from({ length }).some(isSeen);
}

const KNOWN_POSITIONS = ["sinusoidal", "learned", "rotary"]; // they add nothing to the scores

export const ATTENTION = {
  "attention.query": (given) => projection(given, "Q"),
  "attention.key": (given) => projection(given, "K"),
  "attention.value": (given) => projection(given, "V"),
  "attention.turned_query": (given) => turned(given, "query"),
  "attention.turned_key": (given) => turned(given, "key"),
  "attention.scores": dot,
  "attention.scaled": async ({ trace, parsed, index, a }) => {
    const at = write({ ...parsed, array: "scores" }, index);
    const score = await trace.one(at),
      width = a.d_model / a.heads,
      result = score / Math.sqrt(width);
    return {
      formula: formula("scaled"),
      lines: [
        ["q · k", score, at],
        ["d_k", width],
        ["√d_k", Math.sqrt(width)],
        ["=", result],
      ],
      result,
    };
  },
  "attention.masked": async ({ trace, parsed, index, a }) => {
    if (!KNOWN_POSITIONS.includes(a.positions)) return null;
    const at = write({ ...parsed, array: "scaled" }, index);
    const scaled = await trace.one(at);
    const isOwn = parsed.stack === "dec" && parsed.part.endsWith("self");
    const ahead = isOwn && index[1] > index[0];
    const hidden = (!isOwn || !trace.hasEncoder) && isHidden(trace, parsed.part, index, isOwn);
    return {
      formula: formula("masked"),
      lines: [
        ["q · k / √d_k", scaled, at],
        ["M", ahead || hidden ? -Infinity : 0],
      ],
      result: ahead || hidden ? -Infinity : scaled,
    };
  },
  "attention.weights": async ({ trace, parsed, index: [i, j], of }) => {
    const masked = await of(write({ ...parsed, array: "masked" }, [i]));
    const names = trace.labels(trace.sides(parsed.part)[1]);
    return exponential(masked, (k) => write({ ...parsed, array: "masked" }, [i, k]), j, formula("weights"), names);
  },
  "attention.mixed": async ({ trace, parsed, index: [i, c], of }) => {
    const at = (array) => write({ ...parsed, array });
    const [weights, values] = await Promise.all([
      of(write({ ...parsed, array: "weights" }, [i])),
      trace.numbers(`${at("value")}[:,${c}]`),
    ]);
    const found = products(
      weights,
      (j) => write({ ...parsed, array: "weights" }, [i, j]),
      values.data,
      (j) => write({ ...parsed, array: "value" }, [j, c]),
    );
    const off = trace.info.heads_off.includes(`${parsed.part}.h${parsed.head}`);
    const more = off ? { lines: [...found.lines, ["× 0", 0]], result: 0 } : {};
    return { formula: formula("mixed"), ...found, ...more };
  },
  "attention.share": async ({ parsed, index: [i, c], of }) => {
    const [mixed, weight] = await Promise.all([
      of(write({ ...parsed, array: "mixed" }, [i])),
      of(`${parsed.part}.h${parsed.head}.W_O[${c}]`),
    ]);
    return {
      formula: formula("share"),
      ...products(
        mixed,
        (k) => write({ ...parsed, array: "mixed" }, [i, k]),
        weight,
        (k) => `${parsed.part}.h${parsed.head}.W_O[${c},${k}]`,
      ),
    };
  },
  "attention.output": async ({ parsed, index: [i, c], a, of }) => {
    const heads = Array.from({ length: a.heads }, (_, head) => `${parsed.part}.h${head}.share[${i},${c}]`);
    const [bias, ...shares] = (await Promise.all([`${parsed.part}.b_O[${c}]`, ...heads].map(of))).map((one) => one[0]);
    const result = shares.reduce((sum, share) => sum + share, bias);
    return {
      formula: formula("output"),
      lines: [
        ...shares.map((share, head) => [`h${head}`, share, heads[head]]),
        ["+ b_O", bias, `${parsed.part}.b_O[${c}]`],
        ["=", result],
      ],
      result,
    };
  },
};
