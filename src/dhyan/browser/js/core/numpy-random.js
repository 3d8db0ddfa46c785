// NumPy's default generator (PCG64, seeded by its SeedSequence), as far as it is needed: what is drawn by lot in Python
// is drawn the same here.

const MASK_64 = (1n << 64n) - 1n;
const MASK_128 = (1n << 128n) - 1n;
const MULTIPLIER = (2549297995355413924n << 64n) | 4865540595714422341n;
const POOL = 4; // words of 32 bits

/** np.random.default_rng(seed), for a seed below 2^32. */
export class Generator {
  constructor(seed) {
    const [stateHigh, stateLow, sequenceHigh, sequenceLow] = seedState(seed);
    this.increment = (((((sequenceHigh << 64n) | sequenceLow) << 1n) & MASK_128) | 1n) & MASK_128;
    this.state = 0n;
    this.#step();
    this.state = (this.state + ((stateHigh << 64n) | stateLow)) & MASK_128;
    this.#step();
    this.spare = null; // the upper half of the last 64 bits
  }

  #step() {
    this.state = (this.state * MULTIPLIER + this.increment) & MASK_128;
  }

  nextUint64() {
    this.#step();
    const value = (this.state >> 64n) ^ (this.state & MASK_64);
    const turn = this.state >> 122n;
    return ((value >> turn) | (value << (64n - turn))) & MASK_64;
  }

  nextUint32() {
    if (this.spare !== null) {
      const spare = this.spare;
      this.spare = null;
      return spare;
    }
    const next = this.nextUint64();
    this.spare = Number(next >> 32n);
    return Number(next & 0xffffffffn);
  }

  /** One of 0 … most, all alike: of as many bits as that takes, until it is none too large. */
  #upTo(most) {
    const mask = most ? 2 ** (32 - Math.clz32(most)) - 1 : 0;
    let value = most;
    do value = (this.nextUint32() & mask) >>> 0;
    while (value > most);
    return value;
  }

  /** 0 … count − 1, shuffled. */
  permutation(count) {
    const found = Array.from({ length: count }, (_, number) => number);
    for (let i = count - 1; i > 0; i -= 1) {
      const j = this.#upTo(i);
      [found[i], found[j]] = [found[j], found[i]];
    }
    return found;
  }
}

/** Four words of 64 bits, well mixed out of the seed. */
function seedState(seed) {
  const times = (one, other) => Math.imul(one, other) >>> 0;
  const folded = (value) => (value ^ (value >>> 16)) >>> 0;
  let constant = 0x43b0d7e5;
  const hashed = (value) => {
    const before = (value ^ constant) >>> 0;
    constant = times(constant, 0x931e8875);
    return folded(times(before, constant));
  };
  const mixed = (x, y) => folded((times(0xca01f9dd, x) - times(0x4973f715, y)) >>> 0);
  const pool = Array.from({ length: POOL }, (_, at) => hashed(at === 0 ? seed >>> 0 : 0));
  for (let from = 0; from < POOL; from += 1)
    for (let to = 0; to < POOL; to += 1) if (from !== to) pool[to] = mixed(pool[to], hashed(pool[from]));
  let last = 0x8b51f9dd;
  const words = Array.from({ length: 8 }, (_, at) => {
    const before = (pool[at % POOL] ^ last) >>> 0;
    last = times(last, 0x58f38ded);
    return BigInt(folded(times(before, last)));
  });
  return [0, 2, 4, 6].map((at) => (words[at + 1] << 32n) | words[at]);
}
