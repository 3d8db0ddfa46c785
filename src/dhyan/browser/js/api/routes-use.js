// Packs in use: translate, align, embed, similar, classify, write.

import { alignTexts, alignedInfo } from "../explain/analyses/head-alignment.js";
import { useFastProducts } from "../explain/fast-products.js";
import { detectLanguage } from "../text/language-id.js";
import { romanise } from "../text/romanise.js";
import { json } from "./answers.js";
import { checkText, checkTexts, checkWhole, HttpError } from "./http-errors.js";
import { MAX_ALTERNATIVES, MAX_CHARACTERS, MAX_NEW_TOKENS, MAX_SENTENCE_CHARACTERS } from "./settings.js";

const DEVANAGARI = /[\u0904-\u0939\u0958-\u0961]/u;
const TOO_MANY = `at most ${MAX_ALTERNATIVES} alternatives are given; ask for fewer.`;

export const routes = {
  "POST translate": async (models, { body: asked }) => {
    const started = performance.now();
    if ((asked.text == null) === (asked.texts == null)) throw new HttpError(422, "give `text`, or `texts`.");
    const isOne = asked.text != null;
    const texts = isOne ? [asked.text] : asked.texts;
    if (isOne) checkText(asked.text, MAX_CHARACTERS);
    else checkTexts(texts);
    const alternatives = asked.alternatives ?? 0;
    if (alternatives > MAX_ALTERNATIVES) throw new HttpError(400, TOO_MANY);
    const model = await models.getFor("translate", asked.model);
    const found = inRegister(model, asked).translate(texts, alternatives, { style: asked.style ?? null });
    const timed = { model: model.name, seconds: (performance.now() - started) / 1000 };
    if (!isOne) return json({ translations: found.map((one) => translatedInfo(one, false)), ...timed });
    const roman = (text) => (asked.roman ? inLatinLetters(text) : null);
    const { language, name, confidence } = detectLanguage(asked.text);
    return json({
      ...translatedInfo(found[0], asked.roman),
      ...timed,
      detected: { language, name, confidence },
      roman: roman(found[0].text),
      source_roman: roman(asked.text),
    });
  },

  "POST continuations": async (models, { body: asked }) => {
    const { text, prefix = "", count = 5, style = null } = asked;
    checkText(text, MAX_SENTENCE_CHARACTERS, "the sentence");
    if ([...prefix].length > 2 * MAX_SENTENCE_CHARACTERS)
      throw new HttpError(413, "the prefix is longer than a translation of this sentence can be; give less of it.");
    checkWhole(prefix, "the prefix");
    if (count > MAX_ALTERNATIVES) throw new HttpError(400, TOO_MANY);
    const model = await models.getFor("translate", asked.model);
    const found = inRegister(model, asked).continuations(text, prefix, count, style);
    return json(
      Array.from(found, ({ word, text: whole, score, notes, confidence }) => ({
        word,
        text: whole,
        score,
        notes,
        confidence,
        roman: inLatinLetters(whole),
      })),
    );
  },

  "POST align": async (models, { body: asked }) => {
    checkText(asked.source, MAX_SENTENCE_CHARACTERS, "the source");
    checkText(asked.target, MAX_SENTENCE_CHARACTERS, "the target");
    const { pack } = await models.getFor("translate", asked.model);
    await useFastProducts().catch(() => null); // without kernels it is slower
    return json(alignedInfo(alignTexts(pack, asked.source, asked.target)));
  },

  "POST embed": async (models, { body: asked }) => {
    checkTexts(asked.texts);
    return json({ vectors: rows((await models.embedder(asked.model)).embed(asked.texts)) });
  },

  "POST similar": async (models, { body: asked }) => {
    if (!asked.among?.length)
      throw new HttpError(400, "there is nothing to compare with: give texts in `among`.");
    const texts = [asked.text, ...asked.among];
    checkTexts(texts);
    const [first, ...others] = rows((await models.embedder(asked.model)).embed(texts));
    const cosines = others.map((row) => row.reduce((sum, value, at) => sum + value * first[at], 0));
    const found = asked.among.map((text, at) => ({ text, cosine: cosines[at] }));
    return json(found.toSorted((one, other) => other.cosine - one.cosine));
  },

  "POST classify": async (models, { body: asked }) => {
    checkTexts(asked.texts);
    const model = await models.getFor("classify", asked.model);
    return json(model.classify(asked.texts).map(ANSWERS[model.labelKind]));
  },

  "POST write": async (models, { body: asked }) => {
    checkText(asked.prompt, MAX_CHARACTERS, "the prompt");
    const { max_length: maxLength = 60, temperature, top_k: topK, top_p: topP, seed = 0, sample = true } = asked;
    if (maxLength > MAX_NEW_TOKENS) throw new HttpError(422, `max_length: at most ${MAX_NEW_TOKENS} are written.`);
    const model = await models.getFor("write", asked.model);
    return json({ text: model.write(asked.prompt, { maxLength, temperature, topK, topP, seed, sample }) });
  },

  "POST documents": () => {
    throw new HttpError(
      501,
      "documents are translated by Dhyan itself, not in a browser's tab: `pip install dhyan`, then `dhyan serve`.",
    );
  },
};

/** What is answered for a text, by what the classifier says. */
const ANSWERS = {
  one: ({ label, probabilities }) => ({ label, probabilities }),
  several: ({ labels, probabilities }) => ({ labels, probabilities }),
  number: ({ value }) => ({ value }),
};

const inRegister = (translator, { formality = null, gender = null }) =>
  formality === null && gender === null ? translator : translator.withRegister(formality ?? "auto", gender);

/** As it is spoken; null for a text without Devanagari. */
export const inLatinLetters = (text) => (DEVANAGARI.test(text) ? romanise(text) : null);

const translatedInfo = (one, isRoman) => ({
  text: one.text,
  notes: [...one.notes],
  confidence: one.confidence,
  sentences: one.sentences.map(({ source, text, notes, confidence }) => ({
    source,
    text,
    notes: [...notes],
    confidence,
    roman: isRoman ? inLatinLetters(text) : null,
  })),
  alternatives: one.alternatives.map(({ text, score }) => ({ text, score })),
});

/** (texts, d_model) → an array of numbers for each text. */
const rows = ({ shape, data }) =>
  Array.from({ length: shape[0] }, (_, row) => Array.from(data.subarray(row * shape[1], (row + 1) * shape[1])));
