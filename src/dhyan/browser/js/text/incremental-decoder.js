// Ids → text while they come one by one: what was given out is never taken back.

import { category } from "../core/characters.js";
import { characterBefore, isAlpha, isAscii, rstripOf } from "../core/python-text.js";
import { rule } from "../rules.js";

const own = (name) => rule("text.incremental_decoder", name);

/**
 * What is given out begins and ends between characters as people see them.
 *
 * The bytes of a character wait for each other, and a letter beyond ASCII waits for what follows, which may be a vowel
 * sign, or a letter that it is joined to. All that was given out, joined, is the text of all ids.
 */
export class IncrementalDecoder {
  #tokenizer;
  #context; // what was decoded last: a space at its beginning may not be shown
  #ids = []; // bytes that wait
  #text = ""; // letters that wait

  /** before: ids that stand in front; their text is not given out. */
  constructor(tokenizer, before = []) {
    this.#tokenizer = tokenizer;
    this.#context = [...before];
  }

  /** The text that is certain with one more id; often none. */
  add(number) {
    this.#ids.push(number);
    const text = this.#decoded();
    if (text.endsWith(own("INCOMPLETE"))) return "";
    this.#text += text;
    [this.#context, this.#ids] = [this.#ids, []];
    const whole = wholeCharacters(this.#text);
    const certain = this.#text.slice(0, whole);
    this.#text = this.#text.slice(whole);
    return certain;
  }

  /** What still waits, when no more ids come. */
  end() {
    const rest = this.#text + (this.#ids.length ? this.#decoded() : "");
    [this.#text, this.#ids] = ["", []];
    return rest;
  }

  #decoded() {
    const [before, text] = this.#tokenizer.decodeBatch([this.#context, [...this.#context, ...this.#ids]]);
    // Bytes that never become a character spoil those in front of them too; alone they do not.
    return text.startsWith(before) ? text.slice(before.length) : this.#tokenizer.decode(this.#ids);
  }
}

/** How much at the beginning of a text nothing can join any more, in units of UTF-16. */
export function wholeCharacters(text) {
  let end = text.length;
  while (end) {
    const last = characterBefore(text, end);
    if (category(last).startsWith("M") || own("JOINERS").includes(last)) {
      end -= last.length;
      continue;
    }
    if (isAscii(last) || !isAlpha(last)) return end === text.length ? end : end - last.length;
    end -= last.length;
    if (!rstripOf(text.slice(0, end), own("JOINERS")).endsWith(own("VIRAMA"))) return end;
  }
  return end;
}
