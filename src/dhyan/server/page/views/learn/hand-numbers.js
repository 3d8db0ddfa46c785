// "write a poem" with the numbers of the notes, or with those that the reader has put in their place (in the URL).

import { go } from "../../parts/url-state.js";
import { WRITE_A_POEM } from "./worked.js";

const MATRICES = ["X", "W_Q", "W_K", "W_V"];

/**
 * hand=X[0,1]:0.5;W_Q[1,0]:2 → the matrices with these numbers in them
 * @returns {any}
 */
export function handNumbers(state) {
  const found = Object.fromEntries(MATRICES.map((name) => [name, WRITE_A_POEM[name].map((row) => [...row])]));
  for (const one of (state.hand ?? "").split(";")) {
    const [, name, i, j, value] = /^(X|W_[QKV])\[(\d),(\d)\]:(-?[\d.]+)$/.exec(one) ?? [];
    if (found[name]?.[i]?.[j] !== undefined && Number.isFinite(Number(value))) found[name][i][j] = Number(value);
  }
  return found;
}

export function changeHandNumber(matrices, name, i, j, value) {
  matrices[name][i][j] = value;
  const changed = MATRICES.flatMap((one) =>
    matrices[one].flatMap((row, r) =>
      row.map((cell, c) => (cell === WRITE_A_POEM[one][r][c] ? "" : `${one}[${r},${c}]:${cell}`)),
    ),
  );
  go({ hand: changed.filter(Boolean).join(";") }, true);
}

export const asInTheNotes = () => go({ hand: "" }, true);
