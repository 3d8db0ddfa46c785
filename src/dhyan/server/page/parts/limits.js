// A link may ask for what is not there: the seventh of six layers. Then the nearest is shown, and that is said.

import { filled, t } from "./i18n.js";
import { remark } from "./remarks.js";
import { amend } from "./url-state.js";

/**
 * sizes: name → how many there are; they are counted from `first`.
 * before: what was shown. What is the same in it came out of range by another change, which shows itself.
 * Whether anything had to be put right.
 */
export function keepWithin(sizes, state, before = {}, first = 0) {
  const changes = {},
    sentences = [];
  for (const [name, size] of Object.entries(sizes)) {
    const value = state[name];
    const last = size - 1 + first;
    if (!size || !value || (Number(value) >= first && Number(value) <= last)) continue;
    changes[name] = String(Number(value) < first ? first : last);
    const sentence = t("{name}={value} in this link is out of range ({first} to {last}); shown is {shown}.");
    const said = { name, value, first: String(first), last: String(last), shown: changes[name] };
    if (value !== before[name]) sentences.push(filled(sentence, said));
  }
  if (sentences.length) remark(sentences);
  if (Object.keys(changes).length) amend(changes);
  return Object.keys(changes).length > 0;
}

const MOST_NAMED = 12;

/** The same where there are names: one that is not known is left out. */
export function keepKnown(name, known, state) {
  if (!state[name] || known.includes(state[name])) return;
  const sentence = t("{name}={value} in this link is not known here; it is left out. There is: {known}.");
  const named = known.length > MOST_NAMED ? [...known.slice(0, MOST_NAMED - 1), "…", known.at(-1)] : known;
  remark([filled(sentence, { name, value: state[name], known: named.join(", ") })]);
  amend({ [name]: "" });
}
