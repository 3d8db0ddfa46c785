// The cards of the walk: which number each stage is about, where it stands, and which lines of code compute it.

import { t } from "../../parts/i18n.js";

/** at: token, layer, head, step, column (which component of a vector). */
export async function walk(trace, at) {
  const cards = [];
  const row = trace.firstRow + at.step;
  if (trace.hasEncoder) {
    const layer = Math.min(at.layer, trace.architecture.encoder_layers - 1);
    cards.push(...into(trace, "enc", trace.info.source, at.token, at.column));
    cards.push(...(await attention(trace, `enc.${layer}.self`, at, at.token)));
    cards.push(...feedForward(trace, `enc.${layer}.ffn`, at.token, at.column));
    cards.push(through(trace, "enc", trace.architecture.encoder_layers, at.token, at.column));
  }
  if (trace.hasDecoder) {
    const layer = Math.min(at.layer, trace.architecture.decoder_layers - 1);
    cards.push(...into(trace, "dec", trace.info.target, row, at.column));
    cards.push(...(await attention(trace, `dec.${layer}.self`, at, row)));
    if (trace.hasCross) cards.push(...(await attention(trace, `dec.${layer}.cross`, at, row)));
    cards.push(...feedForward(trace, `dec.${layer}.ffn`, row, at.column));
    cards.push(through(trace, "dec", trace.architecture.decoder_layers, row, at.column));
    cards.push(...choice(trace, at.step, row));
  } else cards.push(...onTop(trace, at.column));
  return cards;
}

const sizes = (trace, ...names) =>
  names.map((name) => `${name} ${(trace.info.addresses[name] ?? []).join(" × ")}`).join(", ");

function into(trace, stack, tokens, row, column) {
  const { positions, d_model: width } = trace.architecture;
  const cards = [
    {
      title: t(stack === "enc" ? "Text → pieces → ids" : "What the decoder reads"),
      tokens,
      token: row,
      code: "encode",
      text: t("Words are cut into pieces that the vocabulary knows; each has a number."),
    },
    {
      title: t("Embedding × √d_model"),
      address: `${stack}.embedded[${row},${column}]`,
      whole: `${stack}.embedded[${row}]`,
      code: "embed",
      shapes: `E: ${t("vocabulary")} × ${width}`,
      text: t("The id picks a row of the table E. This vector knows the piece, and nothing around it."),
    },
  ];
  if (trace.info.addresses[`${stack}.positions`])
    cards.push({
      title: t("Position"),
      address: `${stack}.positions[${row},${column}]`,
      whole: `${stack}.positions[${row}]`,
      code: positions === "sinusoidal" ? "positions" : "embed",
      shapes: sizes(trace, `${stack}.positions`),
      text: t("Attention itself has no order: the place is told by adding this."),
    });
  cards.push({
    title: t("Sum: X"),
    address: `${stack}.input[${row},${column}]`,
    whole: `${stack}.input[${row}]`,
    code: "embed",
    shapes: sizes(trace, `${stack}.input`),
  });
  return cards;
}

const norm = (trace, part, row, column) => ({
  title: `${t("Layer norm")} (${part})`,
  address: `${part}.normed[${row},${column}]`,
  whole: `${part}.normed[${row}]`,
  code: "layer_norm",
  shapes: sizes(trace, `${part}.normed`),
  text: t("A token's own features get mean 0 and deviation 1, then γ and β, which were learnt."),
});

async function attention(trace, part, at, row) {
  const { norm: order, positions } = trace.architecture;
  const of = (array) => `${part}.h${at.head}.${array}`,
    c = at.column;
  const weights = (await trace.numbers(of(`weights[${row}]`))).data;
  const key = weights.indexOf(Math.max(...weights));
  const cross = part.endsWith("cross"),
    keyRow = cross ? key : row;
  const masked = part.startsWith("dec") && !cross;
  const turned = positions === "rotary" && !cross;
  const keys = trace.labels(trace.sides(part)[1]);
  const cards = order === "pre" ? [norm(trace, part, row, c)] : [];
  const vectors = [
    ["query", t("q: what it looks for"), row],
    ["key", t(cross ? "k: what the source offers" : "k: what it offers"), keyRow],
    ["value", t("v: what it hands over"), keyRow],
  ];
  for (const [array, title, at_] of vectors)
    cards.push({
      title: `${title} (${part})`,
      address: `${of(array)}[${at_},${c}]`,
      whole: `${of(array)}[${at_}]`,
      code: "attend",
      shapes: sizes(trace, `${part}.${array}`),
    });
  if (turned)
    cards.push({
      title: t("q turned by its position"),
      address: `${of("turned_query")}[${row},${c}]`,
      whole: `${of("turned_query")}[${row}]`,
      code: "rotate",
      shapes: sizes(trace, `${part}.turned_query`),
    });
  cards.push(
    {
      title: `q · k → ${keys[key]} (${part})`,
      address: `${of("scores")}[${row},${key}]`,
      whole: `${of("scores")}[${row}]`,
      code: "attention",
      shapes: sizes(trace, `${part}.scores`),
      text: t("How well what is looked for fits what is offered; here the key that gets most."),
    },
    {
      title: `÷ √d_k (${part})`,
      address: `${of("scaled")}[${row},${key}]`,
      whole: `${of("scaled")}[${row}]`,
      code: "attention",
      text: t("Long vectors have large products; dividing keeps softmax from becoming a choice of one."),
    },
  );
  if (masked) {
    const ahead = Math.min(row + 1, weights.length - 1);
    cards.push({
      title: `${t("The mask: never look ahead")} (${part})`,
      address: `${of("masked")}[${row},${ahead}]`,
      whole: of("masked"),
      code: "causal_mask",
      text: t("What comes later is −∞, so that softmax makes it exactly 0."),
    });
  }
  cards.push(
    {
      title: `softmax (${part})`,
      address: `${of("weights")}[${row},${key}]`,
      whole: of("weights"),
      code: "softmax",
      shapes: sizes(trace, `${part}.weights`),
      text: t("Scores become shares of 1."),
    },
    {
      title: `Σ w · v (${part})`,
      address: `${of("mixed")}[${row},${c}]`,
      whole: `${of("mixed")}[${row}]`,
      code: "attention",
      shapes: sizes(trace, `${part}.mixed`),
      text: t("The values, mixed by their weights: what this head brings back."),
    },
    {
      title: `${t("A head's share of W_O")} (${part})`,
      address: `${of("share")}[${row},${c}]`,
      whole: `${of("share")}[${row}]`,
      code: "attend",
      shapes: sizes(trace, `${part}.share`),
    },
    {
      title: `${t("All heads together")} (${part})`,
      address: `${part}.output[${row},${c}]`,
      whole: `${part}.output[${row}]`,
      code: "attend",
      text: t("Putting the heads side by side and multiplying by W_O is adding up their shares."),
      shapes: sizes(trace, `${part}.output`),
    },
    {
      title: `${t("Residual: what came in is added")} (${part})`,
      address: `${part}.added[${row},${c}]`,
      whole: `${part}.added[${row}]`,
      code: "add_and_norm",
    },
  );
  if (order === "post") cards.push(norm(trace, part, row, c));
  return cards;
}

function feedForward(trace, part, row, c) {
  const order = trace.architecture.norm;
  const cards = order === "pre" ? [norm(trace, part, row, c)] : [];
  cards.push(
    {
      title: `${t("Feed-forward: wider")} (${part})`,
      address: `${part}.widened[${row},${c}]`,
      whole: `${part}.widened[${row}]`,
      code: "feed_forward",
      shapes: sizes(trace, `${part}.widened`),
      text: t("Each token on its own, no other in sight."),
    },
    {
      title: `${t("Feed-forward: the bend")} (${part})`,
      address: `${part}.hidden[${row},${c}]`,
      whole: `${part}.hidden[${row}]`,
      code: "feed_forward",
      shapes: sizes(trace, `${part}.hidden`),
    },
    {
      title: `${t("Feed-forward: back")} (${part})`,
      address: `${part}.output[${row},${c}]`,
      whole: `${part}.output[${row}]`,
      code: "feed_forward",
      shapes: sizes(trace, `${part}.output`),
    },
    {
      title: `${t("Residual: what came in is added")} (${part})`,
      address: `${part}.added[${row},${c}]`,
      whole: `${part}.added[${row}]`,
      code: "add_and_norm",
    },
  );
  if (order === "post") cards.push(norm(trace, part, row, c));
  return cards;
}

const through = (trace, stack, layers, row, column) => ({
  title: `${t("Through all layers")} (${layers}, ${stack})`,
  address: `${stack}.output[${row},${column}]`,
  whole: `${stack}.output[${row}]`,
  code: stack === "enc" ? "encoder" : "decoder",
  shapes: sizes(trace, `${stack}.output`),
  text: t("The same again, layer by layer: a static vector becomes one in context."),
});

function choice(trace, step, row) {
  const { chosen } = trace.steps[step];
  return [
    {
      title: t("Logits: one for each piece of the vocabulary"),
      address: `dec.out.logits[${row},${chosen.id}]`,
      code: "logits",
      shapes: sizes(trace, "dec.out.logits"),
    },
    {
      title: `softmax → ${chosen.text}`,
      address: chosen.address,
      code: "softmax",
      shapes: sizes(trace, "dec.out.probs"),
      text: t("The next token's probability."),
    },
    {
      title: t("The choice, and round again"),
      loop: true,
      step,
      code: "step",
      text: t("The chosen token goes back in, and the decoder reads one token more."),
    },
  ];
}

function onTop(trace, column) {
  const cards = [
    {
      title: t("The sentence's vector"),
      address: `pool[${column}]`,
      whole: "pool",
      code: "encoder",
      text: t("The mean over its tokens."),
    },
  ];
  if (trace.model.labels.length) {
    const best = trace.model.labels.indexOf(trace.info.text);
    cards.push(
      {
        title: `${t("Logit of the label")} ${trace.info.text}`,
        address: `cls.logits[${best}]`,
        whole: "cls.logits",
        code: "encoder",
      },
      { title: `softmax → ${trace.info.text}`, address: `cls.probs[${best}]`, whole: "cls.probs", code: "softmax" },
    );
  }
  return cards;
}
