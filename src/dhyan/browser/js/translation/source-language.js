// Is a sentence in the language that a pack reads? What is in another one is left as it is, with a note.
//
// Which language that is shows in the pack's own vocabulary. A sentence that is too short to tell goes by the text that
// it stands in, and otherwise to the model: names belong to every language.

import { characterCount, isDecimal, replaceFirst, split } from "../core/python-text.js";
import { replaced } from "../core/records.js";
import { matches, rule } from "../rules.js";
import { detectLanguage, languageName } from "../text/language-id.js";
import { Kind, Span } from "./protected-spans.js";
import { isWord } from "./unicode.js";

const own = (name) => rule("translation.source_language", name);
const isSentence = (part) => typeof part !== "string";

/** The language that is translated, and into which. */
export class SourceLanguage {
  constructor(source, target) {
    this.source = source;
    this.target = target;
    Object.freeze(this);
  }

  /** null where the vocabulary does not tell: then nothing is left out. */
  static between(source, target) {
    const found = languageOf(source);
    return found === own("UNKNOWN") ? null : new SourceLanguage(found, languageOf(target));
  }

  isSource(language) {
    return language === this.source || (language === own("HINDI_IN_LATIN") && this.source === own("HINDI"));
  }

  /** The parts of a text with the language of each sentence. */
  marked(text, parts) {
    const unknown = own("UNKNOWN");
    const found = parts.map((part) => (isSentence(part) ? this.#language(part) : unknown));
    const hasOthers = found.some((language) => language !== unknown && language !== this.source);
    const whole = found.includes(unknown) && hasOthers ? detectLanguage(text).language : unknown;
    return parts.map((part, number) => {
      if (!isSentence(part)) return part;
      return replaced(part, { language: found[number] === unknown ? whole : found[number] });
    });
  }

  /** Why a sentence is left as it is; null for one that is translated, or is in the target language. */
  note(sentence) {
    const { language } = sentence;
    if (this.isSource(language) || [this.target, own("UNKNOWN"), ""].includes(language)) return null;
    return `this looks like ${languageName(language)}, not ${languageName(this.source)}${own("_LEFT")}`;
  }

  /** Phrases between quotation marks that are in neither of the two languages: "je ne sais quoi" */
  quotations(line) {
    const spans = [];
    for (const found of matches(own("_QUOTED"), line)) {
      const phrase = found[1];
      const language = phrase.includes(" ") ? detectLanguage(phrase).language : own("UNKNOWN");
      if (this.isSource(language) || [this.target, own("UNKNOWN")].includes(language)) continue;
      const start = found.index + 1; // behind the quotation mark
      spans.push(new Span(start, start + phrase.length, Kind.FIXED, phrase));
    }
    return spans;
  }

  #language(sentence) {
    let { language, confidence } = detectLanguage(sentence.words);
    if (!sentence.hasWords) return language;
    const isToldBest = [own("ENGLISH"), own("HINDI"), language].includes(this.source);
    if (!isToldBest && language !== this.target && confidence < own("_SURE_ENOUGH")) language = own("UNKNOWN");
    const isLong = split(sentence.ordinary).length >= own("_FEWEST_WORDS");
    return isLong || this.isSource(language) || language === this.target ? language : own("UNKNOWN");
  }
}

/** The note for a text of which only a part is in another language. */
export const inPart = (note) =>
  note.endsWith(own("_LEFT")) ? replaceFirst(note, "this looks", "a part looks") : note;

function languageOf(tokenizer) {
  const words = [];
  for (let number = tokenizer.firstLearned; number < tokenizer.size; number += 1) {
    const piece = tokenizer.piece(number);
    const word = piece.slice(1);
    if (!piece.startsWith(" ") || characterCount(piece) <= own("_SHORTEST_WORD")) continue;
    if (Array.from(word).every(isWord) && !isDecimal(word)) words.push(word);
    if (words.length === own("_MOST_WORDS")) break;
  }
  return words.length >= own("_ENOUGH_WORDS") ? detectLanguage(words.join(" ")).language : own("UNKNOWN");
}
