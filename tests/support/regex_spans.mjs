// Where many patterns are found in many lines: {patterns: [[source, flags]], lines} on standard input, spans out.
import { readFileSync } from "node:fs";

const { patterns, lines } = JSON.parse(readFileSync(0, "utf8"));
const spans = (regex, line) =>
  [...line.matchAll(regex)].map((found) => [
    found.index,
    found.index + found[0].length,
    found.groups ? { ...found.groups } : {},
  ]);
process.stdout.write(
  JSON.stringify(
    patterns.map(([source, flags]) => {
      const regex = new RegExp(source, flags);
      return lines.map((line) => spans(regex, line));
    }),
  ),
);
