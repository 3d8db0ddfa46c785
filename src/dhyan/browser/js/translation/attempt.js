// One attempt at a sentence: what was sent, what is wrong with an answer, and what can be made of it.

import { counted, sameCounts } from "../core/comparing.js";
import { escaped } from "../core/patterns.js";
import { replaceFirst, strip } from "../core/python-text.js";
import { rule } from "../rules.js";
import { toCase } from "./letter-case.js";
import { numbersIn } from "./numbers.js";
import { Kind, blankOut, keepsLiterals, symbolSpans } from "./protected-spans.js";
import { absurdlyLong, loops, withoutLoops } from "./repetition.js";
import { SURE } from "./translated.js";
import { withEllipsisOf, withoutBlankAfterBracket } from "./unicode.js";

const note = (name) => rule("translation.attempt", name);

export const Fault = Object.freeze({
  NONE: 0,
  EMPTY: 1,
  LOOPS: 2,
  TOO_LONG: 4,
  LOST_PLACEHOLDER: 8,
  WRONG_NUMBERS: 16,
  LOST_SYMBOL: 32,
  DIGITS_FOR_WORDS: 64, // "a million" may well become "10 लाख": noted, not repaired
});

const NOT_ACCEPTED = Fault.EMPTY | Fault.LOST_PLACEHOLDER | Fault.WRONG_NUMBERS | Fault.LOST_SYMBOL;

/** What becomes of a sentence; the confidence is between 0 and 1. */
export class Outcome {
  constructor(text, notes = [], confidence = SURE) {
    this.text = text;
    this.notes = notes;
    this.confidence = confidence;
  }
}

export const sameSpan = (one, other) =>
  one.start === other.start &&
  one.end === other.end &&
  one.kind === other.kind &&
  one.replacement === other.replacement;

/**
 * A sentence, what is sent for it this time, and how it is asked for.
 *
 * `asked` is the sentence itself or another wording of it; what comes back is always checked against `sentence`.
 */
export class Attempt {
  /** hidden: spans of `asked`. */
  constructor(sentence, asked, hidden, sent, strict, agreement = null) {
    this.sentence = sentence;
    this.asked = asked;
    this.hidden = hidden;
    this.sent = sent;
    this.strict = strict;
    this.agreement = agreement;
  }

  answer(candidate) {
    const output = withoutBlankAfterBracket(this.sent.text, withEllipsisOf(this.sent.text, strip(candidate.text)));
    return new Answer(this, output, candidate.score, this.faults(output), this.disagreements(output));
  }

  faults(output) {
    if (output === this.sent.text) return Fault.NONE; // a copy keeps everything
    if (!output) return Fault.EMPTY;
    let faults = Fault.NONE;
    if (loops(output, this.sent.text)) faults |= Fault.LOOPS;
    if (absurdlyLong(output, this.sent.text)) faults |= Fault.TOO_LONG;
    if (this.sent.restored(output) === null) faults |= Fault.LOST_PLACEHOLDER;
    return faults | this.#watchedFaults(output);
  }

  #watchedFaults(output) {
    let faults = Fault.NONE;
    const plain = this.sent.withoutPlaceholders(output);
    const shown = blankOut(this.asked.ordinary, this.hidden);
    const expected = numbersIn(shown);
    if (!sameCounts(expected, numbersIn(plain)) && !this.#amountsAgree(output)) {
      if (expected.size) faults |= Fault.WRONG_NUMBERS;
      else if (this.agreement === null) faults |= Fault.DIGITS_FOR_WORDS; // which would know better
    }
    const watched = this.asked.watched.filter((span) => !this.hidden.some((other) => sameSpan(span, other)));
    const ofKind = (kind) => watched.filter((span) => span.kind === kind).map((span) => span.replacement);
    const kept = counted(symbolSpans(plain).map((span) => span.replacement));
    const hasLost = [...counted(ofKind(Kind.SYMBOL))].some(([mark, count]) => (kept.get(mark) ?? 0) !== count);
    if (hasLost || !keepsLiterals(watched, shown, plain)) faults |= Fault.LOST_SYMBOL;
    if (this.#hasWrongTimes(output, ofKind(Kind.LITERAL))) {
      faults |= Fault.LOST_SYMBOL | Fault.LOST_PLACEHOLDER; // hidden next time, by the second choice
    }
    if (this.#hasWrongTimes(output, this.sent.noTimes)) faults |= Fault.LOST_PLACEHOLDER;
    return faults;
  }

  /** Whether something that is no number is said to be a time of the day: "2.5 km/h o'clock". */
  #hasWrongTimes(output, kept) {
    if (this.agreement === null || !kept.length) return false;
    const after = [...this.agreement.target.times.clock].map(escaped).join("|");
    const isTime = (one) => new RegExp(`${escaped(one)} (?:${after})(?![\\p{L}\\p{N}_])`, "u").test(output);
    return Boolean(after) && kept.some(isTime);
  }

  /** 50 lakh is 5 million. */
  #amountsAgree(output) {
    return this.agreement !== null && this.agreement.sameAmounts(...this.#sides(output));
  }

  disagreements(output) {
    return this.agreement === null || !output ? [] : this.agreement.disagreements(...this.#sides(output));
  }

  /** What is compared: the sentence and its translation, both without what is kept as it is. */
  #sides(output) {
    let text = this.sent.restored(output) ?? this.sent.withoutPlaceholders(output);
    for (const span of this.sentence.hidden) text = replaceFirst(text, span.replacement, " ");
    return [blankOut(this.sentence.source, this.sentence.hidden), text];
  }

  /** What to make of an output: loops are cut, placeholders are replaced; null when that does not save it. */
  outcome(output, faults, targetHasCase) {
    if (output === this.sent.text && this.asked === this.sentence) return new Outcome(this.sentence.untranslated());
    const cut = faults & Fault.LOOPS ? strip(withoutLoops(output, this.sent.text)) : output;
    const left = cut === output ? faults : this.faults(cut);
    if (left & NOT_ACCEPTED) return null;
    const notes = [];
    if (cut !== output) notes.push(note("LOOP_CUT"));
    if (left & Fault.TOO_LONG) notes.push(note("VERY_LONG"));
    if (left & Fault.DIGITS_FOR_WORDS) notes.push(note("MORE_DIGITS"));
    const text = this.sent.restored(targetHasCase ? toCase(this.sentence.case, cut) : cut);
    return text === null ? null : new Outcome(text, notes);
  }
}

/** What the model said, and what is wrong with it. */
export class Answer {
  /** score: log-probability per token. */
  constructor(attempt, output, score, faults, disagreements) {
    this.attempt = attempt;
    this.output = output;
    this.score = score;
    this.faults = faults;
    this.disagreements = disagreements;
  }

  get isGood() {
    return !(this.faults & ~Fault.DIGITS_FOR_WORDS) && !this.disagreements.length;
  }

  outcome(targetHasCase) {
    return this.attempt.outcome(this.output, this.faults, targetHasCase);
  }
}
