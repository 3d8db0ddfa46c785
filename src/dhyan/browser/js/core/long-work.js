// Work of seconds, written as a generator that stops now and then: done at once, or giving way to others where it stops.

const MOST = 30; // milliseconds without giving way

/** @template Found @param {Generator<undefined, Found>} work @returns {Found} */
export function atOnce(work) {
  for (;;) {
    const { done, value } = work.next();
    if (done) return /** @type {Found} */ (value);
  }
}

/** Messages that have come meanwhile are answered in between.
 * @template Found @param {Generator<undefined, Found>} work @returns {Promise<Found>} */
export async function givingWay(work) {
  for (let begun = performance.now(); ; ) {
    const { done, value } = work.next();
    if (done) return /** @type {Found} */ (value);
    if (performance.now() - begun < MOST) continue;
    await new Promise((resolve) => setTimeout(resolve));
    begun = performance.now();
  }
}
