// No n-gram twice: a hypothesis may not write a sequence of n tokens that it has written before.

/** The tokens that would repeat an n-gram, given what is written already. */
export function bannedTokens(written, length) {
  const begin = written.length - length + 1; // of the last n − 1 tokens
  if (length < 1 || begin < 1) return [];
  const banned = new Set();
  for (let at = 0; at < begin; at += 1) {
    let same = true;
    for (let i = 0; same && i < length - 1; i += 1) same = written[at + i] === written[begin + i];
    if (same) banned.add(written[at + length - 1]);
  }
  return [...banned];
}
