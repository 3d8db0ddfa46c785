// A run that is compared with another: what is changed in it stands in the URL under the names of its side, and the two
// count their steps together.

import { onSide } from "../../parts/sides.js";
import { Trace } from "../../parts/trace.js";
import { sideBySide } from "./difference.js";

export class SideTrace extends Trace {
  side = 0;
  rows = []; // [step of A, step of B]: steps that write the same piece share a row; null where one has none there

  asking(changes) {
    return onSide(this.side, changes);
  }

  opening(address) {
    return { zoom: "at", at: address, at2: "" };
  }

  atStep(step) {
    return { step: String(this.rows.findIndex((pair) => pair[this.side] === step)) };
  }

  /** Its own step in a row; where it has none there, the one before. */
  stepIn(row) {
    return this.rows.slice(0, row + 1).findLast((pair) => pair[this.side] !== null)?.[this.side] ?? 0;
  }
}

/** Let two runs go through their steps together. */
export function together(traces) {
  const written = traces.map((trace) => trace.steps.map((step) => step.chosen.text));
  const rows = traces.every((trace) => trace.hasDecoder) ? sideBySide(written[0], written[1]) : [];
  return traces.map((trace, side) => Object.assign(trace, { side, rows }));
}
