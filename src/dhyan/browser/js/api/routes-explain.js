// Packs opened up: the trace, and any number of it by address.

import { DhyanError } from "../core/errors.js";
import { END } from "../core/special-tokens.js";
import { attentionParts } from "../explain/address.js";
import { alignment as alignmentBy, crossHeads, weightsOf } from "../explain/analyses/head-alignment.js";
import { headStats } from "../explain/analyses/head-stats.js";
import { BATCH, byTargetWords, hideEach } from "../explain/analyses/occlusion.js";
import { realWords } from "../explain/analyses/rows.js";
import { taken, transposed } from "../explain/arrays.js";
import { axesOf, byWords } from "../explain/axes.js";
import { asCsv, asJson } from "../explain/views/export.js";
import { asNpy } from "../explain/views/npy.js";
import { speltOut } from "../translation/spelt-out.js";
import { binary, json, plain } from "./answers.js";
import { HttpError } from "./http-errors.js";
import { opened } from "./question-params.js";

const FORMATS = ["float32", "json", "csv", "npy"];
const MOST_NUMBERS = 8_000_000; // of one answer: 32 MB

export const routes = {
  /** Run the model and keep every number; the answer is what to ask for further. */
  "GET explain": async (models, question) => {
    const started = performance.now();
    const [explanation] = await opened(models, question);
    return json({ ...explainedInfo(explanation), seconds: (performance.now() - started) / 1000 });
  },

  /** The weights of all heads for a first look, a byte each (255 is 1), in the order that `explain` gives. */
  "GET attention": async (models, question) => {
    const [explanation] = await opened(models, question);
    const parts = attentionParts(explanation.architecture).map((part) => explanation.array(`${part}.weights`).data);
    const shades = new Uint8Array(parts.reduce((sum, one) => sum + one.length, 0));
    let at = 0;
    for (const weights of parts) for (const weight of weights) shades[at++] = halfToEven(Math.fround(weight * 255));
    return binary(shades);
  },

  /** Any number, row or array by address. Headers: Dhyan-Shape (sizes) and Dhyan-Axes (what they are). */
  "GET at/:address": async (models, question) => {
    const [explanation, [words, format]] = await opened(models, question, (parameters) => [
      parameters.isSet("words"),
      parameters.oneOf("format", FORMATS, "float32"),
    ]);
    return numbersAt(explanation, question.parts.address, words, format);
  },

  "GET figure/:address": () => {
    throw new HttpError(501, "figures are drawn by Dhyan itself, not in a browser's tab; take the numbers as CSV.");
  },

  "GET html": () => {
    throw new HttpError(501, "this file is written by Dhyan itself, not in a browser's tab; take the numbers as JSON.");
  },

  /** The search: every hypothesis, and why it lost. */
  "GET beam": async (models, question) => {
    const [explanation] = await opened(models, question);
    if (explanation.search === null)
      throw new HttpError(400, "there is no beam: the text was given, or the pack writes nothing.");
    return json(beamInfo(explanation, explanation.search));
  },

  /** Links by the cross-attention head that agrees best with occlusion (or another), and the occlusion. */
  "GET alignment": async (models, question) => {
    const [explanation, [head, quick]] = await opened(models, question, (parameters) => [
      parameters.text("head", ""),
      parameters.isSet("quick"),
    ]);
    const heads = crossHeads(explanation);
    if (head && heads.length && !heads.includes(head))
      throw new HttpError(404, `'${head}' is no cross-attention head; one is ${heads[0]}.`);
    if (quick) {
      const found = head ? weightsOf(explanation, head) : alignmentBy(explanation, "mean");
      return json({ ...alignmentInfo(found), occlusion: [] });
    }
    const best = explanation.alignment;
    const found = head ? alignmentBy(explanation, head) : best;
    const real = [...explanation.written.words.keys()].filter((word) => !explanation.written.words[word].special);
    const occlusion = taken(explanation.occlusion.change, real).toList();
    return json({ ...alignmentInfo(found), ranking: best.ranking, occlusion });
  },

  /** Some columns of the address `occlusion`, so that a long text's can be shown as they arrive. */
  "GET occlusion": async (models, question) => {
    const [explanation, [first, count]] = await opened(models, question, (parameters) => [
      parameters.whole("first", { least: 0, fallback: 0 }),
      parameters.whole("count", { least: 1, fallback: BATCH }),
    ]);
    const words = realWords(explanation.source).length;
    const numbers = [...Array(words).keys()].slice(first, first + count);
    const tokens = transposed(hideEach(explanation, numbers), [1, 0]);
    const change = explanation.architecture.hasDecoder ? byTargetWords(explanation, tokens) : tokens;
    return json({ first, words, change: change.toList() });
  },

  /** What each head of a part (enc.0.self) does, and what switching each off costs. */
  "GET heads/:part": async (models, question) => {
    const [explanation] = await opened(models, question);
    const { part } = question.parts;
    const parts = attentionParts(explanation.architecture);
    if (!parts.includes(part))
      throw new HttpError(404, `there is no attention '${part}'; they are ${parts[0]} to ${parts.at(-1)}.`);
    return json(Object.fromEntries(headStats(explanation, part)));
  },

  /** One step of the decoder with more candidates. */
  "GET steps/:step": async (models, question) => {
    const [explanation, [step, top]] = await opened(models, question, (parameters) => [
      parameters.wholePart("step", question.parts.step),
      parameters.whole("top", { least: 1, most: 100, fallback: 5 }),
    ]);
    const taken = explanation.written.length;
    if (!(step >= 0 && step < taken)) throw new HttpError(404, `there is no step ${step}; ${taken} were taken.`);
    return json(stepInfo(explanation.guessed(step, top)));
  },

  /** What each layer would have said, step by step. */
  "GET lens": async (models, question) => {
    const [explanation, top] = await opened(models, question, (parameters) =>
      parameters.whole("top", { least: 1, most: 20, fallback: 3 }),
    );
    const info = ({ layer, guesses, chosen, rank }) => ({
      layer,
      guesses: guesses.map(guessInfo),
      chosen: guessInfo(chosen),
      rank,
    });
    return json(explanation.lens(top).map((step) => step.map(info)));
  },
};

/** As NumPy rounds: a half goes to the even neighbour. */
function halfToEven(value) {
  const rounded = Math.round(value);
  return rounded - value === 0.5 && rounded % 2 ? rounded - 1 : rounded;
}

const guessInfo = ({ id, text, probability, address }) => ({ id, text, probability, address });

const stepInfo = ({ step, row, chosen, logProbability, forced, guesses }) => ({
  step,
  row,
  chosen: guessInfo(chosen),
  log_probability: logProbability,
  forced,
  guesses: guesses.map(guessInfo),
});

const tokensInfo = (tokens) => ({
  tokens: tokens.tokens.map(({ id, piece, text, word, special }) => ({ id, piece, text, word, special })),
  words: tokens.words.map(({ text, start, end, special }) => ({ text, start, end, special })),
});

const changeInfo = (change) => ({
  before: change.before,
  after: change.after,
  words: change.words,
  labels: change.labels,
  log_probability: [...change.logProbability],
  total: change.total,
  score: change.score,
  cosine: change.cosine,
});

function explainedInfo(explanation) {
  const { architecture: a, question } = explanation;
  const writes = a.hasDecoder;
  return {
    pack: explanation.pack.manifest.name,
    asked: question.text,
    spelt_out: speltOut(explanation.pack, question.text),
    text: explanation.text,
    beam: writes ? question.beam : null,
    score: writes ? explanation.score : null,
    heads_off: [...explanation.headsOff],
    force: question.force,
    hide: question.hide,
    set: question.set.map((edit) => edit.said),
    source: tokensInfo(explanation.source),
    target: writes ? tokensInfo(explanation.target) : null,
    predicted: writes ? tokensInfo(explanation.predicted) : null,
    first_row: writes ? explanation.firstRow : null,
    steps: writes ? explanation.steps.map(stepInfo) : [],
    labels: explanation.labels,
    words_head: explanation.model.words ? { words: explanation.model.words.words, rows: explanation.model.words.rows } : null,
    change: question.changed ? changeInfo(explanation.change) : null,
    attention: attentionParts(a).map((part) => ({ part, shape: explanation.array(`${part}.weights`).shape })),
    addresses: explanation.trace.shapes(),
  };
}

function numbersAt(explanation, address, words, format) {
  try {
    const array = words ? byWords(explanation, address) : explanation.get(address);
    const axes = axesOf(explanation, address)
      .map((axis) => axis.name)
      .join(",");
    if (array.size > MOST_NUMBERS) {
      const shape = array.shape.join(" × ");
      throw new HttpError(413, `${address} is ${shape}: too much at once; take a part of it, such as ${address}[0:8].`);
    }
    if (format === "json") return json(asJson(explanation, address, words));
    if (format === "csv") return plain(asCsv(explanation, address, words), "text/csv");
    const headers = { "Dhyan-Shape": array.shape.join(","), "Dhyan-Axes": axes };
    return binary(format === "npy" ? asNpy(array) : array.data, headers);
  } catch (error) {
    if (error instanceof HttpError || !(error instanceof DhyanError)) throw error;
    throw new HttpError(404, error.message);
  }
}

function beamInfo(explanation, search) {
  const text = (ids) => {
    const said = explanation.targetTokenizer.decode(ids);
    return explanation.architecture.hasCross ? said.trim() : said;
  };
  const candidate = ({ step, rank, parent, id, ids, logProbability, score, fate, why }) => ({
    step,
    rank,
    parent,
    id,
    piece: explanation.piece(id),
    text: text(ids),
    log_probability: logProbability,
    score,
    fate,
    why,
  });
  const result = ({ ids, score, total, why, ended }) => ({
    text: text(ids),
    score,
    total,
    why,
    steps: [...ids, ...(ended ? [END] : [])].map((id, step) => [step, id]),
  });
  return {
    beam: search.beam,
    length_penalty: search.lengthPenalty,
    length_offset: search.lengthOffset,
    prefix: search.prefix.length,
    steps: search.steps.map((step) => step.map(candidate)),
    results: search.results.map(result),
  };
}

const alignmentInfo = ({ head, agreement, ranking, source, target, weights, links, said }) => ({
  head,
  agreement,
  ranking,
  source,
  target,
  weights: weights.toList(),
  links,
  said,
});
