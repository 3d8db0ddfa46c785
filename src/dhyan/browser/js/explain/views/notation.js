// The formulas of the walk, as Python has them: the page draws them as MathML.

import { rule } from "../../rules.js";

/** Name → symbols, each a string or a list ("frac", …); plain for JSON. */
export const formulas = () => Object.fromEntries(rule("explain.views.notation", "FORMULAS"));
