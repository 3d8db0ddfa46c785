// Languages of packs and of texts: their names, and which pack translates back.

import { chosenLanguage } from "../../parts/i18n.js";

/** What a language is called in the language of the page. */
export function languageName(code) {
  try {
    return new Intl.DisplayNames([chosenLanguage()], { type: "language" }).of(code);
  } catch {
    return code;
  }
}

/** Hindi in Latin letters is read by whoever reads Hindi; en-GB by whoever reads English. */
const family = (code) => code.split("-")[0];

const translates = (model, source, target) =>
  model.task === "translate" && model.languages?.[0] === source && (!target || model.languages[1] === target);

/** The pack for the other direction, if one is served. */
export function reverse(model, models) {
  if (!model.languages) return null;
  const [source, target] = model.languages;
  return models.find((one) => translates(one, target, source)) ?? null;
}

/** A pack for a text that looks like another language than this pack reads; none where nothing is to be offered. */
export function better(model, models, detected) {
  if (!model.languages || detected.language === "und") return null;
  const language = family(detected.language);
  if (language === model.languages[0]) return null;
  return models.find((one) => translates(one, language, model.languages[0])) ?? null;
}

/** A code that speech and the browser's fonts understand; of a text where the pack does not say. */
export const spoken = (code, text) => code ?? (/[\u0900-\u097f]/.test(text) ? "hi" : "en");
