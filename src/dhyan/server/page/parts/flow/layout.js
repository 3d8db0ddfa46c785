// Where everything stands in the flow picture, in pixels: lanes from left to right, rows from the bottom up.

import { stacksOf } from "./plan.js";

const LANE = { least: 22, most: 84 }; // the width of a token's lane
const PAD = 14; // between a tower's edge and its first lane
const SIDE = { left: 34, right: 58 }; // the residual path; beside the decoder also the way back to its input
const ROW = {
  input: 26,
  norm: 24, // as high as a finger needs
  add: 24,
  attention: 100,
  ssru: 70,
  cross: 76,
  ffn: 46,
  closed: 34,
  closedWithCross: 54,
  out: 154,
};
const ELASTIC = { attention: 60, ssru: 56, cross: 50, ffn: 36, closed: 26, closedWithCross: 50 }; // rows that give way: how far
const STRETCH = /** @type {[number, number]} */ ([0.6, 1.5]);
export const AROUND = 126; // of the window's height: the controls above the picture
const BETWEEN = 4; // rows of a layer
const LAYERS = 11; // two layers
const LINE = 19; // a line of labels
const STUB = 12; // what a lane goes on beyond its last block
export const FONT = 13;

const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

/** How labels are set in lanes of this width: in one line, in two by turns, or slanted. */
function setting(widths, lane) {
  const most = Math.max(0, ...widths);
  if (most <= lane - 6) return { kind: "line", height: LINE + 5 };
  if (most <= 2 * lane - 10) return { kind: "two", height: 2 * LINE + 5 };
  return { kind: "slanted", height: Math.min(most, 130) * 0.64 + 18 };
}

/**
 * open: { enc: 0, dec: 1 }, the layer of each stack that is shown in full (null: none).
 * tall: how high the window is, which the picture fills if it can. measure: a text's width in pixels.
 */
export function layout(trace, { width, tall, open, measure }) {
  const stacks = stacksOf(trace);
  const names = { enc: trace.info.source?.tokens ?? [], dec: trace.info.target?.tokens ?? [] };
  const words = { enc: inPieces(trace.info.source), dec: inPieces(trace.info.target) };
  const written = trace.hasDecoder ? trace.info.predicted.tokens : [];
  const widths = {
    enc: names.enc.map((token) => measure(token.text)),
    dec: [...names.dec, ...written].map((token) => measure(token.text)),
  };
  const count = stacks.reduce((sum, { stack }) => sum + names[stack].length, 0);
  const bundles = trace.hasCross ? trace.architecture.decoder_layers : 0;

  // Across. A ribbon is as wide as what flows into it: all the weights of a row are 1.
  const margin = SIDE.left + (trace.hasDecoder ? SIDE.right : SIDE.left) + stacks.length * 2 * PAD;
  const laneOf = (gap) => clamp((width - margin - gap) / count, LANE.least, LANE.most);
  const ribbonOf = (one) => clamp(one * 0.42, 7, 18);
  const thickness = (layer, ribbon) => (layer === open.dec ? ribbon : ribbon * 0.55);
  const gapOf = (ribbon) =>
    bundles
      ? 34 + Array.from({ length: bundles }, (_, layer) => thickness(layer, ribbon) + 7).reduce((a, b) => a + b)
      : 0;
  const lane = laneOf(gapOf(ribbonOf(laneOf(bundles ? 60 : 0))));
  const ribbon = ribbonOf(lane);
  const least = { enc: trace.hasCross ? 150 : 240, dec: 236 };
  const towers = {};
  const broad = stacks.map(({ stack }) => Math.max(least[stack], names[stack].length * lane + 2 * PAD));
  const gap = gapOf(ribbon);
  const needed = broad.reduce((a, b) => a + b) + gap + SIDE.left + (trace.hasDecoder ? SIDE.right : SIDE.left);
  const whole = Math.max(width, needed);
  let x = SIDE.left + (whole - needed) / 2;
  stacks.forEach(({ stack, title, layers }, number) => {
    const inside = names[stack].length * lane;
    const first = x + (broad[number] - inside) / 2 + lane / 2;
    towers[stack] = {
      stack,
      title,
      layers,
      left: x,
      right: x + broad[number],
      lanes: names[stack].map((_, token) => first + token * lane),
      names: names[stack],
      words: words[stack],
      setting: setting(widths[stack], lane),
    };
    x += broad[number] + gap;
  });

  // Up. Each stack is piled from 0; both stand on the same ground.
  const pre = trace.architecture.norm === "pre";
  const over = bundles ? gap - 14 : 0; // the ways from the encoder to the decoder turn above the encoder
  const piles = stacks.map((stack) => {
    const piled = (stretch) => pile(stack, towers[stack.stack], { open: open[stack.stack], pre, trace, stretch });
    const plain = piled(1);
    const room = tall - AROUND - (stack.stack === "enc" ? over : 0);
    return piled(clamp(1 + (room - plain.height) / plain.elastic, ...STRETCH));
  });
  const height = Math.max(...piles.map(({ stack, height: own }) => own + (stack === "enc" ? over : 0))) + 8;
  const rows = piles.flatMap(({ rows: own }) =>
    own.map((row) => ({ ...row, low: height - row.from, high: height - row.to })),
  );
  for (const { stack, rows: own } of piles) towers[stack].top = height - lastOf(own);

  return {
    width: whole,
    height,
    lane,
    ribbon,
    towers,
    rows,
    row: (id, kind) => rows.find((one) => one.id === id && (!kind || one.kind === kind)),
    /** Where the way of a decoder layer's cross-attention runs: how thick it is, and how far out. */
    bundle(layer) {
      const before = Array.from({ length: layer }, (_, one) => thickness(one, ribbon) + 7).reduce(
        (a, b) => a + b,
        0,
      );
      const thick = thickness(layer, ribbon);
      const names = rows.find((one) => one.kind === "names");
      return {
        thick,
        across: towers.enc.right + 20 + before + thick / 2,
        above: names.high - 8 - before - thick / 2,
      };
    },
  };
}

/** The words of more than one piece; spaces and full stops do not count. */
function inPieces(tokens) {
  const isMark = (token) => /^[\p{P}\p{S}]+$/u.test(token.text);
  return (tokens?.words ?? [])
    .filter((word) => !word.special)
    .map(({ text, start, end }) => ({ text, start, last: end - 1, pieces: tokens.tokens.slice(start, end) }))
    .filter(({ pieces }) => pieces.filter((piece) => !isMark(piece)).length > 1);
}

/** How far up the lanes of a pile go: to what stands on them, or a little beyond the last block. */
function lastOf(rows) {
  const onTop = rows.find((row) => row.kind === "top");
  return onTop ? onTop.from : rows.filter((row) => !["output", "names"].includes(row.kind)).at(-1).to + STUB;
}

function pile({ stack, layers, blocks }, tower, { open, pre, trace, stretch }) {
  const rows = [];
  let at = trace.hasDecoder ? 14 : 0; // what is written comes back in from below
  let elastic = 0; // how much of the height can give way
  const high = (kind) => {
    elastic += ROW[kind];
    return Math.max(ELASTIC[kind], ROW[kind] * stretch);
  };
  const put = (id, kind, height, space, more = {}) => {
    rows.push({ id, kind, stack, from: at, to: at + height, ...more });
    at += height + space;
  };
  const norm = (block) => put(block, "norm", ROW.norm, BETWEEN, { at: `${block}.normed` });
  if (tower.words.length) put(`${stack}.words`, "words", LINE + 8, 0);
  put(`${stack}.tokens`, "tokens", tower.setting.height, 4);
  put(`${stack}.input`, "input", ROW.input, LAYERS, { at: `${stack}.input` });
  for (let layer = 0; layer < layers; layer += 1) {
    const name = `${stack}.${layer}`;
    if (layer !== open) {
      const height = high(blocks.includes("cross") ? "closedWithCross" : "closed");
      put(name, "closed", height, LAYERS - 4, { layer });
      continue;
    }
    at += 10; // inside the frame
    const begins = at;
    for (const kind of blocks) {
      const block = `${name}.${kind}`;
      if (pre) norm(block);
      const sort = kind === "self" ? "attention" : kind;
      const shown = { ffn: "hidden", ssru: "cell" }[kind] ?? "weights";
      put(block, sort, high(sort), BETWEEN, { layer, at: `${block}.${shown}` });
      put(block, pre ? "add" : "both", ROW.add, BETWEEN, { layer, at: `${block}.${pre ? "added" : "normed"}` });
    }
    rows.push({ id: name, kind: "frame", stack, layer, from: begins - 10, to: at + 8 });
    at += 8 + LAYERS + 6;
  }
  if (pre) put(`${stack}.output`, "norm", ROW.norm, 4, { at: `${stack}.output` });
  if (stack === "dec") {
    at += 6;
    put("dec.out", "out", ROW.out, STUB, { at: "dec.out.probs" });
    put("dec.written", "output", tower.setting.height, 0);
  } else if (!trace.hasDecoder)
    put("top", "top", 30 + 24 * Object.keys(trace.info.labels ?? {}).length, STUB, { at: "pool" });
  else {
    at += STUB;
    put("enc.names", "names", LINE + 4, 0);
  }
  return { stack, rows, height: at, elastic };
}
