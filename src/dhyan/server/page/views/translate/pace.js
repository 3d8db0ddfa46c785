// How long to wait after a key: as long as the last answers took, so that a slow server is asked less often. What is
// typed over before it is answered was asked too early, so the next wait is longer.

const LEAST = 80; // milliseconds
const MOST = 1500;
const NEWEST = 0.5; // share of the newest answer in the mean
const LONGER = 1.5;

export class Pace {
  #mean = 150;

  get pause() {
    return Math.min(MOST, Math.max(LEAST, this.#mean));
  }

  measured(milliseconds) {
    this.#mean = (1 - NEWEST) * this.#mean + NEWEST * milliseconds;
  }

  typedOver() {
    this.#mean = LONGER * this.pause;
  }
}

/** Until nothing has changed for so many milliseconds. */
export function quiet(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
