// A word cut into pieces by what was learned: merges of two pieces, or pieces with probabilities.
//
// A piece is [id, start, end] with its place in the word, in units of UTF-16. A character that has no piece is written
// in its UTF-8 bytes; each of these has the place of the character.

const UNKNOWN_PENALTY = 10; // below the least probable piece, in the tokenizers library as in SentencePiece

const bytesOf = (text, firstByte) => Array.from(new TextEncoder().encode(text), (byte) => firstByte + byte);

/** Byte-pair encoding: of all pairs that may be merged, the one learned first is, from left to right. */
export class MergedPieces {
  /** ids: piece → id; merges: pairs of pieces in the order in which they were learned; firstByte: the id of byte 0. */
  constructor(ids, merges, firstByte) {
    this.ids = ids;
    this.firstByte = firstByte;
    this.merges = new Map(); // left id × size + right id → rank
    this.merged = []; // rank → id
    for (const [rank, [left, right]] of merges.entries()) {
      const key = this.pair(ids.get(left), ids.get(right));
      if (!this.merges.has(key)) this.merges.set(key, rank);
      this.merged.push(ids.get(left + right));
    }
  }

  pair(left, right) {
    return left * this.ids.size + right;
  }

  /** The pairs of ids that are merged, in the order in which they were learned. */
  get pairs() {
    return [...this.merges.keys()].map((key) => [Math.floor(key / this.ids.size), key % this.ids.size]);
  }

  cut(word) {
    const pieces = this.characters(word);
    // ranks[i]: when the pair of pieces i and i + 1 was learned; Infinity: never
    const rank = (at) => this.merges.get(this.pair(pieces[at][0], pieces[at + 1][0])) ?? Infinity;
    const ranks = [];
    for (let at = 0; at + 1 < pieces.length; at += 1) ranks.push(rank(at));
    for (;;) {
      let best = 0;
      for (let at = 1; at < ranks.length; at += 1) if (ranks[at] < ranks[best]) best = at;
      if (!(ranks[best] < Infinity)) return pieces;
      pieces[best] = [this.merged[ranks[best]], pieces[best][1], pieces[best + 1][2]];
      pieces.splice(best + 1, 1);
      ranks.splice(best, 1);
      if (best > 0) ranks[best - 1] = rank(best - 1);
      if (best < ranks.length) ranks[best] = rank(best);
    }
  }

  characters(word) {
    const pieces = [];
    let start = 0;
    for (const character of word) {
      const end = start + character.length;
      const id = this.ids.get(character);
      if (id !== undefined) pieces.push([id, start, end]);
      else for (const byte of bytesOf(character, this.firstByte)) pieces.push([byte, start, end]);
      start = end;
    }
    return pieces;
  }
}

/** A unigram model: of all ways to cut a word, the most probable one (Viterbi). */
export class ProbablePieces {
  /** vocabulary: [piece, log-probability] in the order of the ids. */
  constructor(ids, vocabulary, firstByte) {
    this.ids = ids;
    this.firstByte = firstByte;
    this.scores = Float64Array.from(vocabulary, ([, score]) => score);
    this.unknown = this.scores.reduce((least, score) => Math.min(least, score), Infinity) - UNKNOWN_PENALTY;
    this.longest = vocabulary.reduce((most, [piece]) => Math.max(most, piece.length), 0); // in units of UTF-16
  }

  cut(word) {
    const best = new Float64Array(word.length + 1); // log-probability of the best cut that ends here
    const from = new Int32Array(word.length + 1).fill(-1); // where its last piece begins
    const reach = (start, end, score) => {
      if (from[end] >= 0 && best[start] + score <= best[end]) return;
      best[end] = best[start] + score;
      from[end] = start;
    };
    for (let start = 0; start < word.length; ) {
      const next = start + (word.codePointAt(start) > 0xffff ? 2 : 1);
      for (let end = next; end <= Math.min(word.length, start + this.longest); end += 1) {
        const id = this.ids.get(word.slice(start, end));
        if (id !== undefined) reach(start, end, this.scores[id]);
      }
      if (!this.ids.has(word.slice(start, next))) reach(start, next, this.unknown);
      start = next;
    }
    return this.pieces(word, from);
  }

  /** Unknown characters in a row are one place: that of all of them. */
  pieces(word, from) {
    const pieces = [];
    for (let end = word.length; end > 0; ) {
      let start = from[end];
      const id = this.ids.get(word.slice(start, end));
      if (id !== undefined) {
        pieces.push([id, start, end]);
      } else {
        while (start > 0 && !this.ids.has(word.slice(from[start], start))) start = from[start];
        const bytes = bytesOf(word.slice(start, end), this.firstByte);
        pieces.push(...bytes.reverse().map((byte) => [byte, start, end]));
      }
      end = start;
    }
    return pieces.reverse();
  }
}
