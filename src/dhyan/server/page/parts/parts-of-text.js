// A text that is too long to be opened up is cut into its sentences, and a sentence that is too long into pieces.

/** longest: characters of one part. */
export function partsOf(text, longest) {
  const sentences = [...new Intl.Segmenter(undefined, { granularity: "sentence" }).segment(text)]
    .map(({ segment }) => segment.trim())
    .filter(Boolean);
  return sentences.flatMap((sentence) => (sentence.length > longest ? pieces(sentence, longest) : [sentence]));
}

/** At spaces where there are any; a word that is longer than a part is cut anywhere. */
function pieces(sentence, longest) {
  const found = [""];
  for (const word of sentence.split(/\s+/).flatMap((one) => one.match(new RegExp(`.{1,${longest}}`, "gu")) ?? [])) {
    const longer = `${found.at(-1)} ${word}`.trim();
    if (longer.length <= longest) found[found.length - 1] = longer;
    else found.push(word);
  }
  return found.filter(Boolean);
}
