// What single languages need to be known of: one table per language.

import { DhyanError } from "../core/errors.js";
import { lazy, rule, tables } from "../rules.js";

const FOLDER = "text/languages/";
// Their order matters, the usual one first; everything else is a set.
const LISTS = ["plural_endings", "oblique_endings", "oblique_plural_endings", "verb_endings"];
const SETS = [
  "abbreviations", "abbreviations_before_numbers", "spelt_letters", "spelt_letters_that_are_words", "function_words",
  "question_words", "grammar_words", "contraction_endings", "leaning_words", "hyphenated_beginnings", "ordinal_endings",
  "differing_numbers", "postpositions", "not_plural", "fixed_phrases",
]; // prettier-ignore

const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** The words of some tables: { abbreviations: Set, pluralEndings: array, … }. */
function united(every) {
  const of = (name) => every.flatMap((table) => table[name] ?? []);
  return Object.freeze({
    ...Object.fromEntries(SETS.map((name) => [camel(name), new Set(of(name))])),
    ...Object.fromEntries(LISTS.map((name) => [camel(name), of(name)])),
  });
}

export const knownLanguages = lazy(() => tables(FOLDER).map((path) => path.slice(FOLDER.length, -".toml".length)).sort());

const kept = lazy(() => new Map());

/** The rules of one language. */
export function languageRules(code) {
  if (!knownLanguages().includes(code)) {
    throw new DhyanError(`there are no rules for the language '${code}'; there are ${knownLanguages().join(", ")}.`);
  }
  if (!kept().has(code)) kept().set(code, united([rule(`${FOLDER}${code}.toml`)]));
  return kept().get(code);
}

/** The rules of all languages together, for text whose language nobody has said. */
export const allLanguages = lazy(() => united(knownLanguages().map((code) => rule(`${FOLDER}${code}.toml`))));
