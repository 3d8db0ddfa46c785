// The page in English and in Hindi. The English sentence is the key: whoever writes a view writes it in full.

import { keep, recall } from "./storage.js";

let language = recall("language");
let hindi = {}; // fetched when it is wanted

export function chosenLanguage() {
  return language ?? (navigator.language.startsWith("hi") ? "hi" : "en");
}

export async function setLanguage(chosen) {
  language = chosen;
  keep("language", chosen);
  await loadLanguage();
}

/** Before anything is said. */
export async function loadLanguage() {
  if (chosenLanguage() === "hi") hindi = (await import("./i18n-hi.js")).HINDI;
}

/** Marks a sentence that is passed to `t` later, so that the tests find it. */
export const key = (english) => english;

export const t = (english) => (chosenLanguage() === "hi" ? (hindi[english] ?? english) : english);

/** "{name} is not here" and { name: "writer" } → "writer is not here". */
export const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (match, name) => values[name] ?? match);
