// What a reader can change on a stage: the word that is followed, the head that is looked at. Both stay through the lesson.

import { h, select } from "../../parts/dom.js";
import { go } from "../../parts/url-state.js";
import { words } from "./pictures.js";
import { say } from "./say.js";

export const follow = (index) => go({ look: String(index) }, true);

/** The words of the sentence: press one to follow it. */
export const wordChooser = (tokens, look) => words(tokens, look, follow);

/** All heads of the encoder, by their addresses. */
export function headChooser({ encoder_layers: layers, heads }, chosen) {
  const names = Array.from(
    { length: layers * heads },
    (_, index) => `enc.${Math.floor(index / heads)}.self.h${index % heads}`,
  );
  return h(
    "div",
    { class: "row" },
    select(
      say("Head", "हेड"),
      names.map((name) => [name, name]),
      chosen.name,
      (name) => go({ head: name }, true),
      { "data-key": "head" },
    ),
  );
}
