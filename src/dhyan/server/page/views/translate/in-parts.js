// A text of any length through the server: one part after the other, the layout between them as it was.

import { cut } from "./cut.js";
import { pieces } from "./result.js";

const PART = 4000; // characters of a request: a long text comes in parts, and one sees it grow

/**
 * What the server said of a text: `pieces` are strings and numbers of sentences.
 * ask: translates one part. grown: called after each of several parts, with what there is, how many parts, of how many.
 */
export async function translatedInParts(text, most, ask, grown) {
  const parts = cut(text, most, PART);
  const found = { text: "", pieces: [], sentences: [], sourceRoman: "", seconds: 0, detected: null };
  for (const [number, part] of parts.entries()) {
    const [, before, words, after] = /^(\s*)(.*?)(\s*)$/su.exec(part);
    if (!words) {
      found.pieces.push(part);
      continue;
    }
    const one = await ask(words);
    const first = found.sentences.length;
    const own = pieces(one.text, one.sentences).map((piece) => (typeof piece === "number" ? piece + first : piece));
    found.pieces.push(before, ...own, after);
    found.sentences.push(...one.sentences);
    found.detected ??= one.detected;
    found.sourceRoman += before + (one.source_roman ?? "") + after;
    found.seconds += one.seconds;
    if (parts.length > 1) grown(found, number + 1, parts.length);
  }
  found.text = joined(found.pieces, found.sentences, "text");
  return found;
}

/** The whole, of the sentences' `text` or `roman`. */
export const joined = (parts, sentences, what) =>
  parts
    .map((piece) => (typeof piece === "string" ? piece : (sentences[piece][what] ?? sentences[piece].text)))
    .join("");
