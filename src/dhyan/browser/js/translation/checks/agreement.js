// All checks together: does a translation say what its source says?
//
// A check is a small class whose `notes(source, target)` says what does not agree. What it knows of the two languages
// lies in tables of Python's side. A new language is a new table, named by its code; what it leaves out is not checked.

import { rule, table, tables } from "../../rules.js";
import { EndMarks } from "../end-marks.js";
import { Rewriter } from "../rewrites.js";
import { ShortForms } from "../short-forms.js";
import { AmountCheck, NumberWords } from "./amounts.js";
import { ChangeCheck, ChangeWords } from "./changes.js";
import { DoublingCheck } from "./doubling.js";
import { LeftoverCheck } from "./leftovers.js";
import { NameCheck, Names } from "./named.js";
import { NegationCheck, NegationWords } from "./negation.js";
import { spaced } from "./spaced.js";
import { TimeCheck, TimeWords } from "./times.js";

const FOLDER = "translation/checks/";

/** What does not agree: its kind (numbers, times, names, units, changes, negation, doubling, leftovers) and a note. */
export class Disagreement {
  constructor(kind, note) {
    this.kind = kind;
    this.note = note;
    Object.freeze(this);
  }
}

/** What the checks know of a language. A table that its file does not have is empty, and finds nothing. */
export class LanguageTables {
  constructor(commonWords, numbers, times, names, units, changes, negation, setPhrases, rewriter, shortForms, endMarks) {
    this.commonWords = commonWords;
    this.numbers = numbers;
    this.times = times;
    this.names = names;
    this.units = units;
    this.changes = changes;
    this.negation = negation;
    this.setPhrases = setPhrases;
    this.rewriter = rewriter;
    this.shortForms = shortForms;
    this.endMarks = endMarks;
    Object.freeze(this);
  }

  static of(raw) {
    const numbers = NumberWords.of(raw.numbers ?? {});
    const [units, also] = [raw.units ?? {}, raw.also ?? {}];
    const afterNumbers = [...Object.values(units).flat(), ...numbers.scales.keys()];
    return new LanguageTables(
      raw.common_words ?? [],
      numbers,
      TimeWords.of(raw.times ?? {}, numbers),
      Names.of(raw.names ?? {}, also, { measured: false }),
      Names.of(units, also, { measured: true }),
      ChangeWords.of(raw.changes ?? {}, afterNumbers),
      NegationWords.of(raw.negation ?? {}),
      raw.set_phrases ?? [],
      Rewriter.of(raw.rewrites ?? [], numbers),
      ShortForms.of(raw.short_forms ?? {}),
      EndMarks.of(raw.end_marks ?? {}),
    );
  }
}

const read = new WeakMap(); // table → what is made of it

export function languageTables(code) {
  const raw = table(`${FOLDER}${code}.toml`);
  if (!read.has(raw)) read.set(raw, LanguageTables.of(raw));
  return read.get(raw);
}

const codesWithTable = () => tables(FOLDER).map((path) => path.slice(FOLDER.length).replace(".toml", ""));

export const withTable = (code) => (codesWithTable().includes(code) ? code : null);

/** The language with a table whose commonest words are single tokens here; null where no table fits. */
export function languageOf(tokenizer) {
  let [best, most] = [null, -1];
  for (const code of codesWithTable().sort()) {
    const words = languageTables(code).commonWords;
    const single = tokenizer.encodeBatch(words).filter((ids) => ids.length === 1).length;
    const share = single / Math.max(1, words.length);
    if (share > most) [best, most] = [code, share];
  }
  return most >= rule("translation.checks.agreement", "_MOST_OF_THEM") ? best : null;
}

/** The checks for a pair of languages. sourceScript: where the two differ in script, the source's. */
export class Agreement {
  constructor(source, target, sourceScript, sourceHasCase) {
    const [here, there] = [languageTables(source), languageTables(target)];
    this.source = here;
    this.target = there;
    this.amounts = new AmountCheck(here.numbers, there.numbers);
    this.checks = {
      numbers: this.amounts,
      times: new TimeCheck(here.times, there.times),
      names: new NameCheck(here.names, there.names),
      units: new NameCheck(here.units, there.units),
      changes: new ChangeCheck(here.changes, there.changes),
      negation: new NegationCheck(here.negation, there.negation),
      doubling: new DoublingCheck(there.setPhrases),
    };
    this.leftovers = sourceScript ? new LeftoverCheck(sourceScript, sourceHasCase) : null;
  }

  /** The checks for a model's two languages; null unless both have tables. */
  static between(source, target, sourceScript, sourceHasCase) {
    const [here, there] = [languageOf(source), languageOf(target)];
    if (here === null || there === null || here === there) return null;
    return new Agreement(here, there, sourceScript, sourceHasCase);
  }

  disagreements(source, target) {
    const [one, other] = [spaced(source), spaced(target)];
    const found = Object.entries(this.checks).flatMap(([kind, check]) =>
      check.notes(one, other).map((note) => new Disagreement(kind, note)),
    );
    const left = this.leftovers === null ? [] : this.leftovers.notes(source, target);
    return [...found, ...left.map((note) => new Disagreement("leftovers", note))];
  }

  sameAmounts(source, target) {
    return this.amounts.same(spaced(source), spaced(target));
  }
}
