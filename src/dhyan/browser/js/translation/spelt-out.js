// A text as a translator's model reads it: without the short forms of messages, which are spelt out before.

import { strip } from "../core/python-text.js";
import { splitSentences } from "../text/sentences.js";
import { languageTables, withTable } from "./checks/agreement.js";
import { packLanguages } from "./pack-languages.js";

/** Unchanged where there are none, and where the pack's languages have no tables. */
export function speltOut(pack, text) {
  const [source, target] = (packLanguages(pack) ?? ["", ""]).map(withTable);
  if (source === null || target === null || source === target) return text;
  const { shortForms } = languageTables(source);
  return splitSentences(text)
    .map((sentence) => {
      const bare = strip(sentence);
      const at = sentence.indexOf(bare);
      return sentence.slice(0, at) + shortForms.speltOut(bare) + sentence.slice(at + bare.length);
    })
    .join("");
}
