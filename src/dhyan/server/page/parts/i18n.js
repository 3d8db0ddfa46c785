// The page in English and in Hindi. The English sentence is the key: whoever writes a view writes it in full.

import { HINDI } from "./i18n-hi.js";
import { keep, recall } from "./storage.js";

let language = recall("language");

export function chosenLanguage() {
  return language ?? (navigator.language.startsWith("hi") ? "hi" : "en");
}

export function setLanguage(chosen) {
  language = chosen;
  keep("language", chosen);
}

/** Marks a sentence that is passed to `t` later, so that the tests find it. */
export const key = (english) => english;

export const t = (english) => (chosenLanguage() === "hi" ? (HINDI[english] ?? english) : english);
