// What the tests of spans, checks, registers, glossaries and labels call: functions of plain values.
import * as protectedSpansModule from "../../src/dhyan/browser/js/translation/protected-spans.js";
import { readFileSync } from "node:fs";
import { Tokenizer } from "../../src/dhyan/browser/js/text/tokenizer.js";
import { SourceLanguage } from "../../src/dhyan/browser/js/translation/source-language.js";
import { isInScript, isSourceLanguage } from "../../src/dhyan/browser/js/translation/target-language.js";
import { WritingSystem } from "../../src/dhyan/browser/js/translation/writing-system.js";
import { Scripts } from "../../src/dhyan/browser/js/translation/foreign-scripts.js";
import { Agreement, languageOf, languageTables } from "../../src/dhyan/browser/js/translation/checks/agreement.js";
import { speltOut as speltOutFor } from "../../src/dhyan/browser/js/translation/spelt-out.js";
import { spaced } from "../../src/dhyan/browser/js/translation/checks/spaced.js";
import { Glossary } from "../../src/dhyan/browser/js/translation/glossary.js";
import { inRegister, oneOf, registerOf } from "../../src/dhyan/browser/js/translation/register.js";
import { TranslatedSentence, Translation } from "../../src/dhyan/browser/js/translation/translated.js";
import { parseLabel, translateLabels } from "../../src/dhyan/browser/js/translation/ui-labels.js";
import { uiTable } from "../../src/dhyan/browser/js/translation/ui-table.js";

const { blankOut, keepsLiterals, protectedSpans, symbolSpans, watchedSpans } = protectedSpansModule;
const plain = (spans) => spans.map(({ start, end, kind, replacement }) => [start, end, kind, replacement]);
const made = new Map();
const kept = (key, make) => made.get(key) ?? made.set(key, make()).get(key);

/** All spans of a text. */
export const spans = (text) => ({
  protected: plain(protectedSpans(text)),
  watched: plain(watchedSpans(text)),
  symbols: plain(symbolSpans(text)),
  foreign: ["Latin", "Devanagari"].map((script) => plain(new Scripts([script]).foreignSpans(text))),
  blanked: blankOut(text, protectedSpans(text), "x"),
});

export const keeps = (source, output) => keepsLiterals(watchedSpans(source), source, output);

const agreement = (source, target) =>
  kept(source + target, () => new Agreement(source, target, source === "en" ? "Latin" : "Devanagari", source === "en"));

export function disagreements(sourceLanguage, targetLanguage, source, target) {
  const checks = agreement(sourceLanguage, targetLanguage);
  return [
    checks.disagreements(source, target).map(({ kind, note }) => [kind, note]),
    checks.sameAmounts(source, target),
    spaced(source),
  ];
}

export const amounts = (code, text) =>
  languageTables(code).numbers.amounts(spaced(text)).map((one) => [one.value, one.words, one.certain]);

/** manifest: of a pack. */
export const asRead = (manifest, text) => speltOutFor({ manifest }, text);

export const speltOut = (code, text) => languageTables(code).shortForms.speltOut(text);

export function found(terms, phrases, text) {
  const glossary = kept(JSON.stringify([terms, phrases]), () => new Glossary(new Map(terms), phrases));
  return [
    plain(glossary.spans(text)),
    glossary.find(text).map((one) => [one.start, one.end, one.term, one.translation, one.leftAlone]),
  ];
}

const failing = (call) => {
  try {
    return call();
  } catch (error) {
    return error.message;
  }
};

export const readGlossary = (path, text) =>
  failing(() => plain(Glossary.read(path, text).spans("bank Dhyan OK court")));
export const chosen = (...question) => failing(() => oneOf(...question));

export const registers = (source, text) => {
  const rules = registerOf("Devanagari");
  return [
    ...["informal", "formal"].map((formality) => rules.inFormality(source, text, formality)),
    ...["feminine", "masculine"].map((gender) => rules.inGender(text, gender)),
  ];
};

export function registered(sentences, script, formality, gender, tag) {
  const translated = sentences.map(([source, text]) => new TranslatedSentence(source, text));
  const said = sentences.map(([, text]) => text).join(" ");
  const result = inRegister(new Translation("", said, [], 1, translated), registerOf(script), formality, gender, tag);
  return [result.text, result.notes, result.sentences.map((one) => one.text)];
}

const byModel = (texts) => texts.map((text) => new Translation(text, `<${text}>।`));

export function labels(texts, contexts, scripts, terms) {
  const table = uiTable(...scripts);
  const glossary = terms ? new Glossary(new Map(terms)) : null;
  const said = translateLabels(texts, contexts, table, glossary, byModel);
  return said.map((one, number) => [one.text, one.notes, one.confidence, { ...parseLabel(texts[number], table) }]);
}

const tokenizerOf = (path) => kept(path, () => Tokenizer.fromJson(readFileSync(path, "utf8")));

/** What a pack's two vocabularies tell of its languages. */
export function languagesOf(source, target) {
  const both = [tokenizerOf(source), tokenizerOf(target)];
  const found = SourceLanguage.between(...both);
  return [
    ...both.map((one) => WritingSystem.of(one)).map((one) => [one.script, [...one.scripts].sort(), one.hasCase]),
    ...both.map(languageOf),
    found && [found.source, found.target],
  ];
}

export const isOfSource = (source, target, text) => isSourceLanguage(text, tokenizerOf(source), tokenizerOf(target));

export function read(text) {
  const sentence = { words: text, ordinary: text, hasWords: /\p{L}/u.test(text), language: "" };
  const pairs = [["en", "hi"], ["hi", "en"], ["pt", "en"]];
  return [
    ...["Latin", "Devanagari", "Han"].map((script) => isInScript(sentence, script)),
    ...pairs.flatMap((pair) => {
      const one = new SourceLanguage(...pair);
      const [, marked] = one.marked(text, ["- ", sentence]);
      return [marked.language, one.note(marked), plain(one.quotations(text))];
    }),
  ];
}
