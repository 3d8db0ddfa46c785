// A word of the given text as a button: pressed, it is hidden from the model; pressed again, it is there again.

import { button, language } from "./dom.js";
import { go } from "./url-state.js";
import { t } from "./i18n.js";

/** number: of the word, marks not counted. hidden: the numbers of all that are hidden. also: what else to go to.
 * @param {Record<string, any>} options */
export function hideable(text, number, hidden, options = {}) {
  const { also = {}, ...properties } = options;
  const isHidden = hidden.includes(number);
  const others = isHidden ? hidden.filter((one) => one !== number) : [...hidden, number];
  return button(text, () => go({ ...also, hide: others.map(String) }), {
    class: `chip${isHidden ? " hiddenword" : ""}`,
    lang: language(text),
    title: t(isHidden ? "Show this word again" : "Hide this word"),
    "aria-pressed": String(isHidden),
    "data-key": `hide-${number}`,
    ...properties,
  });
}
