// What a translation is made of: its sentences, what to know about them, and how sure they are.

import { matchStart } from "../core/patterns.js";
import { characterCount, rstrip } from "../core/python-text.js";
import { rule } from "../rules.js";

export const SURE = 1.0; // of what is kept as it is

/** One way to say it. The score is the log-probability per token; nearer to 0 is surer. */
export class Alternative {
  constructor(text, score) {
    this.text = text;
    this.score = score;
  }
}

/** A sentence as it stood in the text, and what came of it. The confidence is between 0 and 1. */
export class TranslatedSentence {
  constructor(source, text, notes = [], confidence = SURE) {
    this.source = source;
    this.text = text;
    this.notes = notes;
    this.confidence = confidence;
  }
}

/** A text's translation, what to know about it, and other ways to say it if they were asked for. */
export class Translation {
  constructor(source, text, notes = [], confidence = SURE, sentences = [], alternatives = []) {
    this.source = source;
    this.text = text;
    this.notes = notes;
    this.confidence = confidence; // the least of its sentences
    this.sentences = sentences; // those that have words
    this.alternatives = alternatives;
  }
}

/** A note about one sentence among several, with the sentence's first words, unless it begins with its topic. */
export function naming(sentence, note) {
  if (matchStart(rule("translation.translated", "_TOPIC"), note)) return note;
  const longest = rule("translation.translated", "_LONGEST_QUOTE");
  const isShort = characterCount(sentence) <= longest;
  const short = isShort ? sentence : `${rstrip([...sentence].slice(0, longest - 1).join(""))}…`;
  return `in "${short}": ${note}`;
}

/** Whether something may be wrong; other notes only say what was done. */
export function callsForALook(note) {
  const isDone = rule("translation.translated", "_DONE").some((topic) => note.startsWith(topic));
  return !isDone || rule("translation.translated", "_NOT_DONE").some((words) => note.includes(words));
}
