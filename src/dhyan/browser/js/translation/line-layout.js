// A text as its lines: what stands around the words of a line is kept, and code between fences is left alone.

import { matchStart } from "../core/patterns.js";
import { lstripOf, rstrip, rstripOf, splitLines as linesOf } from "../core/python-text.js";
import { rule } from "../rules.js";

/**
 * The text in pieces [piece, isForTranslation], in order and without loss.
 *
 * Fenced code ends where its fence is closed, or with the text.
 */
export function splitLines(text) {
  const pieces = [];
  let fence = "";
  for (const line of linesOf(text, true)) {
    const opening = fence ? null : matchStart(rule("translation.line_layout", "_FENCE"), line);
    if (fence) {
      pieces.push([line, false]);
      const bare = rstrip(lstripOf(line, "> \t"));
      if (lstripOf(rstripOf(bare, fence[0]), fence[0]) === "" && line.includes(fence)) fence = "";
    } else if (opening) {
      pieces.push([line, false]);
      fence = opening[1];
    } else {
      pieces.push(...cut(line));
    }
  }
  return pieces;
}

function cut(line) {
  const body = linesOf(line)[0];
  const front = matchStart(rule("translation.line_layout", "_FRONT"), body);
  const start = front ? front[0].length : 0;
  return [
    [line.slice(0, start), false],
    [body.slice(start), true],
    [line.slice(body.length), false],
  ];
}
