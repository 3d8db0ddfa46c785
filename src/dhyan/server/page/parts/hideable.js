// A word of the given text as a button: pressed, it is hidden from the model; pressed again, it is there again.

import { button, language } from "./dom.js";
import { go } from "./url-state.js";
import { t } from "./i18n.js";

/** number: of the word, marks not counted. also: what else to go to.
 * @param {Record<string, any>} options */
export function hideable(trace, text, number, options = {}) {
  const { also = {}, ...properties } = options;
  const hidden = trace.info.hide;
  const isHidden = hidden.includes(number);
  const others = isHidden ? hidden.filter((one) => one !== number) : [...hidden, number];
  return button(text, () => go({ ...also, ...trace.asking({ hide: others.map(String) }) }), {
    class: `chip${isHidden ? " hiddenword" : ""}`,
    lang: language(text),
    title: t(isHidden ? "Show this word again" : "Hide this word"),
    "aria-pressed": String(isHidden),
    "data-key": `hide-${number}`,
    ...properties,
  });
}
