// What the browser's tokenizer makes of texts, for the tests to compare with Python's.
import { IncrementalDecoder } from "../../src/dhyan/browser/js/text/incremental-decoder.js";
import { Tokenizer } from "../../src/dhyan/browser/js/text/tokenizer.js";

/** Of each text its ids, their text again, its normalised form and the spans of the pieces. */
export function looked(file, texts) {
  const tokenizer = Tokenizer.fromJson(file);
  return texts.map((text) => {
    const ids = tokenizer.encode(text);
    return [ids, tokenizer.decode(ids), tokenizer.normalised(text), tokenizer.spans(text)];
  });
}

export const decoded = (file, batch) => Tokenizer.fromJson(file).decodeBatch(batch);

/** All that is given out while ids come one by one. */
export function streamed(file, batch) {
  const tokenizer = Tokenizer.fromJson(file);
  return batch.map(([before, ids]) => {
    const decoder = new IncrementalDecoder(tokenizer, before);
    return [...ids.map((id) => decoder.add(id)), decoder.end()];
  });
}

/** The sentence of the error, or null. */
export function problem(file, text = null) {
  try {
    const tokenizer = Tokenizer.fromJson(file);
    if (text !== null) tokenizer.encode(text);
    return null;
  } catch (error) {
    return error.message;
  }
}
