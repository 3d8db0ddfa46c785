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

export const t = (english) => (chosenLanguage() === "hi" ? (HINDI[english] ?? english) : english);
