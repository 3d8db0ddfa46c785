// What an encoder–decoder is used for: the translation of texts.

import { DhyanError } from "../core/errors.js";
import { sortedBy } from "../core/comparing.js";
import { rstrip } from "../core/python-text.js";
import { LoadedModel, checkTexts } from "../engines/loaded-model.js";
import { alignTexts } from "../explain/analyses/head-alignment.js";
import { Agreement } from "./checks/agreement.js";
import { Confidence } from "./confidence.js";
import { Continuation, ForcedSentence, MORE, isWhole, nextWord } from "./continuations.js";
import { Glossary } from "./glossary.js";
import { packLanguages } from "./pack-languages.js";
import { TextPipeline } from "./pipeline.js";
import { placeholderWords } from "./placeholders.js";
import { FORMALITIES, GENDERS, inRegister, oneOf, registerOf } from "./register.js";
import { RankedSentences, SentenceTranslator } from "./sentence-translator.js";
import { SourceLanguage } from "./source-language.js";
import { isSourceLanguage } from "./target-language.js";
import { Alternative, Translation } from "./translated.js";
import { translateLabels } from "./ui-labels.js";
import { uiTable } from "./ui-table.js";
import { WritingSystem } from "./writing-system.js";

export const MOST_ALTERNATIVES = 32;
export const STYLES = Object.freeze(["ui"]); // kinds of texts that are translated in their own way

/** Texts of any length and layout → their translation; see docs/guides/translating.md. */
export class Translator extends LoadedModel {
  static task = "translate";
  static shipped = "en-hi";

  constructor(pack, engine, glossary = null) {
    super(pack, engine);
    this.sentenceTranslator = new SentenceTranslator(pack, engine);
    const { source: here, target: there } = this.sentenceTranslator;
    const [source, target] = [here, there].map((tokenizer) => WritingSystem.of(tokenizer));
    this._scripts = [source.script, target.script];
    const differ = target.script !== source.script;
    this._pipeline = new TextPipeline(this.sentenceTranslator.hypotheses, {
      sourceScripts: source.scripts,
      targetScript: differ ? target.script : null,
      isSourceLanguage: differ ? (text) => isSourceLanguage(text, here, there) : null,
      sourceLanguage: SourceLanguage.between(here, there),
      sourceHasCase: source.hasCase,
      targetHasCase: target.hasCase,
      agreement: Agreement.between(here, there, differ ? source.script : null, source.hasCase),
      confidence: new Confidence(pack.manifest.confidence),
      placeholders: placeholderWords(pack.manifest.placeholders),
      align: (one, other) => alignTexts(pack, one, other),
    });
    this._formality = "auto";
    this._gender = null;
    if (glossary !== null) this.glossary = glossary;
  }

  /** The codes of the source and the target language: as the pack says, or by its name or scripts; else null. */
  get languages() {
    return packLanguages(this.pack);
  }

  /** How sentences are searched for: the pack's own settings, or what was set here. */
  get decoding() {
    return this.sentenceTranslator.settings;
  }

  set decoding(settings) {
    this.sentenceTranslator.settings = settings;
  }

  /** Terms that are always translated as the glossary says, or kept. */
  get glossary() {
    return this._pipeline.glossary;
  }

  set glossary(glossary) {
    if (glossary !== null && !(glossary instanceof Glossary)) throw new DhyanError("a glossary is a Glossary.");
    this._pipeline = this._pipeline.with({ glossary });
  }

  /** How the reader is addressed: "formal" (आप), "informal" (तुम), or "auto", as the model likes. */
  get formality() {
    return this._formality;
  }

  set formality(formality) {
    this._formality = oneOf("formality", formality, FORMALITIES);
  }

  /** Of the speaker: "feminine" or "masculine" (मैं आई, मैं आया); null: as the model likes. */
  get gender() {
    return this._gender;
  }

  set gender(gender) {
    this._gender = gender === null ? null : oneOf("gender", gender, GENDERS);
  }

  /** The same translator in another register; it shares the engine, so this costs nothing. */
  withRegister(formality = "auto", gender = null) {
    return Object.assign(Object.create(this), { formality, gender });
  }

  /** One text or many; the same text gives the same result whatever stands beside it. */
  call(texts) {
    if (typeof texts === "string") return this.translate([texts])[0].text;
    return this.translate(texts).map((found) => found.text);
  }

  /**
   * The same with notes, a confidence for each sentence, and so many alternatives, best first.
   *
   * style: "ui" for the labels and messages of programs. contexts: one per text, where it is used, or null.
   */
  translate(texts, alternatives = 0, { style = null, contexts = null } = {}) {
    if (typeof texts === "string") return this.translate([texts], alternatives, { style, contexts })[0];
    const asked = checkTexts(texts);
    if (contexts !== null && (typeof contexts === "string" || contexts.length !== asked.length)) {
      throw new DhyanError(`contexts: give one per text, ${asked.length} in all; None where there is none.`);
    }
    const found = this._styled(asked, style, contexts ?? asked.map(() => null));
    if (!alternatives) return found;
    return found.map(
      ({ source, text, notes, confidence, sentences }) =>
        new Translation(source, text, notes, confidence, sentences, this.alternatives(source, alternatives, style)),
    );
  }

  /** In the style and the register that are asked for: by a tag of the pack, by the table, or by rule. */
  _styled(texts, style, contexts) {
    if (style !== null) oneOf("style", style, STYLES);
    const [tagged, sentences] = this._withTag(style);
    const pipeline =
      tagged === null ? this._pipeline : this._pipeline.with({ translateSentences: sentences.hypotheses });
    const translate = (some, theirContexts) => pipeline.translate(some, { style, contexts: theirContexts });
    const found =
      style === "ui"
        ? translateLabels(texts, contexts, uiTable(...this._scripts), this.glossary, translate)
        : translate(texts, contexts);
    return this._inRegister(found, tagged);
  }

  /** What of the style, formality and gender the pack has a tag for, and a translator that asks for it. */
  _withTag(style) {
    const tags = new Map(Object.entries(this.pack.manifest.style_tags));
    // A pack has seen one tag at a time.
    const tagged = [style, this.formality, this.gender].find((one) => tags.has(one)) ?? null;
    if (tagged === null) return [null, this.sentenceTranslator];
    return [tagged, this.sentenceTranslator.withStyleTag(tags.get(tagged))];
  }

  _inRegister(found, tagged) {
    if (this.formality === "auto" && this.gender === null) return found;
    const rules = registerOf(this._scripts[1]);
    return found.map((one) => inRegister(one, rules, this.formality, this.gender, tagged));
  }

  /** Other ways to say it: the second best of each sentence, the third, …, through the same pipeline. */
  alternatives(text, count, style = null) {
    if (!Number.isInteger(count) || count < 0 || count > MOST_ALTERNATIVES) {
      throw new DhyanError(`alternatives = ${count}: give a number from 0 to ${MOST_ALTERNATIVES}.`);
    }
    const [tagged, sentences] = this._withTag(style);
    const ranked = new RankedSentences(sentences, count + 1);
    const pipeline = this._pipeline.with({ translateSentences: ranked.translate });
    const found = new Map();
    for (let rank = 0; rank <= count; rank += 1) {
      ranked.choose(rank);
      const said = this._inRegister(pipeline.translate([text], { style }), tagged)[0].text;
      if (!found.has(said)) found.set(said, new Alternative(said, ranked.meanScore()));
    }
    return [...found.values()].slice(1); // the first is the translation itself
  }

  /**
   * Translations of one sentence that begin with these words, each going on with another word.
   *
   * The best comes first. They go through the same pipeline; what it changes is left out.
   */
  continuations(sentence, prefix = "", count = 5, style = null) {
    if (!Number.isInteger(count) || count < 1 || count > MOST_ALTERNATIVES) {
      throw new DhyanError(`count = ${count}: give a number from 1 to ${MOST_ALTERNATIVES}.`);
    }
    const begun = rstrip(prefix);
    const [tagged, sentences] = this._withTag(style);
    const forced = new ForcedSentence(sentences, begun, count);
    const pipeline = this._pipeline.with({ translateSentences: forced.translate });
    const found = new Map();
    for (let rank = 0; rank < count + MORE; rank += 1) {
      forced.choose(rank);
      const said = this._inRegister(pipeline.translate([sentence], { style }), tagged)[0];
      if (forced.score === null || found.size === count) break;
      const word = nextWord(said.text, begun);
      if (word && isWhole(said.notes) && !found.has(said.text)) {
        found.set(said.text, new Continuation(word, said.text, forced.score, said.notes, said.confidence));
      }
    }
    return sortedBy(found.values(), (one) => -one.score);
  }

  /** Which word of a sentence's translation comes from which of its words. */
  align(source, target) {
    return alignTexts(this.pack, source, target);
  }
}
