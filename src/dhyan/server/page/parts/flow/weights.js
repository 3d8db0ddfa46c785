// Whose attention is drawn: one head's, or the mean of all. A byte each is enough for a thickness; what is opened has
// its numbers in full.

export class Weights {
  /** values: heads × rows × columns, in units of `unit`. head: a number, or null for the mean. */
  constructor(part, [heads, rows, columns], values, unit, head) {
    this.part = part;
    this.heads = heads;
    this.rows = rows;
    this.columns = columns;
    this.values = values;
    this.unit = unit;
    this.head = head;
  }

  of(head, i, j) {
    return this.values[(head * this.rows + i) * this.columns + j] * this.unit;
  }

  at(i, j) {
    if (this.head !== null) return this.of(this.head, i, j);
    let sum = 0;
    for (let head = 0; head < this.heads; head += 1) sum += this.of(head, i, j);
    return sum / this.heads;
  }

  /** Where the number stands, or, for the mean, the numbers that it is the mean of. */
  address(i, j) {
    return this.head !== null
      ? `${this.part}.h${this.head}.weights[${i},${j}]`
      : `${this.part}.weights[:,${i},${j}]`;
  }

  /** The head that gives this cell most: what opens when the mean is pressed. */
  strongest(i, j) {
    if (this.head !== null) return this.head;
    let best = 0;
    for (let head = 1; head < this.heads; head += 1) if (this.of(head, i, j) > this.of(best, i, j)) best = head;
    return best;
  }
}

/** part → Weights. opened: the parts that are wanted in full. */
export async function weightsOf(trace, head, opened) {
  const [all, ...full] = await Promise.all([
    trace.attention(),
    ...opened.map((part) => trace.numbers(`${part}.weights`)),
  ]);
  const found = new Map();
  for (const [part, { shape, shades }] of all) found.set(part, new Weights(part, shape, shades, 1 / 255, head));
  full.forEach((numbers, number) =>
    found.set(opened[number], new Weights(opened[number], numbers.shape, numbers.data, 1, head)),
  );
  return found;
}
