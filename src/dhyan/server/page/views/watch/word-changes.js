// Which words of a text were there before: the longest common subsequence of two texts' words.

/** [["same" | "gone" | "new", word], …] in reading order. */
export function wordChanges(before, after) {
  const [old, now] = [before, after].map((text) => text.split(/\s+/).filter(Boolean));
  // longest[i][j]: of what follows the i-th old and the j-th new word
  const longest = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      longest[i][j] = old[i] === now[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const found = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      found.push(["same", now[j]]);
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && longest[i + 1][j] >= longest[i][j + 1])) {
      found.push(["gone", old[i]]);
      i += 1;
    } else {
      found.push(["new", now[j]]);
      j += 1;
    }
  }
  return found;
}
