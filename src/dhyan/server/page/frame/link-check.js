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
  for (const value of state.off.filter((one) => !HEAD.test(one)))
    leaveOut("off", value, t("off={value} in this link is not a head such as enc.0.self.h1; it is left out."));
  for (const value of state.force.filter((one) => !FORCED.test(one)))
    leaveOut("force", value, t("force={value} in this link is not a step and a piece such as 0:17; it is left out."));
  for (const value of state.set.filter((one) => !SET.test(one))) {
    const sentence = t("set={value} in this link is not an address and a number such as enc.output[0]=0; it is left out.");
    leaveOut("set", value, sentence);
  }
  return { changes, sentences };
}
