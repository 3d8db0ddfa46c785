// How much to trust a translated sentence, between 0 and 1: see translation/confidence.py for what it means.

import { split } from "../core/python-text.js";

export const CLOSE = 50.0; // chrF from which a translation counts as close to the human one
export const NOTED = 0.5;

/** A logistic function of the log-probability per token and the logarithm of the number of words. */
export class Confidence {
  /** fit: as the manifest has it, with bias, log_probability and log_words. */
  constructor(fit) {
    this.fit = fit;
  }

  /** score: the log-probability per token of what the model said. */
  of(source, score, hasNotes) {
    const { bias, log_probability: perScore, log_words: perWords } = this.fit;
    const exponent = bias + perScore * score + perWords * logWords(source);
    return (hasNotes ? NOTED : 1.0) / (1 + Math.exp(-Math.max(-30, Math.min(30, exponent))));
  }
}

export const logWords = (source) => Math.log(Math.max(1, split(source).length));
