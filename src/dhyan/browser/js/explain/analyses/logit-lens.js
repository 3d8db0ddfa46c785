// The logit lens: what the model would say if it stopped after an earlier layer.

import { DhyanError } from "../../core/errors.js";
import { Tensor, add, stacked } from "../arrays.js";
import { Guess, topK } from "../beam-trace.js";
import { softmax } from "../formulas.js";
import { answerAddress, labelAnswer } from "../label-scores.js";

/** What one layer would have said at one step; `chosen` is how likely it finds the token that came in the end.
 * layer: "before", dec.0, dec.1, … rank: of the chosen one; 0 is the most probable.
 *
 * @typedef {{ layer: string, guesses: any[], chosen: any, rank: number }} LayerGuess */

/** The residual stream between the layers: before the first, and after each. */
export function residualStream(explanation, stack) {
  const a = explanation.architecture;
  const layers = stack === "enc" ? a.encoderLayers : a.decoderLayers;
  const last = a.norm === "pre" ? "added" : "normed";
  const after = Array.from({ length: layers }, (_, layer) => explanation.array(`${stack}.${layer}.ffn.${last}`));
  return [explanation.array(`${stack}.input`), ...after];
}

/** (layers + 1, rows, vocabulary), or (layers + 1, labels) of a classifier: probabilities, layer by layer.
 *
 * The residual stream after each layer goes straight to the last norm and the output layer. After the last layer
 * that is what the model does, so the last entry is the model's own. Where a number is said, it is the number. */
export function logitLens(explanation) {
  const { model, labelKind: kind } = explanation;
  if (explanation.architecture.hasDecoder) {
    const stream = residualStream(explanation, "dec").slice(0, -1);
    const found = stream.map((x) => softmax(model.logits(model.settled("dec", x))));
    return stacked([...found, explanation.array("dec.out.probs")]);
  }
  const stream = residualStream(explanation, "enc").slice(0, -1);
  const words = explanation.has("cls.words") ? explanation.array("cls.words") : null; // the same for all layers
  const found = stream.map((x) => {
    const logits = labelled(model, model.pool(model.settled("enc", x)));
    return labelAnswer(kind, words ? add(logits, words) : logits);
  });
  return stacked([...found, explanation.array(answerAddress(kind))]);
}

/** For each written token, what each layer would have said, the first layer first.
 * @returns {LayerGuess[][]} */
export function lensByStep(explanation, top) {
  if (!explanation.architecture.hasDecoder)
    throw new DhyanError("the lens by step is for packs that write; an encoder's is trace['enc.lens.probs'].");
  const probs = explanation.array("dec.lens.probs"); // (layers + 1, rows, vocabulary)
  const [layers, rows, vocabulary] = probs.shape;
  return explanation.written.ids.map((id, step) => {
    const row = explanation.firstRow + step;
    return Array.from({ length: layers }, (_, layer) => {
      const begin = (layer * rows + row) * vocabulary;
      const here = probs.data.subarray(begin, begin + vocabulary);
      const guess = (number) =>
        new Guess(number, explanation.piece(number), here[number], `dec.lens.probs[${layer},${row},${number}]`);
      let rank = 0;
      for (const one of here) if (one > here[id]) rank += 1;
      const guesses = topK(here, top).map(guess);
      return { layer: layer ? `dec.${layer - 1}` : "before", guesses, chosen: guess(id), rank };
    });
  });
}

/** A classifier's logits of one vector. */
function labelled(model, vector) {
  const [weight, bias] = [model.weights.get("cls.W"), model.weights.get("cls.b")];
  const [labels, width] = weight.shape;
  const data = Float32Array.from({ length: labels }, (_, label) => {
    let sum = bias.data[label];
    for (let at = 0; at < width; at += 1) sum += weight.data[label * width + at] * vector.data[at];
    return sum;
  });
  return new Tensor(data, [labels]);
}
