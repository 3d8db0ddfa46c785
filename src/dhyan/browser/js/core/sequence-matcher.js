// What Python's difflib does, step by step, so that both sides find the same: how two sequences differ, and which name
// was probably meant. No junk is looked for: the sequences are short.

/** Two sequences (arrays, or strings by character) compared: the longest run in common, then left and right of it. */
export class SequenceMatcher {
  constructor(a, b) {
    this.a = [...a];
    this.b = [...b];
    this.places = new Map(); // element of b → where it stands
    this.b.forEach((one, at) => {
      if (!this.places.has(one)) this.places.set(one, []);
      this.places.get(one).push(at);
    });
  }

  /** The longest run that a[low, high) and b[low, high) have in common, the leftmost if several are as long. */
  findLongestMatch(aLow, aHigh, bLow, bHigh) {
    let best = { a: aLow, b: bLow, size: 0 };
    let lengths = new Map(); // where a run ends in b → its length
    for (let i = aLow; i < aHigh; i += 1) {
      const longer = new Map();
      for (const j of this.places.get(this.a[i]) ?? []) {
        if (j < bLow) continue;
        if (j >= bHigh) break;
        const size = (lengths.get(j - 1) ?? 0) + 1;
        longer.set(j, size);
        if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
      }
      lengths = longer;
    }
    return best;
  }

  getMatchingBlocks() {
    const open = [[0, this.a.length, 0, this.b.length]];
    const found = [];
    while (open.length) {
      const [aLow, aHigh, bLow, bHigh] = open.pop();
      const match = this.findLongestMatch(aLow, aHigh, bLow, bHigh);
      if (!match.size) continue;
      found.push(match);
      if (aLow < match.a && bLow < match.b) open.push([aLow, match.a, bLow, match.b]);
      if (match.a + match.size < aHigh && match.b + match.size < bHigh)
        open.push([match.a + match.size, aHigh, match.b + match.size, bHigh]);
    }
    found.sort((one, other) => one.a - other.a || one.b - other.b);
    const blocks = []; // those that touch are one
    for (const one of found) {
      const last = blocks.at(-1);
      if (last && last.a + last.size === one.a && last.b + last.size === one.b) last.size += one.size;
      else blocks.push({ ...one });
    }
    return [...blocks, { a: this.a.length, b: this.b.length, size: 0 }];
  }

  /** [equal | replace | delete | insert, from a, up to, from b, up to], in order. */
  getOpcodes() {
    const found = [];
    let [i, j] = [0, 0];
    for (const { a, b, size } of this.getMatchingBlocks()) {
      if (i < a && j < b) found.push(["replace", i, a, j, b]);
      else if (i < a) found.push(["delete", i, a, j, b]);
      else if (j < b) found.push(["insert", i, a, j, b]);
      if (size) found.push(["equal", a, a + size, b, b + size]);
      [i, j] = [a + size, b + size];
    }
    return found;
  }

  /** 1 where both are the same, 0 where they share nothing. */
  ratio() {
    const shared = this.getMatchingBlocks().reduce((sum, one) => sum + one.size, 0);
    return ratioOf(shared, this.a.length + this.b.length);
  }

  /** The most that `ratio` can be, from the elements alone. */
  quickRatio() {
    const left = new Map([...this.places].map(([one, places]) => [one, places.length]));
    let shared = 0;
    for (const one of this.a) {
      const count = left.get(one) ?? 0;
      if (count > 0) shared += 1;
      left.set(one, count - 1);
    }
    return ratioOf(shared, this.a.length + this.b.length);
  }
}

const ratioOf = (shared, length) => (length ? (2 * shared) / length : 1);

/** The one that is most like a word, of all that are enough like it; null if none is. */
export function closestMatch(word, possibilities, cutoff = 0.6) {
  let best = null;
  for (const one of possibilities) {
    const matcher = new SequenceMatcher(one, word);
    const [a, b] = [matcher.a.length, matcher.b.length];
    if (ratioOf(Math.min(a, b), a + b) < cutoff || matcher.quickRatio() < cutoff) continue;
    const ratio = matcher.ratio();
    if (ratio >= cutoff && (!best || ratio > best.ratio || (ratio === best.ratio && one > best.one)))
      best = { ratio, one };
  }
  return best && best.one;
}
