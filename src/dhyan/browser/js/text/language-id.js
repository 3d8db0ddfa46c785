// Which language a text is in: English, Hindi, Hindi in Latin letters, another one, or unknown.
//
// The script of its letters decides first. Where languages share a script, their frequent words do, and in Latin letters
// how often three letters follow each other. A word or two may belong to many languages: then it is unknown.

import { category, firstWordOfName } from "../core/characters.js";
import { DhyanError } from "../core/errors.js";
import { isAscii, split } from "../core/python-text.js";
import { lazy, matches, rule } from "../rules.js";
import { isFrequent, isListed, mayBeHindi } from "./deromanise.js";
import { capitalised, scriptOf } from "./scripts.js";
import { wordsOf } from "./words.js";

export const [ENGLISH, HINDI, HINDI_IN_LATIN, UNKNOWN] = ["en", "hi", "hi-Latn", "und"];

const own = (name) => rule("text.language_id", name);

/** `language` is a code (`en`, `hi`, `hi-Latn`, `es`, …; `und`: unknown), `confidence` is between 0 and 1. */
export class DetectedLanguage {
  constructor(language, name, script, confidence) {
    this.language = language;
    this.name = name;
    this.script = script;
    this.confidence = confidence;
    Object.freeze(this);
  }

  get isKnown() {
    return this.language !== UNKNOWN;
  }
}

/** Which language a text is in, or each of many. */
export function detect(texts) {
  if (typeof texts === "string") return detectLanguage(texts);
  const several = [...texts];
  for (const text of several) {
    if (typeof text !== "string") throw new DhyanError(`texts are str, one or a list of them, not ${typeof text}.`);
  }
  return several.map(detectLanguage);
}

const counted = (items) => {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
};
const sum = (numbers) => {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
};
/** The key of the greatest value, the first of equals. */
const greatest = (values) => [...values].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];

/** The language of a text; unknown where too little of it tells. */
export function detectLanguage(text) {
  const letters = new Map(); // script → letters
  for (const [character, count] of counted(text)) {
    const script = scriptWithMarks(character);
    if (script !== null) letters.set(script, (letters.get(script) ?? 0) + count);
  }
  if (!letters.size) return new DetectedLanguage(UNKNOWN, "unknown", null, 0);
  let script = greatest(letters);
  const total = sum(letters.values());
  if (total < 2 && script !== "Han") return new DetectedLanguage(UNKNOWN, "unknown", script, 0); // π: in any language
  let share = letters.get(script) / total;
  const most = own("_MOST_WORDS");
  if (script === "Latin") {
    const words = matches(own("_LATIN_WORD"), text.normalize("NFC").toLowerCase()).map(([word]) => word);
    let [code, probability] = inLatinLetters(words.slice(0, most));
    if (code === UNKNOWN && matches(own("_SMALL_WORD"), text).length && isTypedHindi(words.slice(0, most))) {
      [code, probability] = [HINDI_IN_LATIN, own("_OF_TYPED_HINDI")];
    }
    return detected(code, probability, script, share);
  }
  if (script === "Devanagari") return detected(...inDevanagari(wordsOf(text).slice(0, most)), script, share);
  const japanese = own("_JAPANESE");
  if (japanese.includes(script) && (letters.has("Hiragana") || letters.has("Katakana"))) {
    script = "Hiragana";
    share = sum(japanese.map((one) => letters.get(one) ?? 0)) / total;
  }
  for (const [marks, code] of own("_BY_LETTERS").get(script) ?? []) {
    if ([...marks].some((mark) => text.includes(mark))) return detected(code, 1, script, share);
  }
  return detected(own("_BY_SCRIPT").get(script)?.[0] ?? UNKNOWN, 1, script, share);
}

/** A vowel sign counts as the letter that it would be in another script. */
const scriptWithMarks = (character) =>
  category(character).startsWith("M") ? capitalised(firstWordOfName(character)) : scriptOf(character);

/** Names in Latin letters stand in texts of every script: these do not tell what a mixed text is. */
function detected(code, probability, script, share) {
  const least = own(script === "Devanagari" ? "_LIKELY" : "_SURE");
  if (code === UNKNOWN || share < least) return new DetectedLanguage(UNKNOWN, languageName(UNKNOWN), script, 0);
  return new DetectedLanguage(code, languageName(code), script, probability * share);
}

/** What people call it: Spanish for es. */
export const languageName = (code) => names().get(code) ?? "unknown";

const names = lazy(
  () =>
    new Map([
      ...own("_BY_SCRIPT").values(),
      ...[...own("_BY_LETTERS").values()].flat().map(([, code, name]) => [code, name]),
      ...[...listed()].map(([code, [name]]) => [code, name]),
    ]),
);

/** Code → name and frequent words. */
const listed = lazy(
  () =>
    new Map(
      Object.entries(rule("text/language_words.toml")).map(([code, entry]) => [
        code,
        [entry.name, new Set(split(entry.words))],
      ]),
    ),
);

/** Code → { trigrams: three letters, a blank being one → −log2 of their frequency; words }: languages in Latin letters. */
const profiles = lazy(() => {
  const found = new Map();
  for (const line of rule("text/language_profiles.tsv").split("\n").filter(Boolean)) {
    const [code, groups, words] = line.split("\t");
    const trigrams = new Map();
    for (const group of groups.split(" ")) {
      const [bits, members] = group.split(":");
      for (const member of members.replaceAll("_", " ").split(",")) trigrams.set(member, Number(bits) / 4);
    }
    found.set(code, { trigrams, words: new Set([...listed().get(code)[1], ...split(words)]) });
  }
  return found;
});

/** Those of a language in Latin letters. */
export const frequentWords = (code) => profiles().get(code).words;

/** Words that are frequent in English alone, and those that are frequent in other languages alone. */
const englishAndOthers = lazy(() => {
  const english = profiles().get(ENGLISH).words;
  const others = new Set([...profiles()].filter(([code]) => code !== ENGLISH).flatMap(([, { words }]) => [...words]));
  const without = (some, taken) => new Set([...some].filter((word) => !taken.has(word)));
  return [without(english, others), without(others, english)];
});

/** The code of the most probable language and its probability. */
function inLatinLetters(words) {
  const [onlyEnglish, onlyOthers] = englishAndOthers();
  const english = words.filter((word) => onlyEnglish.has(word)).length;
  const others = words.filter((word) => onlyOthers.has(word)).length;
  const enough = english >= own("_PLENTY") || (3 * english >= words.length && (english > 1 || words.length === 1));
  if (enough && english > 2 * others) return [ENGLISH, 1]; // most texts are, and need no closer look
  const counts = counted(words);
  const headStart = own("_HEAD_START");
  const bits = new Map(
    [...profiles()].map(([code, profile]) => [code, bitsOf(profile, counts) + (headStart.get(code) ?? 0)]),
  );
  const most = Math.max(...bits.values());
  const weights = new Map([...bits].map(([code, value]) => [code, 2 ** Math.max(-60, value - most)]));
  const best = greatest(weights);
  const probability = weights.get(best) / sum(weights.values());
  if (isTold(best, probability, weights, counts)) return [best, probability];
  return [UNKNOWN, probability];
}

/** Whether all words may be Hindi, half are of no other language, and one of these is spelt as people type it. */
function isTypedHindi(words) {
  if (words.length < own("_FEWEST_OF_ANOTHER") || !words.every((word) => isListed(word) || mayBeHindi(word))) return false;
  const elsewhere = [...profiles()].filter(([code]) => code !== HINDI_IN_LATIN).map(([, profile]) => profile.words);
  const telling = words.filter((word) => !elsewhere.some((known) => known.has(word)));
  return 2 * telling.length >= words.length && telling.some(isListed);
}

function bitsOf(profile, counts) {
  const [unseen, perWord, share] = [own("_UNSEEN"), own("_BITS_PER_WORD"), own("_SHARE_OF_TRIGRAM")];
  let bits = 0;
  for (const [word, count] of counts) {
    const padded = [" ", ...word, " "];
    let trigrams = 0;
    for (let at = 0; at + 2 < padded.length; at += 1) {
      trigrams += profile.trigrams.get(padded[at] + padded[at + 1] + padded[at + 2]) ?? unseen;
    }
    bits += count * (perWord * Number(profile.words.has(word)) - share * trigrams);
  }
  return bits;
}

/** Whether there is enough to go by: among relatives a guess is good enough, but not from a single word. */
function isTold(best, probability, weights, counts) {
  const { words } = profiles().get(best);
  const different = [...counts.keys()];
  let found = different.filter((word) => words.has(word)).length;
  if (best === ENGLISH) return probability >= own(found ? "_SURE" : "_WITHOUT_A_WORD");
  // Letters that English has not tell as much as a frequent word.
  found += different.filter((word) => !isAscii(word) && !words.has(word)).length;
  const rivals = weights.get(ENGLISH) + weights.get(HINDI_IN_LATIN);
  const amongRelatives = rivals < own("_NEGLIGIBLE") * sum(weights.values());
  const certain = probability >= own(amongRelatives && best !== HINDI_IN_LATIN ? "_LIKELY" : "_SURE");
  const overwhelming =
    different.length >= own("_SHORT") && weights.get(ENGLISH) < own("_NEXT_TO_NOTHING") * weights.get(best);
  return certain && found >= (overwhelming ? 1 : different.length < own("_LONG") ? 2 : 3);
}

/** Of the languages in Devanagari besides Hindi: code → endings of words. */
const endings = lazy(() => {
  const several = Object.entries(rule("text/language_words.toml")).filter(([, entry]) => "endings" in entry);
  return new Map(several.map(([code, entry]) => [code, split(entry.endings)]));
});

/** Code → the words of its list, and those that no other list has. */
const inDevanagariLists = lazy(() => {
  const lists = [HINDI, ...endings().keys()].map((code) => [code, listed().get(code)[1]]);
  const times = counted(lists.flatMap(([, words]) => [...words]));
  return new Map(
    lists.map(([code, words]) => [code, [words, new Set([...words].filter((word) => times.get(word) === 1))]]),
  );
});

function inDevanagari(words) {
  const lists = inDevanagariLists();
  const found = new Map([...lists].map(([code, [, known]]) => [code, words.filter((word) => known.has(word)).length]));
  const isListedThere = (word) => [...lists.values()].some(([listedThere]) => listedThere.has(word));
  const strange = words.filter((word) => !isFrequent(word) && !isListedThere(word));
  for (const [code, several] of endings()) {
    const ends = (word) => several.some((one) => word.endsWith(one)) && !several.includes(word);
    found.set(code, found.get(code) + strange.filter(ends).length);
  }
  const best = greatest(found); // the first of equals: Hindi
  const all = sum(found.values());
  const fewest = own("_FEWEST_OF_ANOTHER");
  const ordinary = words.filter((word) => isFrequent(word) && !lists.get(best)[0].has(word)).length; // in Hindi
  if (best === HINDI || found.get(best) < Math.max(fewest, ordinary)) {
    // Where no word is frequent in Hindi only the script tells.
    const known = found.get(HINDI) > 0 || 2 * strange.length < words.length || words.length < fewest;
    return [HINDI, known ? Math.max(own("_OF_DEVANAGARI"), (found.get(HINDI) + 1) / (all + 1)) : own("_LIKELY")];
  }
  return [best, found.get(best) / all];
}
