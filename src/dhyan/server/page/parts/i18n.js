// The page in English and in Hindi. The English sentence is the key: whoever writes a view writes it in full.

import { keep, recall } from "./storage.js";

let language = recall("language");
let hindi = {}; // fetched when it is wanted
let fromServer = []; // what the server says: [how to find it, the Hindi]
let words = {}; // … and what may stand in its braces

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
  if (chosenLanguage() !== "hi" || fromServer.length) return;
  const { HINDI, SAID_IN_HINDI } = await import("./i18n-hi.js");
  hindi = HINDI;
  fromServer = Object.entries(SAID_IN_HINDI).map(([english, said]) => [pattern(english), said]);
  words = SAID_IN_HINDI;
}

/** "there is no step {step}" → a pattern that finds it, whatever the step. */
const pattern = (english) =>
  new RegExp(`^${english.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`, "su");

const NEAREST = / \(did you mean '(.+?)'\?\)/u;

/** A sentence of the server, whose names and numbers are its own; one that is not known stays as it is. */
export function said(english) {
  if (chosenLanguage() !== "hi") return english;
  const [hint, nearest] = NEAREST.exec(english) ?? [];
  const plain = hint ? english.replace(hint, "") : english;
  for (const [found, translated] of fromServer) {
    const match = found.exec(plain);
    if (!match) continue;
    const inside = Object.entries(match.groups ?? {}).map(([name, value]) => [name, words[value] ?? value]);
    return filled(translated, Object.fromEntries(inside)) + (hint ? ` ${filled(t("(did you mean '{word}'?)"), { word: nearest })}` : "");
  }
  return english;
}

/** Marks a sentence that is passed to `t` later, so that the tests find it. */
export const key = (english) => english;

export const t = (english) => (chosenLanguage() === "hi" ? (hindi[english] ?? english) : english);

/** "{name} is not here" and { name: "writer" } → "writer is not here". */
export const filled = (sentence, values) => sentence.replace(/\{(\w+)\}/g, (match, name) => values[name] ?? match);
