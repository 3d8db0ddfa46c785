// What the flow picture is made of: the blocks of a model, bottom to top, and which block an address belongs to.

import { lookingBack } from "../architecture.js";
import { key, t } from "../i18n.js";

const TITLES = {
  input: key("Embedding + position"),
  self: key("Self-attention"),
  masked: key("Masked self-attention"),
  ssru: key("Recurrent unit"),
  cross: key("Cross-attention"),
  ffn: key("Feed-forward"),
  norm: key("Norm"),
  add: key("Add"),
  both: key("Add & norm"),
  out: key("Linear & softmax"),
  top: key("Sentence vector"),
};

export const titleOf = (name) => t(TITLES[name]);

/** The stacks that a model has, each with its layers and the blocks of a layer. */
export function stacksOf(trace) {
  const { encoder_layers: encoder, decoder_layers: decoder } = trace.architecture;
  const back = lookingBack(trace.architecture);
  return [
    ...(trace.hasEncoder ? [{ stack: "enc", title: t("Encoder"), layers: encoder, blocks: ["self", "ffn"] }] : []),
    ...(trace.hasDecoder
      ? [
          {
            stack: "dec",
            title: t("Decoder"),
            layers: decoder,
            blocks: trace.hasCross ? [back, "cross", "ffn"] : [back, "ffn"],
          },
        ]
      : []),
  ];
}

/** enc.2.self.h5.weights[3,1] → enc.2.self; what comes before the layers is enc.input, what stands on them dec.out or top. */
export function blockOf(address) {
  const [, inLayer] = /^((?:enc|dec)\.\d+\.(?:self|ssru|cross|ffn))\b/.exec(address) ?? [];
  if (inLayer) return inLayer;
  if (/^dec\.out\b/.test(address)) return "dec.out";
  if (/^(pool|cls|mlm)\b/.test(address)) return "top";
  const [, stack, name] = /^(enc|dec)\.(\w+)/.exec(address) ?? [];
  if (!stack) return null;
  return name === "output" || name === "norm" ? `${stack}.output` : `${stack}.input`;
}

/** What a block shows first when it is opened. */
export function openedBy(block, head = 0) {
  if (/\.(self|cross)$/.test(block)) return `${block}.h${head}.weights`;
  if (block.endsWith(".ffn")) return `${block}.hidden`;
  if (block.endsWith(".ssru")) return `${block}.cell`;
  return { "dec.out": "dec.out.probs", top: "pool" }[block] ?? block;
}

/** The name of a block for people: Masked self-attention. */
export function blockTitle(trace, block) {
  const kind = block.split(".").at(-1);
  if (kind === "self" && block.startsWith("dec")) return titleOf("masked");
  if (kind === "output") return trace.architecture.norm === "pre" ? titleOf("norm") : t("output");
  return titleOf(kind);
}
