// A link may ask for what comes after the last: then the last is shown, and that is said.

import { filled, t } from "./i18n.js";
import { remark } from "./remarks.js";
import { amend } from "./url-state.js";

/**
 * sizes: name → how many there are; they are counted from `first`.
 * before: what was shown. What is the same in it came out of range by another change, which shows itself.
 */
export function keepWithin(sizes, state, before = {}, first = 0) {
  const changes = {},
    sentences = [];
  for (const [name, size] of Object.entries(sizes)) {
    const [value, last] = [state[name], size - 1 + first];
    if (!size || !value || Number(value) <= last) continue;
    changes[name] = String(last);
    const sentence = t("{name}={value} in this link comes after the last, {last}; that one is shown.");
    if (value !== before[name]) sentences.push(filled(sentence, { name, value, last: String(last) }));
  }
  if (sentences.length) remark(sentences);
  if (Object.keys(changes).length) amend(changes);
}
