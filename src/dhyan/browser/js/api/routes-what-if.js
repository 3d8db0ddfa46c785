// The walk and its code; what if: one word in two sentences, words hidden.

import { NEVER_WRITTEN } from "../core/special-tokens.js";
import { realWords } from "../explain/analyses/rows.js";
import {
  compareContexts,
  findWord,
  movedBy,
  neighbours,
  principalPlane,
  withWordsHidden,
  wordVectors,
} from "../explain/analyses/word-in-context.js";
import { mean } from "../explain/arrays.js";
import { PER_HEAD } from "../explain/trace.js";
import { stages } from "../explain/views/stages.js";
import { rule } from "../rules.js";
import { json } from "./answers.js";
import { HttpError } from "./http-errors.js";
import { Parameters } from "./parameters.js";
import { opened, questionAbout, servedPack, tracesOf } from "./question-params.js";

const PLACES = ["token", "layer", "head", "step", "column"];

export const routes = {
  /** One word in two sentences: its cosine by layer, what moved it, its neighbours, a map. */
  "GET contexts": async (models, { query }) => {
    const parameters = new Parameters(query);
    const [first, second, word] = ["first", "second", "word"].map((name) => parameters.text(name));
    const model = parameters.text("model", "");
    parameters.check();
    const served = await servedPack(models, model);
    const asked = [first, second].map((sentence) => questionAbout(served, sentence));
    if (!served.explainer.architecture.hasEncoder)
      throw new HttpError(400, `${served.name} has no encoder: words in context are for packs that have one.`);
    const pair = asked.map((question) => tracesOf(models).using(served, question));
    return json(contextsInfo(pair, word));
  },

  /** An encoder's answer when words (by number) are hidden. */
  "GET hide": async (models, question) => {
    const [explanation, hidden] = await opened(models, question, (parameters) => parameters.wholes("hidden"));
    if (explanation.architecture.hasDecoder)
      throw new HttpError(400, "hiding words one by one is for encoders; a translator has `occlusion`.");
    const words = realWords(explanation.source).length;
    if (hidden.some((number) => !(number >= 0 && number < words)))
      throw new HttpError(400, `there are ${words} words, numbered 0 to ${words - 1}.`);
    const [labels, cosine] = withWordsHidden(explanation, hidden);
    return json({ labels, cosine });
  },

  "GET dev": () => {
    throw new HttpError(404, "there is no dev set: start `dhyan serve --dev pairs.tsv` with a file of pairs.");
  },

  /** The cards of the walk from the text to the next token: the address of each number, and its code. */
  "GET walk": async (models, question) => {
    const [explanation, where] = await opened(models, question, (parameters) =>
      Object.fromEntries(PLACES.map((name) => [name, parameters.whole(name, { least: 0, fallback: 0 })])),
    );
    return json([...stages(explanation, where)]);
  },

  /** What the page writes as Python does. */
  "GET notation": () =>
    json({
      formulas: Object.fromEntries(rule("explain.views.notation", "FORMULAS")),
      per_head: [...PER_HEAD].sort(),
      never_written: [...NEVER_WRITTEN].sort((one, other) => one - other),
    }),

  /** The lines of Dhyan that compute each stage of the walk. */
  "GET code": () => {
    const lines = [...rule("explain.views.stages", "CODE_LINES")];
    return json(Object.fromEntries(lines.map(([name, one]) => [name, Object.fromEntries(one)])));
  },
};

function contextsInfo(pair, word) {
  const compared = compareContexts(...pair, word);
  const vectors = pair.map((explanation) => wordVectors(explanation, word));
  const [words, places] = [[], []];
  pair.forEach((explanation, sentence) => {
    const asked = findWord(explanation, word);
    for (const one of realWords(explanation.source)) {
      places.push(mean(explanation.array("enc.output").rows(one.start, one.end), 0));
      words.push({ sentence, word: one.text, asked: one === asked });
    }
  });
  const plane = principalPlane(places).toList();
  return {
    ...compared,
    moved_by: pair.map((explanation) => movedBy(explanation, word)),
    static: neighbours(pair[0], vectors[0][0]),
    contextual: pair.map((explanation, sentence) => neighbours(explanation, vectors[sentence].at(-1))),
    map: words.map((one, at) => ({ ...one, x: plane[at][0], y: plane[at][1] })),
  };
}
