// The translation as sentences and words: what is noted or doubtful is marked where it stands, and a word can be chosen.

import { fill, h } from "../../parts/dom.js";
import { said, t } from "../../parts/i18n.js";

const DOUBTFUL = 0.35; // confidence below which a sentence is marked
const QUOTED = /"([^"]+)"/g; // words that a note names

/** The text as pieces: strings, and the numbers of the sentences that stand between them. */
export function pieces(text, sentences) {
  const found = [];
  let at = 0;
  sentences.forEach((sentence, number) => {
    const begin = sentence.text ? text.indexOf(sentence.text, at) : -1;
    if (begin < 0) return; // the text was changed as a whole
    found.push(text.slice(at, begin), number);
    at = begin + sentence.text.length;
  });
  return [...found, text.slice(at)].filter((piece) => piece !== "");
}

/** A sentence that calls for a look: it has notes, or the model was not sure. */
export const isDoubtful = (sentence) => sentence.notes.length > 0 || sentence.confidence < DOUBTFUL;

export const percent = (share) => `${Math.round(100 * share)} %`;

export class Result {
  #words = [];
  #shown = 0; // pieces

  /**
   * choose: called with a word's element, its sentence's number and what stands before it. point: with a sentence that
   * is looked at. over: with the sentence of the word that the pointer is over and what stands before it, or nothing.
   */
  constructor(choose, point, over) {
    this.choose = choose;
    this.point = point;
    this.over = over;
    this.element = h("div", {
      id: "translation",
      dir: "auto",
      role: "group",
      "aria-label": t("Translation"),
      onkeydown: (event) => this.#walk(event),
    });
    this.said = h("output", { class: "unseen", "aria-live": "polite" });
  }

  clear() {
    this.#words = [];
    this.#shown = 0;
    fill(this.element);
    fill(this.said);
  }

  show(parts, sentences, language) {
    this.clear();
    this.grow(parts, sentences, language);
    fill(this.said, this.element.textContent);
  }

  /** More of a translation that comes in parts; what is there already stays. */
  grow(parts, sentences, language) {
    if (this.#shown === 0) this.clear();
    this.element.lang = this.said.lang = language;
    const more = parts.slice(this.#shown);
    this.element.append(
      ...more.map((piece) => (typeof piece === "string" ? piece : this.#sentence(sentences[piece], piece))),
    );
    this.#shown = parts.length;
    this.#words[0]?.setAttribute("tabindex", "0");
  }

  /** What is shown answers an earlier text: whatever grows next begins anew. */
  outdate() {
    this.#shown = 0;
  }

  #sentence(sentence, number) {
    const named = new Set(sentence.notes.flatMap((note) => [...note.matchAll(QUOTED)].map((found) => found[1])));
    const words = sentence.text.split(/(\s+)/);
    let at = 0;
    const marked = words.map((word) => {
      const prefix = sentence.text.slice(0, at);
      at += word.length;
      if (!word.trim()) return word;
      const press = (event) => this.choose(event.currentTarget, number, prefix);
      const element = h(
        "span",
        {
          class: [
            "word",
            named.has(word.replace(/[^\p{L}\p{M}\p{N}]+/gu, "")) && "named",
            sentence.begun && at <= sentence.begun.length && "forced",
          ]
            .filter(Boolean)
            .join(" "),
          role: "button",
          tabindex: "-1",
          "aria-haspopup": "dialog",
          onclick: press,
          onfocus: () => this.point(number),
          onpointerenter: () => this.over(number, prefix),
          onpointerleave: () => this.over(),
        },
        word,
      );
      this.#words.push(element);
      return element;
    });
    const sure = `${t("Confidence")}: ${percent(sentence.confidence)}`;
    return h(
      "span",
      {
        class: `sentence${isDoubtful(sentence) ? " doubtful" : ""}`,
        title: [sure, ...sentence.notes.map(said)].join("\n"),
        "data-number": number,
        "data-confidence": sentence.confidence,
      },
      marked,
    );
  }

  /** Arrow keys go from word to word, so that Tab need not. */
  #walk(event) {
    const at = this.#words.indexOf(event.target);
    if (at < 0) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return event.target.click();
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const next = event.key === "Home" ? 0 : event.key === "End" ? this.#words.length - 1 : step && at + step;
    if (next === undefined || !this.#words[next]) return;
    event.preventDefault();
    event.target.setAttribute("tabindex", "-1");
    this.#words[next].setAttribute("tabindex", "0");
    this.#words[next].focus();
  }
}
