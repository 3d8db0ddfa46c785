// Numbers as Python reads them: digits of any script.

/** Whether a text is nothing but digits (`str.isdecimal`). */
export const isDecimal = (text) => /^\p{Nd}+$/u.test(text);

/** What such a text says (`int`). */
export const wholeNumber = (text) => Number([...text].map(digit).join(""));

/** A script's digits stand in a row from 0 to 9, alone or row after row. */
function digit(character) {
  let before = character.codePointAt(0);
  let count = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(before - 1))) [before, count] = [before - 1, count + 1];
  return count % 10;
}
