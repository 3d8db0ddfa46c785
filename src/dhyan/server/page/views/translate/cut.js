// A long text as parts that the server takes: cut between paragraphs, else lines, else sentences, else words.
// Joined again, the parts are the text.

const ENDS = [/\n\s*\n/g, /\n/g, /[.!?…।॥]["'”’»)\]]*\s+/g, /\s+/g];

/** Parts of at most `most` characters; `wanted`: about how many they should have, where the text allows it. */
export function cut(text, most, wanted = most) {
  const parts = [];
  let rest = text;
  while (rest.length > wanted) {
    const end = lastEnd(rest, Math.min(wanted, most)) ?? lastEnd(rest, most, ENDS.length) ?? whole(rest, most);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest ? [...parts, rest] : parts;
}

/** Behind the last paragraph (line, sentence) that ends within so many characters, if it is not a stump. */
function lastEnd(text, within, kinds = ENDS.length - 1) {
  for (const ends of ENDS.slice(0, kinds)) {
    let found = 0;
    for (const one of text.slice(0, within + 1).matchAll(ends)) {
      const end = one.index + one[0].length;
      if (end <= within) found = end;
    }
    if (found > within / 4) return found;
  }
  return null;
}

/** Never within a character that JavaScript counts as two. */
const whole = (text, end) => (/[\ud800-\udbff]/.test(text[end - 1]) ? end - 1 : end);
