// Texts to vectors: the mean over the encoder's output.

import { LoadedModel, checkTexts } from "../engines/loaded-model.js";
import { unitRows } from "./arrays.js";

/** Texts → unit vectors: near when the texts mean the same. */
export class Embedder extends LoadedModel {
  static task = "embed";
  static shipped = "english";

  /** (texts, d_model), each of length 1. */
  embed(texts) {
    return unitRows(textVectors(this.pack, this.engine, checkTexts(texts)));
  }
}

/** (texts, d_model): the mean over each text's tokens. A text longer than the window is read in windows. */
export function textVectors(pack, engine, texts) {
  const { max_positions: positions, d_model: width } = pack.manifest.architecture;
  const length = positions - 1;
  const windows = [];
  const textOf = [];
  pack.tokenizer.encodeBatch(texts).forEach((ids, number) => {
    for (let begin = 0; begin < Math.max(1, ids.length); begin += length) {
      windows.push(ids.slice(begin, begin + length));
      textOf.push(number);
    }
  });
  const total = new Float64Array(texts.length * width);
  const tokens = new Uint32Array(texts.length);
  engine.encode(windows).forEach((data, window) => {
    const number = textOf[window]; // data: (positions, d_model)
    for (let at = 0; at < data.length; at += 1) total[number * width + (at % width)] += data[at];
    tokens[number] += data.length / width;
  });
  const data = Float32Array.from(total, (sum, at) => sum / Math.max(1, tokens[Math.floor(at / width)]));
  return { shape: [texts.length, width], data };
}
