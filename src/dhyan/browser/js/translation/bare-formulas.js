// Formulas in running text, without any markup: `x^2 + y^2 = z^2`, `a_i ≤ b`, `2H₂ + O₂ → 2H₂O`.
//
// A formula is a chain of operands with operators between them, of which one is a sure sign of mathematics: what joins
// "5-10" or "and/or" is not. `OPAQUE` stands for something that was found before and may be an operand too.

import { search } from "../core/patterns.js";
import { matches, rule } from "../rules.js";

const own = (name) => rule("translation.bare_formulas", name);

/** Where formulas begin and end. */
export function formulaRanges(text) {
  const sure = own("_SURE");
  if (!search(sure, text)) return [];
  return matches(own("_CHAIN"), text)
    .filter(([found]) => search(sure, found) && found !== own("_INDEFINITE_ARTICLE") && !isOpaque(found))
    .map((found) => [found.index, found.index + found[0].length]);
}

const isOpaque = (text) => text.replaceAll(own("OPAQUE"), "") === "";
