// A tokenizer's file, read with distrust: it is one of the few forms that Dhyan writes, around a vocabulary.

import { rule } from "../rules.js";

const LEARNED = ["vocab", "merges"];

/** The parts of the file; an Error, with the reason as its message, if it is not a tokenizer that Dhyan wrote. */
export function parseTokenizer(text) {
  const document = JSON.parse(text);
  if (!isObject(document)) throw new Error("it is no object");
  if (!isObject(document.model)) throw new Error("it has no model");
  const forms = rule("text/tokenizer_forms");
  if (!forms.some((known) => same(known, formOf(document)))) {
    throw new Error(`${foreign(document, forms)} is not as Dhyan writes it`);
  }
  checkVocabulary(document.model.vocab);
  return document;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** All but what was learned. What is off may be left out: each version of the library writes its own set. */
function formOf(document) {
  const model = Object.fromEntries(Object.entries(document.model).filter(([key]) => !LEARNED.includes(key)));
  return setValues({ ...document, model: setValues(model) });
}

const isSet = (value) => (value && typeof value === "object" ? Object.keys(value).length > 0 : Boolean(value));
const setValues = (part) => Object.fromEntries(Object.entries(part).filter(([, value]) => isSet(value)));

function same(one, other) {
  if (one === null || other === null || typeof one !== "object" || typeof other !== "object") return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]));
}

/** The first part that no file of ours has, to say where to look. */
function foreign(document, forms) {
  const unknown = Object.entries(formOf(document)).find(([key, value]) => !forms.some((known) => same(known[key] ?? null, value)));
  return unknown ? `its ${unknown[0]}` : "one of its parts";
}

/** BPE: piece → id. Unigram: [piece, score] in the order of the ids. */
function checkVocabulary(vocabulary) {
  let pieces;
  if (Array.isArray(vocabulary)) {
    if (!vocabulary.every((entry) => Array.isArray(entry) && entry.length === 2)) {
      throw new Error("its vocabulary is not pieces with their scores");
    }
    pieces = vocabulary.map(([piece]) => piece);
    if (!vocabulary.every(([, score]) => typeof score === "number" && Math.abs(score) < 1e6)) {
      throw new Error("a score in its vocabulary is not a log-probability");
    }
  } else if (isObject(vocabulary)) {
    pieces = Object.keys(vocabulary);
    const numbers = new Set(Object.values(vocabulary));
    const numbered = pieces.every((piece) => Number.isInteger(vocabulary[piece]));
    const inRange = [...numbers].every((number) => number >= 0 && number < pieces.length);
    if (!numbered || !inRange || numbers.size < pieces.length) {
      throw new Error("its ids do not go from 0 on, one for each piece");
    }
  } else {
    throw new Error("it has no vocabulary");
  }
  if (!pieces.every((piece) => typeof piece === "string" && piece) || new Set(pieces).size < pieces.length) {
    throw new Error("its vocabulary has an empty piece, or one twice");
  }
}
