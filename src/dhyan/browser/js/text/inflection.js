// Other forms of a word by the endings of its language: order → orders, study → studies, लड़का → लड़के, लड़कों.
//
// The rules are tables: "y → ies" says that a word in -y has a form in -ies. Of the endings that fit, the longest
// counts. Forms that nobody writes do no harm: they are looked for and not found.

import { category, firstWordOfName } from "../core/characters.js";
import { isUpper, strip } from "../core/python-text.js";
import { lazy, rule } from "../rules.js";
import { allLanguages, languageRules } from "./languages.js";

export const Form = Object.freeze({
  PLURAL: "more than one, whatever else",
  OBLIQUE: "one or more: what stands before a postposition",
  OBLIQUE_PLURAL: "more than one, before a postposition",
  VERB: "not a noun any more",
});

const own = (name) => rule("text.inflection", name);
const LISTS = {
  [Form.PLURAL]: "pluralEndings",
  [Form.OBLIQUE]: "obliqueEndings",
  [Form.OBLIQUE_PLURAL]: "obliquePluralEndings",
  [Form.VERB]: "verbEndings",
};
const kept = lazy(() => new Map()); // form and language → ending → endings of the form

function endingsOf(form, language) {
  const key = `${form} ${language}`;
  if (!kept().has(key)) {
    const rules = language === null ? allLanguages() : languageRules(language);
    const found = new Map();
    for (const written of rules[LISTS[form]]) {
      const arrow = written.indexOf("→");
      const ending = strip(written.slice(0, arrow));
      if (!found.has(ending)) found.set(ending, []);
      found.get(ending).push(strip(written.slice(arrow + 1)));
    }
    kept().set(key, found);
  }
  return kept().get(key);
}

/** The forms of one word, the usual one first; language: whose rules, null: those of every language. */
export function formsOfWord(word, form, language = null) {
  const characters = Array.from(word);
  const isAcronym = form === Form.PLURAL && isUpper(word) && characters.length > 1;
  if (characters.length < own("_FEWEST_LETTERS") && form !== Form.OBLIQUE_PLURAL && !isAcronym) return [];
  const endings = endingsOf(form, language);
  const lower = Array.from(word.toLowerCase());
  const last = characters.at(-1) ?? "";
  const isWhole = last !== "" && category(last).startsWith("L"); // no vowel sign, which an ending replaces, and no danda
  for (let length = Math.min(own("_LONGEST_ENDING"), characters.length); length >= 0; length -= 1) {
    const at = characters.length - length;
    const ending = lower.slice(at).join("");
    if (endings.has(ending) && (ending || isWhole)) {
      const stem = characters.slice(0, at).join("");
      const others = endings.get(ending).filter((other) => scriptOf(other) === scriptOf(last));
      return others.map((other) => stem + other).filter((one) => !allLanguages().notPlural.has(one.toLowerCase()));
    }
  }
  return [];
}

/** [form of a term of one or more words, which]: of its last word, and of the one before "of" in "point of sale". */
export function* formsOfTerm(term) {
  const parts = term.split(own("_WORDS")); // words at even places, what stands between them at odd ones
  const heads = new Set([parts.length - 1]);
  for (let place = 2; place < parts.length - 1; place += 2) {
    if (allLanguages().functionWords.has(parts[place].toLowerCase())) heads.add(place - 2);
  }
  const fromTheLast = [...heads].sort((one, other) => other - one);
  for (const form of [Form.PLURAL, Form.OBLIQUE, Form.VERB]) {
    for (const head of fromTheLast) {
      for (const other of formsOfWord(parts[head], form)) yield [parts.map((part, place) => (place === head ? other : part)).join(""), form];
    }
  }
  // What describes a noun goes with it: काला बाज़ार, काले बाज़ारों.
  const modifiers = parts.slice(0, -1).map(oblique);
  const last = parts.at(-1);
  if (modifiers.some((modifier, place) => modifier !== parts[place])) {
    yield [[...modifiers, last].join(""), Form.OBLIQUE];
    for (const one of formsOfWord(last, Form.PLURAL)) yield [[...modifiers, one].join(""), Form.PLURAL];
  }
}

/**
 * The usual plural of a term, or the oblique one; the term itself where the language has no rule for it.
 * @param {string} form one of Form
 */
export function plural(term, language, form = Form.PLURAL) {
  const parts = term.split(own("_WORDS"));
  const found = formsOfWord(parts.at(-1), form, language);
  return found.length ? [...parts.slice(0, -1), found[0]].join("") : term;
}

/** Of marks too, which `text/scripts.js` does not know. */
const scriptOf = (text) => firstWordOfName(String.fromCodePoint(text.codePointAt(0)));

const oblique = (word) => formsOfWord(word, Form.OBLIQUE)[0] ?? word;
