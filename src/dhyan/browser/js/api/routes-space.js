// The map of a pack's words, and the paths of a sentence's tokens over it.

import { parting, paths } from "../explain/analyses/meaning-map.js";
import { json } from "./answers.js";
import { checkText, HttpError } from "./http-errors.js";
import { KeptMaps } from "./kept-maps.js";
import { Parameters } from "./parameters.js";
import { opened, servedPack, tracesOf } from "./question-params.js";
import { MAX_SENTENCE_CHARACTERS } from "./settings.js";

const kept = new WeakMap(); // models → the maps of its packs

function mapOf(models, served) {
  if (!kept.has(models)) kept.set(models, new KeptMaps());
  return kept.get(models).of(served);
}

/** Words of the map: cosines with them are the axes. */
const axesIn = (parameters) => [parameters.text("across", ""), parameters.text("up", "")];

export const routes = {
  /** A fixed map of the commonest words that the pack knows as one piece. */
  "GET space": async (models, { query }) => {
    const parameters = new Parameters(query);
    const [across, up] = axesIn(parameters);
    const found = await mapOf(models, await servedPack(models, parameters.text("model", "")));
    const between = across && up ? found.between(across, up) : null;
    const point = (layout, word) => [layout.data[2 * word], layout.data[2 * word + 1]];
    return json({
      stages: found.stages,
      words: found.words.map((text, word) => ({
        text,
        near: point(found.near, word),
        plane: point(found.plane, word),
        between: between && point(between, word),
      })),
      kept: found.kept,
      plane_kept: found.planeKept,
      share: found.share,
    });
  },

  /** Where each token of a text stands on the map, stage by stage. */
  "GET space/paths": async (models, question) => {
    const [explanation, [across, up, model]] = await opened(models, question, (parameters) => [
      ...axesIn(parameters),
      parameters.text("model", ""),
    ]);
    const found = await mapOf(models, await servedPack(models, model));
    const axes = across && up ? [found.number(across), found.number(up)] : null;
    return json(
      paths(found, explanation).map(({ text, id, row, near, plane, cosines, nearest }) => ({
        text,
        id,
        row,
        near,
        plane,
        between: axes && cosines.map((stage) => axes.map((word) => stage[word])),
        nearest,
      })),
    );
  },

  /** Where two tokens part to: the words that each has come nearer to than the other, in the last layers. */
  "GET space/parting": async (models, { query }) => {
    const parameters = new Parameters(query);
    const texts = [parameters.text("first"), parameters.text("second")];
    const model = parameters.text("model", "");
    const tokens = ["token", "token2"].map((name) => parameters.whole(name, { least: 0, fallback: 0 }));
    const headsOff = parameters.texts("off");
    parameters.check();
    const served = await servedPack(models, model);
    const found = await mapOf(models, served);
    const asked = texts.map((text) => reading(served, text, headsOff));
    const ways = asked.map((question) => paths(found, tracesOf(models).using(served, question)));
    tokens.forEach((token, at) => {
      if (token >= ways[at].length)
        throw new HttpError(404, `there is no token ${token}; the tokens are 0 to ${ways[at].length - 1}.`);
    });
    const [first, second] = parting(found, ways[0][tokens[0]], ways[1][tokens[1]]);
    return json({ first, second });
  },
};

/** A question about what is read: as little as can be is written. */
function reading(served, text, headsOff) {
  checkText(text, MAX_SENTENCE_CHARACTERS);
  const shortest = served.explainer.architecture.hasDecoder ? 1 : null;
  return served.explainer.question(text, { headsOff, beam: shortest, maxLength: shortest });
}
