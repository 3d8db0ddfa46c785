// Hindi in Latin letters: by ISO 15919, letter by letter, or plain, as it is spoken.
//
// ISO 15919 can be turned back: every letter has its own, and every vowel is written (`samajhanā`). Plain spelling is
// for reading aloud: the short a that is written but not spoken is left out (`samajhna`). Which a is silent follows from
// the sounds around it, from the end of a word to its beginning; the few words that do otherwise are listed.

import { didYouMean, DhyanError } from "../core/errors.js";
import { rule } from "../rules.js";

const own = (name) => rule("text.romanise", name);
const SCHEMES = ["plain", "iso"];
const NOTHING = Object.freeze({ consonant: "", vowel: "", marks: "" });
const AMONG_LABIALS = "पफबभम"; // before these a nasal is m
const WITH_DOT = "कखगजडढफय"; // of U+0958 to U+095F

/** Devanagari in Latin letters; whatever else stands in the text stays. scheme: "plain" or "iso" (ISO 15919). */
export function romanise(text, scheme = "plain") {
  if (typeof text !== "string") throw new DhyanError(`a text must be a str, not ${typeof text}.`);
  if (!SCHEMES.includes(scheme)) {
    throw new DhyanError(`scheme = '${scheme}': it is ${SCHEMES.join(" or ")}${didYouMean(scheme, SCHEMES)}.`);
  }
  const spell = scheme === "iso" ? iso : plain;
  return translated(text.replace(own("_WORD"), (word) => spell(unitsOf(word))), own("_OTHER"));
}

/** Python's translate: code point → text, or null for nothing. */
function translated(text, changes) {
  const change = (character) => {
    const other = changes.get(character.codePointAt(0));
    return other === undefined ? character : (other ?? "");
  };
  return Array.from(text, change).join("");
}

/** A word in units: a letter with its dot is one, the vowel of a bare consonant is the silent one. */
function unitsOf(word) {
  const [consonants, vowels, marks, signs] = ["_ISO_CONSONANTS", "_ISO_VOWELS", "_ISO_MARKS", "_SIGNS"].map(own);
  const [virama, nukta, silent] = ["_VIRAMA", "_NUKTA", "_SILENT"].map(own);
  const units = [];
  for (const character of withoutJoiners(word)) {
    const last = units.at(-1);
    if (character === nukta) {
      if (last && consonants.has(last.consonant + nukta)) last.consonant += nukta;
    } else if (consonants.has(character)) {
      units.push({ consonant: character, vowel: silent, marks: "" });
    } else if (vowels.has(character)) {
      units.push({ consonant: "", vowel: character, marks: "" });
    } else if (signs.has(character) || character === virama) {
      if (!last || last.vowel !== silent) units.push({ consonant: "", vowel: silent, marks: "" });
      units.at(-1).vowel = signs.get(character) ?? "";
    } else if (marks.has(character) && last && !"ऽॐ".includes(character)) {
      last.marks += character;
    } else {
      units.push({ consonant: "", vowel: "", marks: character });
    }
  }
  return units;
}

/** Letters with a dot as two characters, in which the table has them, and nothing that only shapes letters. */
const withoutJoiners = (word) =>
  word
    .replace(/[\u0958-\u095f]/g, (letter) => WITH_DOT[letter.charCodeAt(0) - 0x0958] + own("_NUKTA"))
    .replace(/[\u200c\u200d]/g, "")
    .replaceAll("\u0929", "न\u093c")
    .replaceAll("\u0931", "र\u093c");

function iso(units) {
  const [consonants, vowels, marksOf, silent] = ["_ISO_CONSONANTS", "_ISO_VOWELS", "_ISO_MARKS", "_SILENT"].map(own);
  let spelt = "";
  for (const [number, { consonant, vowel, marks }] of units.entries()) {
    const afterA = number > 0 && [silent, "अ"].includes(units[number - 1].vowel);
    if (!consonant && afterA && ["इ", "उ"].includes(vowel)) spelt += ":"; // a and i apart: not ai
    spelt += (consonants.get(consonant) ?? "") + (vowel === silent ? "a" : (vowels.get(vowel) ?? ""));
    for (const mark of marks) spelt += marksOf.get(mark) ?? mark;
  }
  return spelt;
}

function plain(units) {
  const word = units.map(({ consonant, vowel, marks }) => consonant + signOf(vowel, consonant !== "") + marks).join("");
  const exception = own("_EXCEPTIONS").get(word);
  if (exception !== undefined) return exception;
  leaveOutSilent(units);
  let spelt = "";
  for (const [number, { consonant, vowel, marks }] of units.entries()) {
    const isLast = number === units.length - 1;
    const before = units[number - 1] ?? NOTHING;
    const after = units[number + 1] ?? NOTHING;
    spelt += glide(before, consonant, vowel, number) + spelling(consonant, before, after);
    const beforeY = number === units.length - 2 && after.consonant === "य";
    if (vowel === "ई" && ((!after.consonant && after.vowel) || beforeY)) {
      spelt += "i"; // bhaartiya, jeepies
    } else if (own("_AT_THE_END").has(vowel) && isLast && !marks && (number || consonant)) {
      spelt += own("_AT_THE_END").get(vowel);
    } else if (vowel === "ऊ" && !consonant && number) {
      spelt += "u"; // jaaunga
    } else {
      spelt += own("_PLAIN_VOWELS").get(vowel) ?? "";
    }
    spelt += nasal(marks, after.consonant);
  }
  return spelt;
}

function signOf(vowel, afterConsonant) {
  if (vowel === own("_SILENT")) return "";
  if (!afterConsonant) return vowel;
  if (vowel === "") return own("_VIRAMA");
  return [...own("_SIGNS")].find(([, letter]) => letter === vowel)?.[0] ?? "";
}

/** Decide every short a: "अ" where it is spoken, "" where it is not. */
function leaveOutSilent(units) {
  const making = own("_MAKING");
  const last = units.length - 1;
  for (let number = last; number >= 0; number -= 1) {
    const { consonant, vowel, marks } = units[number];
    if (vowel !== own("_SILENT")) continue;
    const before = units[number - 1] ?? NOTHING;
    const inCluster = before.consonant !== "" && before.vowel === "";
    let spoken;
    if (marks || number === 0) {
      spoken = true;
    } else if (number === last) {
      const afterI = consonant === "य" && ["इ", "ई"].includes(before.vowel);
      spoken = afterI || (inCluster && own("_KEEPS_A").includes(consonant[0]));
    } else {
      const after = units[number + 1];
      const afterI = consonant === "य" && before.vowel === "इ"; // niyamit
      const consonants = units.slice(number).map((unit) => unit.consonant);
      const isMaking = consonants.length === making.length && consonants.join("") === making;
      spoken = inCluster || afterI || before.vowel === "" || after.vowel === "" || !after.consonant || isMaking;
    }
    units[number].vowel = spoken ? "अ" : "";
  }
}

/** The y that is heard between two vowels: liye, gaye, nayi. */
function glide(before, consonant, vowel, number) {
  if (consonant || !before.vowel || before.marks) return "";
  if (vowel === "ए" && ["अ", "आ", "इ"].includes(before.vowel)) return "y";
  return vowel === "ई" && before.vowel === "अ" && number === 1 ? "y" : "";
}

function spelling(consonant, before, after) {
  if (consonant === "ज" && after.consonant === "ञ") return "g";
  if (consonant === "ञ" && before.consonant === "ज") return "y"; // gyaan
  if (consonant === "च") return "ch";
  if (consonant === "छ") return "chh";
  return translated(own("_ISO_CONSONANTS").get(consonant) ?? "", own("_PLAIN"));
}

function nasal(marks, following) {
  let spelt = "";
  for (const mark of marks) {
    if ("ंँ".includes(mark)) spelt += following && AMONG_LABIALS.includes(following[0]) ? "m" : "n";
    else if (mark === "ः") spelt += "h";
    else if (!own("_ISO_MARKS").has(mark)) spelt += mark;
  }
  return spelt;
}
