// Texts to labels: the head of a pack that was trained to classify.

import { LoadedModel, checkTexts } from "../engines/loaded-model.js";
import { answers } from "./answers.js";
import { textVectors } from "./embedder.js";

/** Texts → labels with probabilities, or numbers: `labelKind` says which. */
export class Classifier extends LoadedModel {
  static task = "classify";
  static shipped = "sentiment";

  get labels() {
    return this.pack.manifest.labels;
  }

  get labelKind() {
    return this.pack.manifest.label_kind;
  }

  /** For each text its label and the probabilities of all; several labels; or a number. */
  classify(texts) {
    const given = checkTexts(texts);
    return given.length ? answers(this.labelKind, this.labels, this.logits(given)) : [];
  }

  /** Of each of checked texts: (labels,). */
  logits(texts) {
    const { data, shape } = textVectors(this.pack, this.engine, texts);
    const vectors = texts.map((_, row) => data.subarray(row * shape[1], (row + 1) * shape[1]));
    const logits = this.engine.classify(vectors), words = this.pack.wordsHead;
    if (!words) return logits;
    return logits.map((own, row) => {
      const added = words.logits(texts[row]);
      return own.map((one, at) => one + added[at]);
    });
  }
}
