// The walk as the page shows it, one number per card: where it stands, and which function computes it.
//
// The page draws the cards and works each number out again. Titles and notes are English, and the page's to translate.

import { DhyanError } from "../../core/errors.js";
import { argmax } from "../arrays.js";
import { answerAddress } from "../label-scores.js";

/** What the walk looks at: a token, a layer, a head, a step of the decoder, a component of vectors. */
export class Where {
  constructor(token = 0, layer = 0, head = 0, step = 0, column = 0) {
    this.token = token;
    this.layer = layer;
    this.head = head;
    this.step = step;
    this.column = column;
  }
}

/**
 * One card. What is shown as its title is `title` in the reader's language, then `detail` as it is.
 *
 * address: of the number; empty where the card is about tokens. array: of the row or matrix around it. code: which
 * lines are shown beside it. shape: of the array that the number is from; {words} in braces are the page's to
 * translate. tokens: show these tokens, and `token` among them. step: show the written tokens, and this one among them.
 */
const stage = (title, said = {}) => ({
  title,
  detail: "",
  note: "",
  address: "",
  array: "",
  code: "",
  shape: "",
  tokens: null,
  token: null,
  step: null,
  ...said,
});

export function checkWhere(explanation, where) {
  const a = explanation.architecture;
  const most = {
    token: explanation.source.length,
    layer: Math.max(a.hasEncoder ? a.encoderLayers : 0, a.hasDecoder ? a.decoderLayers : 0),
    head: a.heads,
    step: Math.max(1, explanation.written.length),
    column: a.dHead,
  };
  for (const [name, count] of Object.entries(most)) {
    if (where[name] >= 0 && where[name] < count) continue;
    throw new DhyanError(`there is no ${name} ${where[name]} here: they go from 0 to ${count - 1}.`);
  }
}

/** From the text to the next token: all of it, in order. */
export function* stages(explanation, where) {
  checkWhere(explanation, where);
  const a = explanation.architecture;
  if (a.hasEncoder) yield* stack(explanation, "enc", where.token, where);
  if (a.hasDecoder) {
    const row = explanation.firstRow + where.step;
    yield* stack(explanation, "dec", row, where);
    yield* choice(explanation, where.step, row);
  } else {
    yield* sentence(explanation, where.column);
  }
}

function* stack(explanation, name, row, where) {
  const a = explanation.architecture;
  const layers = name === "enc" ? a.encoderLayers : a.decoderLayers;
  const layer = `${name}.${Math.min(where.layer, layers - 1)}`;
  yield* input(explanation, name, row, where.column);
  yield* attention(explanation, `${layer}.self`, where, row);
  if (name === "dec" && a.hasCross) yield* attention(explanation, `${layer}.cross`, where, row);
  yield* feedForward(explanation, `${layer}.ffn`, row, where.column);
  yield number(explanation, `${name}.output`, [row, where.column], {
    title: "Through all layers",
    detail: ` (${layers}, ${name})`,
    code: name === "enc" ? "encoder" : "decoder",
    note: "The same again, layer by layer: a static vector becomes one in context.",
  });
}

/**
 * array: enc.0.self.h1.query. around: the address to show around the number; its row unless said otherwise.
 */
function number(explanation, array, index, { title = "", detail = "", code, note = "", around = null, shaped = true }) {
  const name = array.includes(".h") ? `${array.split(".h")[0]}.${array.split(".").at(-1)}` : array;
  return stage(title, {
    detail,
    note,
    address: `${array}[${index.join(",")}]`,
    array: around ?? `${array}[${index[0]}]`,
    code,
    shape: shaped ? shapeInWords(explanation, name) : "",
  });
}

const shapeInWords = (explanation, name) => `${name} ${explanation.array(name).shape.join(" × ")}`;

function* input(explanation, name, row, column) {
  const a = explanation.architecture;
  yield stage(name === "enc" ? "Text → pieces → ids" : "What the decoder reads", {
    note: "Words are cut into pieces that the vocabulary knows; each has a number.",
    code: "encode",
    tokens: name === "enc" ? "source" : "target",
    token: row,
  });
  yield stage("Embedding × √d_model", {
    note: "The id picks a row of the table E. This vector knows the piece, and nothing around it.",
    address: `${name}.embedded[${row},${column}]`,
    array: `${name}.embedded[${row}]`,
    code: "embed",
    shape: `E: {vocabulary} × ${a.dModel}`,
  });
  if (explanation.has(`${name}.positions`)) {
    yield number(explanation, `${name}.positions`, [row, column], {
      title: "Position",
      code: a.positions === "sinusoidal" ? "positions" : "embed",
      note: "Attention itself has no order: adding this gives each token its position.",
    });
  }
  yield number(explanation, `${name}.input`, [row, column], { title: "Sum: X", code: "embed" });
}

const norm = (explanation, part, row, column) =>
  number(explanation, `${part}.normed`, [row, column], {
    title: "Layer norm",
    detail: ` (${part})`,
    code: "layer_norm",
    note: "A token's own features get mean 0 and deviation 1, then γ and β, which were learnt.",
  });

function* attention(explanation, part, where, row) {
  const a = explanation.architecture, head = `${part}.h${where.head}`, { column } = where;
  const weights = explanation.get(`${head}.weights[${row}]`).data;
  const key = argmax(weights);
  const cross = part.endsWith(".cross"), ofKeys = cross ? key : row;
  const keys = cross || part.startsWith("enc") ? explanation.source : explanation.target;
  const label = keys.at(key).text, ofPart = ` (${part})`;
  const one = (array, index, said) => number(explanation, `${head}.${array}`, index, said);
  const own = [row, column];

  if (a.norm === "pre") yield norm(explanation, part, row, column);
  const offered = cross ? "k: what the source offers" : "k: what it offers";
  yield one("query", own, { title: "q: what it looks for", detail: ofPart, code: "attend" });
  yield one("key", [ofKeys, column], { title: offered, detail: ofPart, code: "attend" });
  yield one("value", [ofKeys, column], { title: "v: what it hands over", detail: ofPart, code: "attend" });
  if (explanation.has(`${part}.turned_query`)) {
    yield one("turned_query", own, { title: "q turned by its position", code: "rotate" });
  }
  yield one("scores", [row, key], {
    detail: `q · k → ${label}${ofPart}`,
    code: "attention",
    note: "How well what is looked for fits what is offered; here the key that gets most.",
  });
  yield one("scaled", [row, key], {
    detail: `÷ √d_k${ofPart}`,
    code: "attention",
    note: "Long vectors have large products; dividing keeps softmax from becoming a choice of one.",
    shaped: false,
  });
  if (part.startsWith("dec") && !cross) {
    yield one("masked", [row, Math.min(row + 1, weights.length - 1)], {
      title: "The mask: never look ahead",
      detail: ofPart,
      code: "causal_mask",
      note: "What comes later is −∞, so that softmax makes it exactly 0.",
      around: `${head}.masked`,
      shaped: false,
    });
  }
  const note = "Scores become shares of 1.";
  yield one("weights", [row, key], { detail: `softmax${ofPart}`, code: "softmax", note, around: `${head}.weights` });
  yield one("mixed", own, {
    detail: `Σ w · v${ofPart}`,
    code: "attention",
    note: "The values, mixed by their weights: what this head brings back.",
  });
  yield one("share", own, { title: "A head's share of W_O", detail: ofPart, code: "attend" });
  yield number(explanation, `${part}.output`, own, {
    title: "All heads together",
    detail: ofPart,
    code: "attend",
    note: "Putting the heads side by side and multiplying by W_O is adding up their shares.",
  });
  yield* residual(explanation, part, row, column);
}

function* residual(explanation, part, row, column) {
  const said = { title: "Residual: what came in is added", detail: ` (${part})`, code: "add_and_norm", shaped: false };
  yield number(explanation, `${part}.added`, [row, column], said);
  if (explanation.architecture.norm === "post") yield norm(explanation, part, row, column);
}

function* feedForward(explanation, part, row, column) {
  if (explanation.architecture.norm === "pre") yield norm(explanation, part, row, column);
  for (const [array, title, note] of [
    ["widened", "Feed-forward: wider", "Each token on its own, no other in sight."],
    ["hidden", "Feed-forward: the bend", ""],
    ["output", "Feed-forward: back", ""],
  ]) {
    const said = { title, detail: ` (${part})`, code: "feed_forward", note };
    yield number(explanation, `${part}.${array}`, [row, column], said);
  }
  yield* residual(explanation, part, row, column);
}

function* choice(explanation, step, row) {
  const { chosen } = explanation.steps[step];
  yield stage("Logits: one for each piece of the vocabulary", {
    address: `dec.out.logits[${row},${chosen.id}]`,
    code: "logits",
    shape: shapeInWords(explanation, "dec.out.logits"),
  });
  yield stage("", {
    detail: `softmax → ${chosen.text}`,
    note: "The next token's probability.",
    address: chosen.address,
    code: "softmax",
    shape: shapeInWords(explanation, "dec.out.probs"),
  });
  const note = "The chosen token goes back in, and the decoder reads one token more.";
  yield stage("The choice, and round again", { note, code: "step", step });
}

/** What stands on an encoder alone: the sentence's vector, and its label. */
function* sentence(explanation, column) {
  const note = "The mean over its tokens.";
  yield stage("The sentence's vector", { note, address: `pool[${column}]`, array: "pool", code: "encoder" });
  if (!explanation.architecture.labels) return;
  const kind = explanation.labelKind, answer = answerAddress(kind);
  const best = kind === "number" ? 0 : argmax(explanation.array(answer).data);
  const label = explanation.pack.manifest.labels[best], code = kind === "several" ? "sigmoid" : "softmax";
  if (kind !== "number" || explanation.has("cls.words")) {
    const title = kind === "number" ? "What the Transformer finds" : "Logit of the label";
    const logit = { detail: ` ${label}`, address: `cls.logits[${best}]`, array: "cls.logits", code: "encoder" };
    yield stage(title, logit);
  }
  if (explanation.has("cls.words")) {
    const note = "Each known word counts by itself, whatever stands around it.";
    const words = { note, address: `cls.words[${best}]`, array: "cls.words", code: "words" };
    yield stage("What the words add", { detail: ` ${label}`, ...words });
  }
  const where = { address: `${answer}[${best}]`, array: answer };
  if (kind === "number") yield stage("The number", { detail: ` ${explanation.text}`, ...where, code: "encoder" });
  else yield stage("", { detail: `${code} → ${label}`, ...where, code });
}
