// Hindi in Latin letters, as people type it, in Devanagari: "kal milte hain" is कल मिलते हैं.
//
// Nobody types by a scheme, so a word is looked for among the frequent words of Hindi: by the spellings that are listed
// for it, or by its sound, in which long and short vowels and the like are one. Of several words the one that follows
// the word before best is taken. What is English, a name or unknown stays as it is.

import { lazy, matches, rule } from "../rules.js";
import { romanise } from "./romanise.js";

const own = (name) => rule("text.deromanise", name);
const NOTHING = new Map([[null, 0]]); // there is none to choose

/** The frequent words of Hindi, known by their numbers; 0 is the beginning of a text. */
const hindiWords = lazy(() => {
  const rows = rule("text/hindi_words.tsv").split("\n").slice(0, -1).map((line) => line.split("\t"));
  const spellings = new Map(); // spelling → numbers
  const borrowed = new Set(); // spellings that are English
  const byFrame = new Map(); // frame → [number, sound]
  const add = (map, key, value) => (map.has(key) ? map.get(key).push(value) : map.set(key, [value]));
  rows.forEach(([word, , listed], number) => {
    const sound = soundOf(romanise(word));
    for (const one of listed.split(" ").filter(Boolean)) {
      const isBorrowed = one.startsWith(own("_BORROWED"));
      const spelling = isBorrowed ? one.slice(own("_BORROWED").length) : one;
      add(spellings, spelling, number);
      if (isBorrowed) borrowed.add(spelling);
    }
    add(byFrame, frameOf(sound), [number, sound]);
  });
  const followers = rows.map(([, , , behind]) => {
    const pairs = behind.split(" ").filter(Boolean).map((one) => one.split(":"));
    return new Map(pairs.map(([follower, bits]) => [parseInt(follower, 36), Number(bits)]));
  });
  const words = rows.map(([word]) => word);
  const numbers = new Map(words.map((word, number) => [word, number]));
  return { words, bits: rows.map(([, bits]) => Number(bits)), followers, spellings, byFrame, numbers, borrowed };
});

/** What a typed word may be: number → bits against it. */
function candidatesOf(typed) {
  const { words, spellings, byFrame } = hindiWords();
  const listed = spellings.get(typed) ?? [];
  const sound = soundOf(typed);
  const farthest = listed.length ? 0 : own(sound.length > own("_SHORT") ? "_FARTHEST" : "_FARTHEST_OF_SHORT");
  const near = (byFrame.get(frameOf(sound)) ?? []).map(([number, other]) => [number, distance(sound, other)]);
  const [perDistance, notListed] = [own("_BITS_PER_DISTANCE"), own("_NOT_LISTED")];
  const may = ([number, far]) => far <= farthest && (!listed.length || romanise(words[number]) === typed);
  const found = near.filter(may).map(([number, far]) => [number, perDistance * far + notListed]);
  return new Map([...found, ...listed.map((number) => [number, 0])]);
}

/** The most probable row of words; null where there is none to choose. */
function best(several) {
  const first = (ways) => ways.reduce((least, way) => (way[0] < least[0] ? way : least));
  let paths = new Map([[0, [0, []]]]);
  for (const found of several) {
    const further = new Map();
    for (const [word, against] of found.size ? found : NOTHING) {
      const ways = [...paths].map(([before, [bits, path]]) => [bits + against + bitsOf(before, word), path]);
      const [bits, path] = first(ways);
      further.set(word, [bits, [...path, word]]);
    }
    paths = further;
  }
  return first([...paths.values()])[1];
}

function bitsOf(before, word) {
  if (word === null) return 0;
  const { bits, followers } = hindiWords();
  if (before === null) return bits[word];
  const alone = bits[word] + own(before ? "_BACKED_OFF" : "_BACKED_OFF_FIRST");
  return Math.min(alone, followers[before].get(word) ?? alone);
}

/**
 * The text with its Hindi words in Devanagari.
 *
 * kept: a set of words in small letters that stay, if no spelling is listed. hidden: [start, end] of words that stay.
 */
export function inDevanagari(text, kept = new Set(), hidden = []) {
  const isHidden = ({ 0: word, index }) => hidden.some(([start, end]) => index < end && start < index + word.length);
  const found = matches(own("_LATIN_WORD"), text).filter((one) => !isHidden(one));
  const isSmall = (word) => word === word.toLowerCase();
  const hasCase = found.filter(([word]) => isSmall(word)).length >= own("_MOST_CAPITALS") * found.length;
  const { words, spellings } = hindiWords();
  const several = found.map(([word], number) => {
    const typed = word.toLowerCase();
    // A name, or an abbreviation.
    const isName = hasCase && word !== typed && (number > 0 || (typed.length > 1 && word === word.toUpperCase()));
    const stays = isName || (kept.has(typed) && !spellings.has(typed));
    return stays ? new Map() : candidatesOf(typed);
  });
  const chosen = best(several);
  let other = "";
  let at = 0;
  found.forEach(({ 0: word, index }, number) => {
    other += text.slice(at, index) + (chosen[number] === null ? word : words[chosen[number]]);
    at = index + word.length;
  });
  return other + text.slice(at);
}

/** Whether this is how people spell a Hindi word in Latin letters, and not English. */
export const isListed = (word) => hindiWords().spellings.has(word) && !hindiWords().borrowed.has(word);

/**
 * Whether a text in small Latin letters is Hindi by the sound of all its words, half of which are no English.
 *
 * english: a set of its frequent words. One word alone must be listed.
 */
export function soundsHindi(text, english) {
  const words = matches(own("_LATIN_WORD"), text).map(([word]) => word);
  const { spellings, borrowed } = hindiWords();
  if (!words.length || text !== text.toLowerCase() || (words.length === 1 && !isListed(words[0]))) return false;
  const isKnown = (word) => spellings.has(word) || (!english.has(word) && candidatesOf(word).size > 0);
  if (!words.every(isKnown)) return false;
  return 2 * words.filter((word) => !english.has(word) && !borrowed.has(word)).length >= words.length;
}

/** Whether a word in Latin letters sounds like a frequent one of Hindi. */
export const mayBeHindi = (word) => candidatesOf(word).size > 0;

/** Whether a word in Devanagari is one of the frequent words of Hindi. */
export const isFrequent = (word) => hindiWords().numbers.has(word);

const changed = (text, changes) =>
  changes.reduce((before, [pattern, other]) => before.replace(pattern, other.replaceAll("\\1", "$1")), text);
const soundOf = (typed) => changed(typed, own("_SOUNDS"));
const frameOf = (sound) => changed(sound, own("_FRAMES")).toLowerCase();

/** How far two sounds are apart: vowels come and go, consonants hardly. */
function distance(one, other) {
  let row = [0];
  for (const letter of other) row.push(row.at(-1) + weight(letter));
  for (const letter of one) {
    const before = row;
    row = [before[0] + weight(letter)];
    [...other].forEach((compared, at) => {
      const ways = [before[at] + change(letter, compared), before[at + 1] + weight(letter), row[at] + weight(compared)];
      row.push(Math.min(...ways));
    });
  }
  return row.at(-1);
}

const isVowel = (letter) => own("_VOWELS").includes(letter);
const weight = (letter) => (letter === "a" ? 0.35 : isVowel(letter) ? 0.6 : own("_WEAK").includes(letter) ? 0.5 : 1.3);

function change(one, other) {
  if (one === other) return 0;
  if (one.toLowerCase() === other.toLowerCase()) return 0.5;
  return isVowel(one) && isVowel(other) ? 0.7 : 1.5;
}
