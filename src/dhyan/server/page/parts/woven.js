// A sentence with elements in it, so that every language can put them where it wants: "{share} of the variance".

/** @returns {any[]} the parts of the sentence, each {name} replaced by what belongs there. */
export const woven = (sentence, values) =>
  sentence.split(/\{(\w+)\}/).map((part, index) => (index % 2 ? values[part] : part));
