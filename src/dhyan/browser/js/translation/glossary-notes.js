// What became of the glossary's terms: in which form they stand, and notes of every use and of what was not used.

import { sortedBy } from "../core/comparing.js";
import { escaped } from "../core/patterns.js";
import { isAscii, replaceFirst } from "../core/python-text.js";
import { replaced } from "../core/records.js";
import { rule } from "../rules.js";
import { Form, plural } from "../text/inflection.js";
import { languageRules } from "../text/languages.js";
import { blankOut, Kind } from "./protected-spans.js";

const LETTER = "[\\p{L}\\p{N}_\\u0900-\\u0963\\u200c\\u200d]";
const prefix = () => rule("translation.glossary_notes", "PREFIX");
const termsOf = (sentence) => sentence.hidden.filter((span) => span.kind === Kind.TERM);

/** The outcome of a sentence with its terms in their form, and with notes about them. */
export function withGlossary(outcome, sentence, glossary) {
  const text = inflectedTerms(sentence, outcome.text, glossary);
  return replaced(outcome, { text, notes: [...outcome.notes, ...glossaryNotes([[sentence, text]], glossary)] });
}

/** The notes of a text's sentences about its terms as one: with counts for the whole text. */
export function withGlossaryCounts(translation, uses, glossary) {
  const others = translation.notes.filter((note) => !note.startsWith(prefix()));
  return replaced(translation, { notes: [...others, ...glossaryNotes(uses, glossary)] });
}

/**
 * The translation with terms in the plural where the source has it and a postposition asks for a form of its own.
 *
 * Three parties: तीन दलों ने. Only where no use of the term in the sentence is a singular.
 */
export function inflectedTerms(sentence, translation, glossary) {
  const uses = new Map();
  for (const span of termsOf(sentence)) {
    const found = glossary.find(sentence.source.slice(span.start, span.end));
    const isPlural =
      found.length === 1 && found[0].form === Form.PLURAL && found[0].translation === span.replacement;
    uses.set(span.replacement, isPlural && (uses.get(span.replacement) ?? true));
  }
  const postpositions = sortedBy(languageRules("hi").postpositions).join("|");
  for (const [term, isPlural] of uses) {
    const oblique = isPlural && !isAscii(term) ? plural(term, "hi", Form.OBLIQUE_PLURAL) : term;
    if (oblique === term) continue;
    const before = new RegExp(`(?<!${LETTER})${escaped(term)}(?= (?:${postpositions}) )`, "gu");
    translation = translation.replace(before, () => oblique);
  }
  return translation;
}

/** One note with all uses, and one for each term that was left alone. sentences: [sentence, translation] each. */
export function glossaryNotes(sentences, glossary) {
  const used = new Map();
  const left = new Set();
  const use = (what) => used.set(what, (used.get(what) ?? 0) + 1);
  for (const [sentence, translation] of sentences) {
    const placed = termsOf(sentence);
    let withoutThem = translation;
    for (const span of placed) {
      use(useOf(sentence.source.slice(span.start, span.end), span.replacement, glossary));
      withoutThem = replaceFirst(withoutThem, span.replacement, "");
    }
    for (const one of glossary.find(blankOut(sentence.source, sentence.hidden))) {
      if (!one.leftAlone) continue;
      if (one.form === Form.VERB && one.translation !== null && withoutThem.includes(one.translation)) {
        use(`${one.term} → ${one.translation}`); // the model has said it by itself
      } else {
        left.add(`${prefix()}'${sentence.source.slice(one.start, one.end)}' ${one.leftAlone}`);
      }
    }
  }
  const uses = [...used].map(([what, count]) => `${what} (${count})`);
  return [...(uses.length > 0 ? [prefix() + uses.join(", ")] : []), ...left];
}

function useOf(written, replacement, glossary) {
  const found = glossary.find(written);
  const term = found.length === 1 ? found[0].term : written;
  return written === replacement ? `${term} kept` : `${term} → ${replacement}`;
}
