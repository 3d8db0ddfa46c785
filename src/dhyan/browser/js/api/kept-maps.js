// Maps of packs, each drawn once: they go with the pack.

import { givingWay } from "../core/long-work.js";
import { drawing } from "../explain/analyses/meaning-map.js";

export const MOST_MAPS = 2; // a dozen MB each

/** The maps that were asked for lately. */
export class KeptMaps {
  #maps = new Map(); // model → its map (when it is drawn), what was asked for last at the end

  /** Others are answered while it is drawn. */
  of(served) {
    const found = this.#maps.get(served) ?? this.#draw(served);
    this.#maps.delete(served);
    this.#maps.set(served, found);
    for (const oldest of this.#maps.keys()) {
      if (this.#maps.size <= MOST_MAPS) break;
      this.#maps.delete(oldest);
    }
    return found;
  }

  #draw(served) {
    const map = givingWay(drawing(served.explainer));
    map.catch(() => this.#maps.delete(served)); // the next who asks is told why, too
    return map;
  }
}
