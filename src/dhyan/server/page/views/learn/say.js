// The lesson in both languages, side by side where it is written: whoever changes a sentence sees its twin.

import { h } from "../../parts/dom.js";
import { chosenLanguage } from "../../parts/i18n.js";

export const say = (english, hindi) => (chosenLanguage() === "hi" ? hindi : english);
export const said = ({ en, hi }) => say(en, hi);

// *emphasis*, `code`, names with an index such as d_k and W_Q; and in Hindi the English words, for the voice that reads them
const MARKS = String.raw`\*([^*]+)\*|\`([^\`]+)\`|\b([A-Za-z])_([A-Za-z0-9]+)\b`;
const ENGLISH = String.raw`((?![A-Za-z]_)[A-Za-z][A-Za-z’'-]+(?: (?![A-Za-z]_)[A-Za-z’'-]+)*)`;
const MARKED = { en: new RegExp(MARKS, "g"), hi: new RegExp(`${MARKS}|${ENGLISH}`, "g") };

/** A sentence with its marks, as nodes. */
export function prose(text) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(MARKED[chosenLanguage()])) {
    const [all, stressed, code, name, index, english] = found;
    nodes.push(text.slice(from, found.index));
    if (stressed) nodes.push(h("em", null, prose(stressed)));
    else if (code) nodes.push(h("code", { lang: "en" }, code));
    else if (name) nodes.push(h("span", { class: "symbol" }, h("i", null, name), h("sub", null, index)));
    else nodes.push(h("span", { lang: "en" }, english));
    from = found.index + all.length;
  }
  return [...nodes, text.slice(from)].filter((one) => one !== "");
}

/** Paragraphs: an empty line parts them. */
export const paragraphs = (both) =>
  said(both)
    .trim()
    .split(/\n\s*\n/)
    .map((one) => h("p", null, prose(one.replace(/\s+/g, " ").trim())));
