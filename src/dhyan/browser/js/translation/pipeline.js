// Whole texts through a translator of single sentences; everything that is not language is kept.

import { replaced } from "../core/records.js";
import { lazy, rule } from "../rules.js";
import { inDevanagari, soundsHindi } from "../text/deromanise.js";
import { ENGLISH, HINDI, frequentWords } from "../text/language-id.js";
import { Outcome } from "./attempt.js";
import { SentenceAttempts } from "./attempts.js";
import { withoutFullStop } from "./end-marks.js";
import { Scripts } from "./foreign-scripts.js";
import { Glossary } from "./glossary.js";
import { withGlossary, withGlossaryCounts } from "./glossary-notes.js";
import { MarkedSentence } from "./inline-marks.js";
import { Case, allLettersHaveCase } from "./letter-case.js";
import { splitLines } from "./line-layout.js";
import { firstChoice } from "./placeholders.js";
import { Kind, blankOut } from "./protected-spans.js";
import { Sentence, SentenceMap, splitLine } from "./segments.js";
import { inPart } from "./source-language.js";
import { isInScript } from "./target-language.js";
import { SURE, TranslatedSentence, Translation, naming } from "./translated.js";
import { inAsciiDigits } from "./unicode.js";

export const already = () => rule("translation.pipeline", "ALREADY");
const noTerms = lazy(() => new Glossary(new Map()));
const partlyAlready = () => rule("translation.pipeline", "PARTLY_ALREADY");

/**
 * Texts of any length and layout through `translateSentences`, which translates single sentences.
 *
 * Line breaks, lists, markup, addresses, placeholders, numbers and emoji come out as they went in, and the glossary
 * is obeyed, whatever the translator does.
 */
export class TextPipeline {
  constructor(translateSentences, options = {}) {
    this.translateSentences = translateSentences;
    this.targetScript = null; // such as "Devanagari": text in it is not translated; null: both sides share one
    this.isSourceLanguage = null; // text in that script which is translated all the same
    this.sourceHasCase = true;
    this.targetHasCase = false;
    this.sourceScripts = new Set(); // words in others are kept; none: it is not known which it learnt
    this.sourceLanguage = null; // sentences in another one are left as they are; null: none are
    this.glossary = null;
    this.placeholders = firstChoice();
    this.agreement = null; // null: the meaning of a translation is not checked
    this.confidence = null; // null: whatever passes the checks is sure
    this.align = null; // null: marks inside a sentence are sent to the model as placeholders
    this.maxWords = 100; // of a sentence; longer ones are split
    Object.assign(this, options);
  }

  /** The same with some settings changed. */
  with(changes) {
    return new TextPipeline(this.translateSentences, { ...this, ...changes });
  }

  /**
   * A translation of each text; which other texts are in the batch makes no difference to it.
   *
   * style: what kind of text they are, such as "ui". contexts: for each text where it is used, or null.
   */
  translate(texts, { style = null, contexts = null } = {}) {
    const split = texts.map((text, number) => this.#parts(text, style, contexts?.[number] ?? null));
    const sentences = new SentenceMap(split.flat().filter(isSentence).map((sentence) => [sentence, true])).keys();
    const outcomes = new SentenceMap();
    const forTheModel = [];
    for (const sentence of sentences) {
      let note = this.#foreign(sentence);
      if (note === null && this.#isTranslatedAlready(sentence)) note = already();
      if (note === null && sentence.hasWords) forTheModel.push(sentence);
      else outcomes.set(sentence, new Outcome(this.#asItIs(sentence), note === null ? [] : [note]));
    }
    const asked = forTheModel.map((sentence) => this.#speltOut(sentence));
    const each = [...new SentenceMap(asked.flat().filter(isSentence).map((one) => [one, true])).keys()];
    const found = new SentenceMap(this.#outcomesWithoutMarks(each));
    const left = each.filter((sentence) => !found.has(sentence));
    for (const [sentence, outcome] of this.#attempts().outcomes(left)) found.set(sentence, outcome);
    forTheModel.forEach((sentence, number) => {
      const parts = asked[number];
      const isItself = parts.length === 1 && parts[0] === sentence;
      const outcome = isItself ? found.get(sentence) : outcomeOf(parts, found);
      const { text, notes, confidence } = outcome;
      const isShortened = !isItself && this.agreement?.source.endMarks.areLeftOut(sentence.source);
      outcomes.set(sentence, isShortened ? new Outcome(withoutFullStop(text), notes, confidence) : outcome);
    });
    return texts.map((text, number) => this.#joined(text, split[number], outcomes));
  }

  /** Not translated; but a number alone gets the digits of a target in Latin letters. */
  #asItIs(sentence) {
    const text = sentence.untranslated();
    const isNumber = !sentence.hasWords && !sentence.hidden.length;
    return isNumber && this.targetScript?.toUpperCase() === "LATIN" ? inAsciiDigits(text) : text;
  }

  /** The note of a sentence in a third language; short forms may only look like one. */
  #foreign(sentence) {
    const note = this.sourceLanguage?.note(sentence) ?? null;
    if (note === null) return null;
    const parts = this.#speltOut(sentence).filter(isSentence);
    return parts.some((part) => this.sourceLanguage.note(part) === note) ? note : null;
  }

  /** As the model reads it: in its script, without short forms, with a mark at the end; maybe two sentences. */
  #speltOut(sentence) {
    if (this.agreement === null || sentence.style !== null) return [sentence];
    const { shortForms, endMarks } = this.agreement.source;
    let wording = shortForms.speltOut(this.#typed(sentence));
    wording += endMarks.missing(wording);
    if (wording === sentence.source) return [sentence];
    let parts = this.#parts(wording, null, sentence.context);
    if (sentence.case === Case.UPPER) { // Devanagari does not show it
      parts = parts.map((part) => (isSentence(part) ? replaced(part, { case: Case.UPPER }) : part));
    }
    return parts.map((part) => (isSentence(part) && !part.hasWords ? part.untranslated() : part));
  }

  /** Hindi in Latin letters in its own script; what is hidden in it stays. */
  #typed(sentence) {
    const { source } = sentence;
    if (!this.#readsHindi || this.sourceLanguage.note(sentence) !== null) return source;
    if (!this.#isInTargetScript(sentence) || this.#isTranslatedAlready(sentence)) return source;
    return inDevanagari(source, frequentWords(ENGLISH), sentence.hidden.map(({ start, end }) => [start, end]));
  }

  get #readsHindi() {
    return this.sourceLanguage?.source === HINDI;
  }

  /** Sentences with marks inside are translated without them; those of which it is known where they go. */
  #outcomesWithoutMarks(sentences) {
    if (this.align === null) return [];
    const asked = [];
    for (const sentence of sentences) {
      const marked = MarkedSentence.of(sentence.source, sentence.hidden);
      const bare = marked === null ? null : this.sameSentence(marked.bare, sentence);
      if (bare !== null && bare.source === marked.bare) asked.push([sentence, marked, bare]);
    }
    if (!asked.length) return [];
    const translated = this.#attempts().outcomes(asked.map(([, , bare]) => bare));
    const done = [];
    for (const [sentence, marked, bare] of asked) {
      const kept = bare.hidden.filter((span) => span.kind === Kind.FIXED).map((span) => span.replacement);
      const { text, notes, confidence } = translated.get(bare);
      const carried = marked.carried(text, kept, this.align);
      if (carried !== null) done.push([sentence, new Outcome(carried, notes, confidence)]);
    }
    return done;
  }

  #attempts() {
    return new SentenceAttempts(
      this.translateSentences,
      this.targetHasCase,
      this.placeholders,
      this.agreement,
      this.agreement?.source.rewriter ?? null,
      (wording, sentence) => this.sameSentence(wording, sentence),
      this.confidence,
    );
  }

  /** Another wording of a sentence, ready for the model; null if that is no longer one sentence. */
  sameSentence(wording, sentence) {
    const parts = this.#parts(wording, sentence.style, sentence.context).filter((part) => part !== "");
    return parts.length === 1 && isSentence(parts[0]) ? parts[0] : null;
  }

  #joined(text, parts, outcomes) {
    if (this.glossary === null) return joined(text, parts, outcomes);
    const sentences = parts.filter(isSentence);
    const noted = new SentenceMap(
      sentences.map((one) => [one, withGlossary(outcomes.get(one), one, this.glossary)]),
    );
    const uses = sentences.map((one) => [one, noted.get(one).text]);
    return withGlossaryCounts(joined(text, parts, noted), uses, this.glossary);
  }

  #isTranslatedAlready(sentence) {
    if (!this.#isInTargetScript(sentence)) return false;
    if (this.sourceLanguage !== null && sentence.language === this.sourceLanguage.target) return true;
    if (this.sourceLanguage !== null && this.sourceLanguage.isSource(sentence.language)) return false;
    if (this.#readsHindi && soundsHindi(sentence.ordinary, frequentWords(ENGLISH))) return false;
    return this.isSourceLanguage === null || !this.isSourceLanguage(sentence.ordinary);
  }

  #isInTargetScript(sentence) {
    const script = this.targetScript;
    return Boolean(script) && isInScript(sentence, script[0].toUpperCase() + script.slice(1).toLowerCase());
  }

  /** Words in other scripts, and quotations in other languages. */
  #foreignSpans(line) {
    const foreign = new Scripts(this.sourceScripts).foreignSpans(line);
    if (this.sourceLanguage === null) return foreign;
    return [...foreign, ...this.sourceLanguage.quotations(blankOut(line, foreign))];
  }

  #hasCase(text) {
    return this.sourceHasCase || (this.isSourceLanguage !== null && allLettersHaveCase(text));
  }

  /** The text as sentences and what stands between them. */
  #parts(text, style, context) {
    const glossary = this.glossary ?? noTerms();
    const hasCase = (part) => this.#hasCase(part);
    const foreignSpans = (line) => this.#foreignSpans(line);
    let parts = [];
    for (const [piece, isForTranslation] of splitLines(text)) {
      if (!isForTranslation) parts.push(piece);
      else for (const part of splitLine(piece, glossary, this.maxWords, hasCase, foreignSpans)) parts.push(part);
    }
    if (this.sourceLanguage !== null) parts = this.sourceLanguage.marked(text, parts);
    if (style === null && context === null) return parts;
    return parts.map((part) => (isSentence(part) ? replaced(part, { style, context }) : part));
  }
}

const isSentence = (part) => part instanceof Sentence;

/** Of what the parts say together. */
function outcomeOf(parts, outcomes) {
  const found = parts.filter(isSentence).map((part) => outcomes.get(part));
  const text = parts.map((part) => (isSentence(part) ? outcomes.get(part).text : part)).join("");
  const notes = [...new Set(found.flatMap((one) => [...one.notes]))];
  return new Outcome(text, notes, Math.min(SURE, ...found.map((one) => one.confidence)));
}

function joined(source, parts, outcomes) {
  const text = parts.map((part) => (isSentence(part) ? outcomes.get(part).text : part)).join("");
  const sentences = parts
    .filter((part) => isSentence(part) && (part.hasWords || outcomes.get(part).notes.length))
    .map((part) => {
      const outcome = outcomes.get(part);
      return new TranslatedSentence(part.source, outcome.text, outcome.notes, outcome.confidence);
    });
  const least = sentences.reduce((lowest, one) => Math.min(lowest, one.confidence), SURE);
  return new Translation(source, text, notesOf(sentences), least, sentences);
}

/** Those of all sentences; one that is not about all of them says so, or names the sentence that it is about. */
function notesOf(sentences) {
  const noted = new Map();
  for (const sentence of sentences) {
    for (const note of sentence.notes) noted.set(note, [...(noted.get(note) ?? []), sentence.source]);
  }
  return [...noted].map(([note, sources]) => {
    if (sources.length === sentences.length) return note;
    const partly = inPart(note === already() ? partlyAlready() : note);
    return partly === note && sources.length === 1 ? naming(sources[0], note) : partly;
  });
}
