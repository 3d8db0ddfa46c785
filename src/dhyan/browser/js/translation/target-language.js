// Is a sentence in the target language already? Its script tells, where the two languages differ in script.
//
// A source language that is also typed in the target's script, as Hindi is in Latin letters, is known by its
// vocabulary.

import { casefold, split } from "../core/python-text.js";
import { rule } from "../rules.js";
import { scriptOf } from "../text/scripts.js";
import { hasLetters } from "./unicode.js";

const own = (name) => rule("translation.target_language", name);

/** Mixed sentences count only while what is foreign in them are words here and there, not a whole phrase. */
export function isInScript(sentence, script) {
  const text = sentence.words;
  const share = shareOf(text, script);
  if (share >= own("_NEARLY_ALL") || share < own("_MOSTLY")) return share >= own("_NEARLY_ALL");
  let foreign = 0;
  for (const word of split(text)) {
    if (hasLetters(word)) foreign = has(word, script) ? 0 : foreign + 1;
    if (foreign >= own("_FOREIGN_PHRASE")) return false;
  }
  return true;
}

/**
 * Whether a text in the target's script is of the source language all the same: "aap kaise hain" is Hindi.
 *
 * Each word counts for the language whose vocabulary has it in fewer pieces. Ties between the languages go to the
 * source: its speakers borrow words of the target, as in "kal meeting hai", more than the other way round.
 */
export function isSourceLanguage(text, source, target) {
  const words = split(casefold(text))
    .filter(hasLetters)
    .map((word) => ` ${word}`);
  if (words.length < own("_FEWEST_WORDS")) return false;
  const [ours, theirs] = [source.encodeBatch(words), target.encodeBatch(words)];
  const ofSource = ours.filter((ids, number) => ids.length < theirs[number].length).length;
  const ofTarget = ours.filter((ids, number) => ids.length > theirs[number].length).length;
  return ofSource > 0 && ofSource >= ofTarget;
}

const has = (text, script) => Array.from(text).some((one) => scriptOf(one) === script);

/** The share of the letters, a vowel sign being one too: half of हूँ would not count otherwise. */
function shareOf(text, script) {
  let [letters, inScript, latest] = [0, 0, null];
  for (const character of text) {
    if (!/^\p{M}$/u.test(character)) latest = scriptOf(character);
    if (latest !== null) letters += 1;
    if (latest === script) inScript += 1;
  }
  return letters ? inScript / letters : 0;
}
