// What a link says may be wrong: it was cut, mistyped, or is for another server. Then that is said, and left out.

import { filled, t } from "../parts/i18n.js";

const HEAD = /^(enc|dec)\.\d+\.(self|cross)\.h\d+$/;
const FORCED = /^\d+:.+$/s;
const SET = /^[\w.]+(\[[^\]]*\])?\s*=.+$/s;

/** What of a state cannot be: { changes (to go to), sentences (to say) }. Make: the view's class. */
export function checkedLink(state, Make) {
  const changes = {},
    sentences = [];
  const leaveOut = (name, value, sentence, rest = {}) => {
    const now = changes[name] ?? state[name];
    changes[name] = Array.isArray(now) ? now.filter((one) => one !== value) : "";
    sentences.push(filled(sentence, { name, value, ...rest }));
  };
  for (const name of Make.whole)
    if (state[name] && !/^\d{1,9}$/.test(state[name]))
      leaveOut(name, state[name], t("{name}={value} in this link is not a whole number; it is left out."));
  for (const name of Make.positive)
    if (state[name] && !(Number(state[name]) > 0 && Number(state[name]) < Infinity))
      leaveOut(name, state[name], t("{name}={value} in this link is not a number above 0; it is left out."));
  for (const [name, known] of Object.entries(Make.choices))
    if (state[name] && !known.includes(state[name])) {
      const sentence = t("{name}={value} in this link is not known here; it is left out. There is: {known}.");
      leaveOut(name, state[name], sentence, { known: known.join(", ") });
    }
  for (const [name, [pattern, form]] of Object.entries(Make.patterns))
    if (state[name] && !pattern.test(state[name])) {
      const sentence = t("{name}={value} in this link is not written like {form}; it is left out.");
      leaveOut(name, state[name], sentence, { form });
    }
  const each = (name, pattern, sentence) => {
    for (const own of [name, `${name}2`]) // of what it is compared with
      for (const value of (state[own] ?? []).filter((one) => !pattern.test(one))) leaveOut(own, value, sentence);
  };
  each("off", HEAD, t("off={value} in this link is not a head such as enc.0.self.h1; it is left out."));
  each("force", FORCED, t("force={value} in this link is not a step and a piece such as 0:17; it is left out."));
  each("set", SET, t("set={value} in this link is not an address and a number such as enc.output[0]=0; it is left out."));
  return { changes, sentences };
}
