// The flow picture in small: every block of the model in its place, a link each, and the one that is looked at marked.
// The Bench finds its way with it, and Follow shows where one is.

import { s } from "../dom.js";
import { t } from "../i18n.js";
import { blockTitle, stacksOf, titleOf } from "./plan.js";

const BOX = { width: 86, height: 24, gap: 4 };
const LAYER = { pad: 5, gap: 8 };
const MANY = 8; // layers of a stack, beyond which only the one that is looked at shows its blocks
const FEW = 2; // the same where there is little room
const APART = 16; // the two towers
const SIDE = 6; // residual paths

/**
 * here: the block that is looked at. link(block): where a block leads, null for nowhere.
 * off(block): whether a head of it is off. narrow: there is little room.
 */
export function compact(trace, { here, link, off = (_block) => false, narrow = false }) {
  const stacks = stacksOf(trace);
  const wide = stacks.length === 1 ? 132 : BOX.width;
  const placed = stacks.map((stack, number) => ({
    ...stack,
    left: SIDE + 4 + number * (wide + APART + 2 * LAYER.pad),
    ...pile(stack, trace, here, narrow ? FEW : MANY),
  }));
  const height = Math.max(...placed.map((one) => one.height)) + 4;
  const width = placed.at(-1).left + wide + 2 * LAYER.pad + SIDE + 4;
  const inner = (one) => one.left + LAYER.pad;
  const middle = (one) => inner(one) + wide / 2;

  const streams = placed.map((one) =>
    [-0.3, -0.1, 0.1, 0.3].map((share) =>
      s("path", { d: `M${middle(one) + share * wide} ${height - 4}V${height - one.height + 6}` }),
    ),
  );
  const frames = placed.flatMap((one) =>
    one.frames.map(({ from, to, layer }) => [
      s("rect", { x: one.left, y: height - to, width: wide + 2 * LAYER.pad, height: to - from, rx: 6 }),
      s(
        "text",
        {
          x: one.stack === "enc" ? one.left - 3 : one.left + wide + 2 * LAYER.pad + 3,
          y: height - (from + to) / 2 + 4,
          class: one.stack === "enc" ? "end" : null,
        },
        String(layer),
      ),
    ]),
  );
  const boxes = placed.flatMap((one) =>
    one.boxes.map(({ block, from, name }) => {
      const y = height - from - BOX.height;
      const at = link(block);
      const inside = [
        s("rect", { x: inner(one), y, width: wide, height: BOX.height, rx: 6 }),
        s("text", { x: middle(one), y: y + 16, class: "middle" }, `${name}${off(block) ? " ◌" : ""}`),
      ];
      if (!at) return s("g", { class: "flow-box" }, inside);
      return s(
        "a",
        {
          class: "flow-box",
          href: at,
          "data-block": block,
          "data-key": `map-${block}`,
          "aria-label": /\d/.test(block) ? `${name}, ${block}` : `${one.title}: ${name}`,
          "aria-current": block === here ? "true" : null,
        },
        inside,
      );
    }),
  );
  return s(
    "svg",
    {
      class: "flow-compact",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "group",
      "aria-label": t("Architecture"),
    },
    s("g", { class: "streams" }, streams),
    s("g", { class: "frames" }, frames),
    trace.hasCross && s("g", { class: "crossing" }, crossing(placed, { height, wide, inner })),
    boxes,
  );
}

/** From the bottom up: what comes in, the layers, what comes out. */
function pile({ stack, layers, blocks }, trace, here, most) {
  const boxes = [];
  const frames = [];
  let at = 2;
  const put = (block, name) => {
    boxes.push({ block, name, from: at });
    at += BOX.height + BOX.gap;
  };
  put(`${stack}.input`, t("Embedding"));
  at += LAYER.gap - BOX.gap;
  for (let layer = 0; layer < layers; layer += 1) {
    const from = at;
    at += LAYER.pad;
    const folded = layers > most && !here?.startsWith(`${stack}.${layer}.`);
    if (folded) put(`${stack}.${layer}.${blocks[0]}`, `${t("Layer")} ${layer}`);
    else
      for (const kind of blocks)
        put(
          `${stack}.${layer}.${kind}`,
          kind === "self" ? titleOf("self") : blockTitle(trace, `${stack}.${layer}.${kind}`),
        );
    at += LAYER.pad - BOX.gap;
    frames.push({ from, to: at, layer });
    at += LAYER.gap;
  }
  put(`${stack}.output`, trace.architecture.norm === "pre" ? titleOf("norm") : t("Output"));
  if (stack === "dec") put("dec.out", "Softmax");
  else if (!trace.hasDecoder) put("top", titleOf("top"));
  return { boxes, frames, height: at - BOX.gap + 6 };
}

/** The encoder's last vectors go to the cross-attention of every decoder layer. */
function crossing(towers, { height, wide, inner }) {
  const [encoder, decoder] = towers;
  const from = encoder.boxes.at(-1);
  const y = height - from.from - BOX.height / 2;
  const right = inner(encoder) + wide;
  return decoder.boxes
    .filter(({ block }) => block.endsWith(".cross"))
    .map(({ from: low }) => {
      const [x, end] = [right + LAYER.pad + APART / 2, inner(decoder)];
      const to = height - low - BOX.height / 2;
      return s("path", { d: `M${right} ${y}C${x + 6} ${y} ${x - 8} ${to} ${end} ${to}` });
    });
}
