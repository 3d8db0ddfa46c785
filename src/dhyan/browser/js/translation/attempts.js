// Sentences through the model: a first attempt, further ones where checks fail, and in parts where those fail too.
//
// Every round is one batch (two, where some attempts are strict and some are not), however many sentences there are.
// What becomes of a sentence depends on that sentence alone. A sentence whose first answer passes every check is done.

import { sortedBy } from "../core/comparing.js";
import { characterBefore, rstripOf, split } from "../core/python-text.js";
import { matches, rule } from "../rules.js";
import { Attempt, Fault, Outcome, sameSpan } from "./attempt.js";
import { NOTED } from "./confidence.js";
import { firstChoice, secondChoice, withPlaceholders } from "./placeholders.js";
import { Kind, Span } from "./protected-spans.js";
import { Sentence, SentenceMap } from "./segments.js";
import { Alternative, SURE } from "./translated.js";
import { isWord } from "./unicode.js";

const of = (name) => rule("translation.attempts", name);

export const nothingCame = () => of("NOTHING_CAME");
export const inPartsNote = () => of("IN_PARTS");

const CALLS_FOR_STRICT = Fault.EMPTY | Fault.LOOPS | Fault.TOO_LONG;

/** How sentences are translated, checked and tried again. */
export class SentenceAttempts {
  /**
   * translate: (sentences, strict) → for each sentence its translations, best first, or the best alone as a string if
   * nothing is known of its probability; strict asks for decoding that repeats no n-gram. agreement: null where the
   * meaning is not checked. sameSentence: (wording, sentence) → another wording of it, made ready, or null.
   */
  constructor(
    translate,
    targetHasCase = false,
    words = firstChoice(),
    agreement = null,
    rewriter = null,
    sameSentence = null,
    confidence = null,
  ) {
    this.translate = translate;
    this.targetHasCase = targetHasCase;
    this.words = words;
    this.agreement = agreement;
    this.rewriter = rewriter;
    this.sameSentence = sameSentence;
    this.confidence = confidence;
  }

  /** An outcome for every sentence; equal sentences are translated once. */
  outcomes(sentences) {
    const tried = new SentenceMap(Array.from(sentences, (sentence) => [sentence, []]));
    this.#ask(tried.keys().map((one) => this.#attempt(one, one, one.hidden, this.words)), tried);
    this.#ask(tried.values().flatMap((answers) => this.#furtherAttempts(answers)), tried);
    this.#ask(tried.values().map((answers) => this.#lastAttempt(answers)), tried);
    const done = new SentenceMap();
    const inParts = new SentenceMap();
    for (const [sentence, answers] of tried) {
      const outcome = this.#best(answers);
      if (outcome !== null) {
        done.set(sentence, outcome);
        const cuts = answers.some((one) => one.isGood) ? [] : clauseEnds(sentence);
        if (cuts.length) inParts.set(sentence, sentence.fragments(cuts));
      } else if (sentence.hidden.length || sentence.watched.length) {
        inParts.set(sentence, sentence.fragments());
      } else {
        done.set(sentence, new Outcome(sentence.untranslated(), [nothingCame()], 0.0));
      }
    }
    for (const [sentence, outcome] of this.#outcomesInParts(inParts, done)) done.set(sentence, outcome);
    return done;
  }

  /** Sentences as their parts; one that came out whole as well, only if every check of its meaning passes. */
  #outcomesInParts(inParts, whole) {
    if (!inParts.size) return [];
    // Parts have nothing left to hide, so this goes one level down and no further.
    const fragments = inParts.values().flatMap((parts) => parts.filter((part) => part instanceof Sentence));
    const unchecked = new SentenceAttempts(
      this.translate,
      this.targetHasCase,
      this.words,
      null,
      this.rewriter,
      this.sameSentence,
      this.confidence,
    );
    const translated = unchecked.outcomes(fragments);
    const joined = [...inParts].map(([sentence, parts]) => [sentence, joinedParts(parts, translated)]);
    const agrees = (sentence, outcome) =>
      this.agreement !== null && !this.agreement.disagreements(sentence.source, outcome.text).length;
    return joined.filter(([sentence, outcome]) => !whole.has(sentence) || agrees(sentence, outcome));
  }

  /** Add the answers to what was tried: of each attempt the best ones, up to the first that is good. */
  #ask(attempts, tried) {
    for (const strict of [false, true]) {
      const asked = attempts.filter((attempt) => attempt !== null && attempt.strict === strict);
      const texts = [...new Set(asked.map((attempt) => attempt.sent.text))];
      if (!texts.length) continue;
      const answers = this.translate(texts, strict);
      const found = new Map(texts.map((text, number) => [text, candidatesOf(answers[number])]));
      for (const attempt of asked) {
        for (const candidate of found.get(attempt.sent.text)) {
          const answer = attempt.answer(candidate);
          tried.get(attempt.sentence).push(answer);
          if (answer.isGood) break;
        }
      }
    }
  }

  /** Other ways to ask for what came back faulty; none when an answer is good. */
  #furtherAttempts(answers) {
    if (!answers.length || answers.some((answer) => answer.isGood)) return [];
    const [first] = answers;
    const { sentence } = first.attempt;
    const further = [];
    if (first.faults & ~Fault.DIGITS_FOR_WORDS) {
      further.push(this.#repeated(first, first.faults & Fault.LOST_PLACEHOLDER ? secondChoice() : this.words));
    }
    const kinds = new Set(first.disagreements.map((one) => one.kind));
    if (kinds.size && this.rewriter !== null && this.sameSentence !== null) {
      for (const wording of this.rewriter.rewritten(sentence.source, kinds)) {
        const other = this.sameSentence(wording, sentence);
        if (other !== null) further.push(this.#attempt(sentence, other, other.hidden, this.words));
      }
    }
    return further;
  }

  /** The second choice of placeholders and all that was spoilt hidden, before a sentence goes in parts. */
  #lastAttempt(answers) {
    const repeated = answers.filter((one) => one.attempt.asked === one.attempt.sentence);
    if (!repeated.length || this.#best(answers) !== null) return null;
    const again = this.#repeated(repeated.at(-1), secondChoice());
    const tried = repeated.map((one) => one.attempt.sent.text);
    return again === null || tried.includes(again.sent.text) ? null : again;
  }

  /** The same once more, with what came out spoilt hidden as well. */
  #repeated(answer, words) {
    const { attempt, faults } = answer;
    const { sentence, hidden } = attempt;
    const spoilt = {
      [Kind.NUMBER]: faults & Fault.WRONG_NUMBERS,
      [Kind.SYMBOL]: faults & Fault.LOST_SYMBOL,
      [Kind.LITERAL]: faults & (Fault.LOST_SYMBOL | Fault.WRONG_NUMBERS),
    };
    const isHidden = (span) => hidden.some((other) => sameSpan(span, other));
    const more = sentence.watched.filter((span) => spoilt[span.kind] && !isHidden(span));
    return this.#attempt(sentence, sentence, [...hidden, ...more], words, Boolean(faults & CALLS_FOR_STRICT));
  }

  /** An attempt, or null when the sentence has more to hide than a model could keep apart. */
  #attempt(sentence, asked, hidden, words, strict = false) {
    const inOrder = sortedBy(hidden, (span) => span.start);
    const sent = withPlaceholders(asked.ordinary, inOrder, words);
    return sent === null ? null : new Attempt(sentence, asked, inOrder, sent, strict, this.agreement);
  }

  /** The outcome that disagrees least with its source; null when there is none that can be used. */
  #best(answers) {
    const first = answers[0]?.attempt;
    const order = ({ attempt, disagreements }) => {
      // A repeated attempt has mended what was spoilt; another wording is the last choice.
      const isRepeated = attempt !== first && attempt.asked === attempt.sentence;
      return [disagreements.length, isRepeated ? 0 : attempt === first ? 1 : 2];
    };
    for (const answer of sortedBy(answers, order)) {
      const outcome = answer.outcome(this.targetHasCase);
      if (outcome === null) continue;
      const notes = [...outcome.notes, ...answer.disagreements.map((one) => one.note)];
      if (this.confidence === null) return new Outcome(outcome.text, notes);
      const asked = answer.attempt.asked.source;
      return new Outcome(outcome.text, notes, this.confidence.of(asked, answer.score, notes.length > 0));
    }
    return null;
  }
}

function candidatesOf(found) {
  if (typeof found === "string") return [new Alternative(found, 0.0)];
  return found.length ? found : [new Alternative("", 0.0)];
}

/** Where a sentence can be cut into clauses of some length; nowhere if it has anything to hide. */
function clauseEnds(sentence) {
  if (sentence.hidden.length) return [];
  const ends = [];
  let start = 0;
  for (const found of matches(of("_CLAUSE_END"), sentence.source)) {
    const end = found.index + found[0].length;
    const sides = [sentence.source.slice(start, found.index), sentence.source.slice(end)];
    if (Math.min(...sides.map((side) => split(side).length)) >= of("_SHORTEST_CLAUSE")) {
      ends.push(new Span(found.index, end, Kind.FIXED, found[0]));
      start = end;
    }
  }
  return ends;
}

function joinedParts(parts, translated) {
  let text = "";
  let notes = [inPartsNote()];
  let least = SURE;
  for (const part of parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const outcome = translated.get(part);
    // A model that takes a fragment for a whole sentence ends it with a full stop, or with a comma of its own.
    const endsInWord = isWord(characterBefore(part.source, part.source.length));
    text += endsInWord ? rstripOf(outcome.text, of("_STOPS")) : outcome.text;
    notes = [...notes, ...outcome.notes];
    least = Math.min(least, outcome.confidence);
  }
  return new Outcome(text, [...new Set(notes)], NOTED * least);
}
