// Ids and texts of lines by the browser's tokenizer: {rules, file, lines} on standard input, {ids, texts, milliseconds} out.
import { readFileSync } from "node:fs";

import { setRules } from "../src/dhyan/browser/js/rules.js";
import { Tokenizer } from "../src/dhyan/browser/js/text/tokenizer.js";

const { rules, file, lines } = JSON.parse(readFileSync(0, "utf8"));
setRules(rules);
const tokenizer = Tokenizer.fromJson(file);
const start = performance.now();
const ids = tokenizer.encodeBatch(lines);
const milliseconds = performance.now() - start;
process.stdout.write(JSON.stringify({ ids, texts: tokenizer.decodeBatch(ids), milliseconds }));
