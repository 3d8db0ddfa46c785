// ▶ for two runs at once: both play the same row of steps, each its own step of it. Who has none there waits.

export class PlayingTogether {
  #phases = [];

  /** sides: a Playing each; rows(): the steps of both; here(): the row that is shown; turn(row): tells everybody else. */
  constructor(sides, { element, rows, here, turn }) {
    this.sides = sides;
    this.element = element;
    this.rows = rows;
    this.here = here;
    this.turn = turn;
  }

  count() {
    return this.rows().length;
  }

  shown() {
    return this.element.isConnected && !document.hidden;
  }

  begin() {
    if (this.element.getBoundingClientRect().bottom > window.innerHeight) this.element.scrollIntoView();
  }

  async start(row, quiet) {
    this.turn(row);
    await Promise.all(this.#at(row).map(([side, step]) => side.start(step, quiet)));
  }

  phases(row, isFirst) {
    this.#phases = this.#at(row).map(([side, step]) => [side, side.phases(step, isFirst)]);
    const lists = this.#phases.map(([, phases]) => phases);
    const longest = Math.max(...lists.map((phases) => phases.length)); // packs may have different numbers of layers
    return Array.from({ length: longest }, (_, number) => [
      number,
      Math.max(...lists.map((phases) => phases[number]?.[1] ?? 0)),
    ]);
  }

  phase(number, milliseconds) {
    for (const [side, phases] of this.#phases) if (phases[number]) side.phase(phases[number][0], milliseconds);
  }

  rest() {
    this.sides.forEach((side) => side.rest());
  }

  /** The sides that have a step in a row. */
  #at(row) {
    return this.rows()[row].flatMap((step, side) => (step === null ? [] : [[this.sides[side], step]]));
  }
}
