// The question that every address of a trace belongs to, read from the URL: so a URL re-creates its view.

import { isDecimal, wholeNumber } from "../core/decimal.js";
import { DhyanError, shortened } from "../core/errors.js";
import { numbersIn } from "../explain/edits.js";
import { useFastProducts } from "../explain/fast-products.js";
import { writtenEdits } from "../explain/read-edits.js";
import { wordAsked } from "../explain/token-view.js";
import { checkText, withCommas } from "./http-errors.js";
import { Parameters } from "./parameters.js";
import { MAX_SENTENCE_CHARACTERS } from "./settings.js";
import { TraceCache } from "./trace-cache.js";

export const MOST_BEAM = 16; // of a question: more would keep the tab busy
export const MOST_SET = 64; // addresses
export const MOST_TEXTS = 8; // to copy from: each has to be run
export const MOST_NUMBERS_SET = 1_000_000; // 4 MB, kept for as long as the trace is
const TOO_MANY_SET = `at most ${withCommas(MOST_NUMBERS_SET)} numbers can be set at once; copy less.`;
const LONGEST_NUMBER = 100; // digits

const caches = new WeakMap(); // models → their traces

/** The traces of the packs of a site. */
export function tracesOf(models) {
  if (!caches.has(models)) caches.set(models, new TraceCache());
  return caches.get(models);
}

/** A pack that is ready to be opened up. */
export async function servedPack(models, name) {
  const fast = useFastProducts().catch(() => null); // without kernels it is slower
  const served = await models.get(name);
  await fast;
  return served;
}

/** The explanation that a URL asks for. more: reads the parameters that a route has besides, before any is computed.
 *
 * @template More
 * @param {(parameters: Parameters) => More} more
 * @returns {Promise<[any, More]>} */
export async function opened(models, { query }, more = (_parameters) => undefined) {
  const parameters = new Parameters(query);
  const text = parameters.text("text");
  const model = parameters.text("model", "");
  const target = parameters.text("target", null);
  const beam = parameters.whole("beam", { most: MOST_BEAM });
  const maxLength = parameters.whole("max_length", { least: 1, most: 256 });
  const headsOff = parameters.texts("off");
  const [force, hide] = [parameters.texts("force"), parameters.texts("hide")];
  const [numbers, patch] = [parameters.texts("set", MOST_SET), parameters.texts("patch", MOST_SET)];
  const other = parameters.text("from", null);
  const rest = more(parameters);
  parameters.check();

  const served = await servedPack(models, model);
  checkText(text, MAX_SENTENCE_CHARACTERS);
  if (target !== null) checkText(target, MAX_SENTENCE_CHARACTERS, "the target");
  if (patch.length && other === null)
    throw new DhyanError("patch copies from the run of another text: give it as `from`.");
  const traces = tracesOf(models);
  const { explainer } = served;
  const options = { target, beam, maxLength, headsOff, force: forced(force), hide: hide.map(wordAsked) };
  if (!numbers.length && !patch.length) return [traces.using(served, explainer.question(text, options)), rest];

  const texts = new Set();
  let copied = 0; // numbers
  const look = (address, named) => {
    const runOf = named ?? other ?? text;
    texts.add(runOf);
    if (texts.size > MOST_TEXTS)
      throw new DhyanError(`numbers can be copied from at most ${MOST_TEXTS} texts at once.`);
    checkText(runOf, MAX_SENTENCE_CHARACTERS, "the text to copy from");
    const found = traces.using(served, explainer.question(runOf, { beam, maxLength })).get(address);
    copied += found.size;
    if (copied > MOST_NUMBERS_SET) throw new DhyanError(TOO_MANY_SET); // now: sixty-four of them would fill the memory
    return found;
  };
  const question = explainer.question(text, { ...options, set: writtenEdits(numbers, patch, look) });
  if (numbersIn(question.set) > MOST_NUMBERS_SET) throw new DhyanError(TOO_MANY_SET);
  return [traces.using(served, question), rest];
}

/** A text on its own, with nothing switched off or forced. */
export function questionAbout(served, text) {
  checkText(text, MAX_SENTENCE_CHARACTERS);
  return served.explainer.question(text);
}

/** ["2:871", "4:नदी"] → {2: 871, 4: "नदी"} */
function forced(asked) {
  const found = new Map();
  for (const one of asked) {
    const at = one.indexOf(":");
    const [step, piece] = [one.slice(0, Math.max(0, at)), one.slice(at + 1)];
    if (at < 0 || !isNumber(step) || !piece)
      throw new DhyanError(`force=${shortened(one)}: write a step and a piece or its id, such as 2:871.`);
    found.set(wholeNumber(step), isNumber(piece) ? wholeNumber(piece) : piece);
  }
  return found;
}

const isNumber = (text) => isDecimal(text) && [...text].length <= LONGEST_NUMBER;
