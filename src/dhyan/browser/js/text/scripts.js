// Which script a letter belongs to, read off its Unicode name (`DEVANAGARI LETTER KA`).

import { firstWordOfName } from "../core/characters.js";
import { lazy, rule } from "../rules.js";

const LETTER = /^\p{L}$/u;
const FEWEST_LETTERS = 20; // fewer are stray signs ("Micro", "Feminine"), not a script
const kept = lazy(() => new Map()); // character → script

/** The script of a letter (`Latin`, `Devanagari`, `Han`, …); null for whatever is not a letter. */
export function scriptOf(character) {
  let script = kept().get(character);
  if (script === undefined) {
    script = LETTER.test(character) ? called(firstWordOfName(character)) : null;
    kept().set(character, script);
  }
  return script;
}

function called(word) {
  const name = capitalised(word);
  return rule("text.scripts", "_CALLED").get(name) ?? name;
}

/** DEVANAGARI as Devanagari. */
export const capitalised = (word) => word.slice(0, 1) + word.slice(1).toLowerCase();

/** The names that `scriptOf` gives to the letters of the living scripts. */
export const knownScripts = lazy(() => {
  const letters = new Map(); // script → how many
  for (let code = 0; code < 0xd800; code += 1) {
    const script = scriptOf(String.fromCharCode(code));
    if (script !== null) letters.set(script, (letters.get(script) ?? 0) + 1);
  }
  return new Set([...letters].filter(([, count]) => count >= FEWEST_LETTERS).map(([script]) => script));
});

/** The share of the letters of `text` that are of `script`; 1 when there are no letters to judge. */
export function shareInScript(text, script) {
  let [letters, inScript] = [0, 0];
  for (const character of text) {
    const found = scriptOf(character);
    if (found !== null) letters += 1;
    if (found === script && found !== null) inScript += 1;
  }
  return letters ? inScript / letters : 1;
}
