// The translators of translators.py once more, for the browser's pipeline; and pipelines made of them.
import { lstrip, split } from "../../src/dhyan/browser/js/core/python-text.js";
import { Agreement } from "../../src/dhyan/browser/js/translation/checks/agreement.js";
import { Confidence } from "../../src/dhyan/browser/js/translation/confidence.js";
import { Glossary } from "../../src/dhyan/browser/js/translation/glossary.js";
import { TextPipeline } from "../../src/dhyan/browser/js/translation/pipeline.js";
import { placeholderWords } from "../../src/dhyan/browser/js/translation/placeholders.js";
import { SourceLanguage } from "../../src/dhyan/browser/js/translation/source-language.js";
import { Alternative } from "../../src/dhyan/browser/js/translation/translated.js";

/** Word for word, a full stop into a danda; it only knows ordinary case. */
function dictionary(words, text) {
  const translated = text.replace(/[A-Za-z]+/g, (word) => {
    const isOrdinary = word.length === 1 || /^[a-z]+$/.test(word.slice(1));
    return words[word] || (isOrdinary && words[word.toLowerCase()]) || word;
  });
  return translated.endsWith(".") ? `${translated.slice(0, -1)}।` : translated;
}

const times = (text, count) => Array(count).fill(text);
const CHANGES = {
  "translates words": (text) => text,
  "drops numbers": (text) => text.replace(/\p{Nd}+/gu, ""),
  "drops numbers and capitals": (text) => text.replace(/\p{Nd}+|[A-Z]{2,}/gu, ""),
  "doubles numbers": (text) => text.replace(/\p{Nd}+/gu, "$& $&"),
  "doubles numbers and capitals": (text) => text.replace(/\p{Nd}+|[A-Z]{2,}/gu, "$& $&"),
  "garbles digits": (text) => text.replace(/\p{Nd}/gu, "7"),
  "writes Devanagari digits": (text) => text.replace(/[0-9]/g, (digit) => "०१२३४५६७८९"[digit]),
  "lowers capitals": (text) => text.toLowerCase(),
  "reverses the words": (text) => split(text).reverse().join(" "),
  "glues the words": (text) => text.replaceAll(" ", ""),
  "drops what is not a letter": (text) =>
    [...text].filter((one) => /\p{L}/u.test(one) || " ािीुूेैोौ्ँंः़".includes(one)).join(""),
  loops: (text) => times(text, 30).join(" "),
};

function translatorOf(name, words) {
  if (name === "copies") return (texts) => [...texts];
  if (name === "says ok") return (texts) => texts.map(() => "ok ".repeat(40));
  if (name === "says nothing") return (texts) => texts.map(() => "");
  if (name === "says blanks") return (texts) => texts.map(() => " \n ");
  if (name === "says the same") return (texts) => texts.map(() => "बस।");
  if (name === "says several") return (texts, strict) => texts.map((text) => several(words, text, strict));
  return (texts) => texts.map((text) => CHANGES[name](dictionary(words, text)));
}

/** Three ways to say it, the first without its numbers, the second in another order. */
function several(words, text, strict) {
  const said = dictionary(words, text);
  const found = [CHANGES["drops numbers"](said), CHANGES["reverses the words"](said), said];
  const scores = strict ? [-0.5, -0.75, -1.5] : [-0.125, -0.25, -0.375];
  return found.map((one, rank) => new Alternative(one, scores[rank]));
}

/** Word by word in reverse order, with less weight the further away. */
export function align(source, target) {
  const [given, written] = [split(source), split(target)];
  const weights = written.map((_, row) => given.map((_, column) => 2 ** -Math.abs(given.length - 1 - column - row)));
  return { source: given, target: written, weights };
}

function pipelineOf({ translator, words, kind, terms, trained, fit }) {
  const options = { glossary: terms ? new Glossary(new Map(Object.entries(terms))) : null };
  if (kind === "simple") options.targetScript = "Devanagari";
  if (kind === "cased") options.targetHasCase = true;
  if (kind === "en-hi") {
    options.targetScript = "Devanagari";
    options.isSourceLanguage = (text) => text.includes("hello");
    options.sourceScripts = new Set(["Latin"]);
    options.sourceLanguage = new SourceLanguage("en", "hi");
    options.agreement = new Agreement("en", "hi", "Latin", true);
  }
  if (kind === "hi-en") {
    options.targetScript = "Latin";
    options.isSourceLanguage = (text) => lstrip(text).length % 2 === 0;
    options.sourceScripts = new Set(["Devanagari"]);
    options.sourceLanguage = new SourceLanguage("hi", "en");
    options.sourceHasCase = false;
    options.targetHasCase = true;
    options.agreement = new Agreement("hi", "en", "Devanagari", false);
  }
  if (kind.includes("-")) Object.assign(options, { confidence: new Confidence(fit), align });
  if (trained) options.placeholders = placeholderWords([...trained]);
  return new TextPipeline(translatorOf(translator, words), options);
}

/** Every text through one pipeline: {text, notes, confidence, sentences}; how and what: see test_pipeline.py. */
export const translate = (how, texts, style, contexts) => pipelineOf(how).translate(texts, { style, contexts });
