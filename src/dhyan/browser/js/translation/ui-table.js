// Labels of programs and their translations, by sense: a table in the tree, and patterns such as "Delete {1}".

import { sortedBy } from "../core/comparing.js";
import { escaped, fullMatch, matchStart, search, substituted } from "../core/patterns.js";
import { characterAt, characterCount, removePrefix, split, splitLines, strip } from "../core/python-text.js";
import { lazy, matches, rule, table } from "../rules.js";

const own = (name) => rule("translation.ui_table", name);
const isOneOf = (kind, text) => fullMatch(own(kind), text) !== null;
const oneBlank = (text) => split(text).join(" ");
const BLANKS = "[\\t-\\r\\x1c-\\x1f\\x85\\p{Zs}\\u2028\\u2029]+"; // Python's \s

/** contexts: words that ask for this sense; none: it is meant where nothing decides. */
class Sense {
  constructor(translation, contexts) {
    this.translation = translation;
    this.contexts = contexts;
    Object.freeze(this);
  }
}

/** others: what it could have meant as well, where the context did not decide. */
export class Match {
  constructor(translation, others = []) {
    this.translation = translation;
    this.others = others;
    Object.freeze(this);
  }
}

export class UiTable {
  constructor(text) {
    this.kinds = new Map();
    this.labels = new Map(); // label → senses
    this.objects = new Set();
    this.names = new Map();
    this.feminine = new Set();
    const patterns = new Map();
    for (const line of splitLines(text)) {
      if (!strip(line) || line.startsWith("#")) continue;
      const [label, translation, ...contexts] = line.split("\t");
      if (label.startsWith("@")) {
        this.#kind(label.slice(1), translation);
        continue;
      }
      const sense = new Sense(translation, new Set(split(contexts.join(" "))));
      add(search(own("_SLOT"), label) ? patterns : this.labels, label.toLowerCase(), sense);
    }
    this.patterns = sortedBy([...patterns].map(patternOf), (one) => -one.letters);
  }

  #kind(kind, words) {
    const listed = words.split(",").map(strip);
    if (kind === "object") this.objects = new Set(listed);
    else if (kind === "name") this.names = new Map(listed.map((one) => [one.toLowerCase(), one]));
    else if (kind === "feminine") this.feminine = new Set(split(words));
    else this.kinds.set(kind, new Set(split(words)));
  }

  /**
   * A label's translation; null where neither the table nor a pattern knows it.
   * fixed: gives what stands for a text such as %s, which is not looked up; null: look it up.
   */
  find(label, context, fixed) {
    if (characterCount(label) > own("_LONGEST")) return null;
    label = substituted(own("_AND"), label.replaceAll("’", "'"), () => " and ");
    const key = oneBlank(label).toLowerCase();
    const tokens = contextWords(context, key);
    if (this.labels.has(key)) return this.#chosen(this.labels.get(key), tokens);
    for (const pattern of this.patterns) {
      const found = fullMatch(pattern.expression, label);
      const match = found && this.#filled(found, pattern.senses, new Set([...tokens, ...pattern.words]), fixed);
      if (match) return match;
    }
    return null;
  }

  #chosen(senses, tokens) {
    const grammar = own("_GRAMMAR");
    /** How many words of the context speak for it; a verb goes before a domain, and that before a noun. */
    const support = (sense) => {
      const speaking = [...sense.contexts].map((tag) => [
        tag,
        [...new Set([tag, ...(this.kinds.get(tag) ?? [])])].filter((word) => tokens.has(word)),
      ]);
      const words = new Set(speaking.flatMap(([, several]) => several));
      const isVerb = speaking.some(([tag, several]) => tag === "verb" && several.length > 0);
      const isDomain = speaking.some(([tag, several]) => !grammar.has(tag) && several.length > 0);
      return [words.size, Number(isVerb), Number(isDomain)];
    };
    const best = sortedBy(senses, (sense) => support(sense).map((one) => -one))[0];
    if (support(best)[0]) return new Match(best.translation);
    const usual = usualOf(senses);
    // A context that speaks for the usual sense.
    const isKnown = [...this.kinds.values()].some((words) => [...words].some((word) => tokens.has(word)));
    const others = senses.map((sense) => sense.translation).filter((one) => one !== usual.translation && !isKnown);
    return new Match(usual.translation, [...new Set(others)]);
  }

  #filled(found, senses, tokens, fixed) {
    const slots = new Map();
    const onlyCounts = senses[0].contexts.has("count");
    for (const [name, text] of Object.entries(found.groups)) {
      const filled = this.#slot(strip(text), tokens, fixed, onlyCounts);
      if (filled === null) return null;
      slots.set(removePrefix(name, "slot"), filled);
    }
    const gender = this.feminine.has(slots.get("1")) ? "feminine" : "masculine";
    const agrees = (sense) => [...own("_AGREEMENT")].some((one) => sense.contexts.has(one));
    const fitting = senses.find((sense) => !agrees(sense) || sense.contexts.has(gender));
    if (fitting === undefined || (slots.size > 1 && isReordered(fitting.translation, found))) return null;
    return new Match(substituted(own("_SLOT"), fitting.translation, (slot) => slots.get(slot[1])));
  }

  /** What stands for a slot's text; null where it is not something that can be put there as it is. */
  #slot(text, tokens, fixed, onlyCounts = false) {
    if (isOneOf("_NUMBER", text) || isOneOf("_QUOTED", text)) return text;
    const kept = fixed(text);
    if (kept !== null) return kept;
    if (onlyCounts) return null;
    const article = matchStart(own("_ARTICLE"), text);
    const key = article ? oneBlank(text.slice(article[0].length)).toLowerCase() : text.toLowerCase();
    if (this.names.has(key)) return this.names.get(key);
    const blank = text.indexOf(" ");
    const [count, counted] = blank < 0 ? [text, ""] : [text.slice(0, blank), text.slice(blank + 1)];
    if (counted && (isOneOf("_NUMBER", count) || fixed(count) !== null)) {
      const noun = this.objects.has(counted.toLowerCase()) ? this.#slot(counted, tokens, fixed) : null;
      return noun && `${count} ${noun}`;
    }
    if (this.objects.has(key) && this.labels.has(key)) {
      const others = [...tokens].filter((token) => !this.kinds.get("verb").has(token));
      return this.#chosen(this.labels.get(key), new Set([...others, "noun"])).translation;
    }
    return null;
  }

  /** The same table for the other direction: whole labels, each by its usual sense. */
  reversed() {
    const turned = new UiTable("");
    for (const [label, senses] of this.labels) {
      const { translation } = usualOf(senses);
      if (turned.labels.has(translation)) continue; // of several labels the first
      const first = characterAt(label, 0);
      add(turned.labels, translation, new Sense(first.toUpperCase() + label.slice(first.length), new Set()));
    }
    return turned;
  }
}

const usualOf = (senses) => senses.find((sense) => sense.contexts.size === 0) ?? senses[0];

function add(lists, key, one) {
  if (!lists.has(key)) lists.set(key, []);
  lists.get(key).push(one);
}

const read = lazy(() => new Map()); // the two scripts → their table

/** The table for two languages, known by their scripts; null where there is none. */
export function uiTable(sourceScript, targetScript) {
  const key = `${sourceScript} ${targetScript}`;
  if (!read().has(key)) {
    const [file, turned] = [fileOf(sourceScript, targetScript), fileOf(targetScript, sourceScript)];
    if (file !== null) read().set(key, new UiTable(table(`translation/ui_terms/${file}`)));
    else read().set(key, turned === null ? null : uiTable(targetScript, sourceScript).reversed());
  }
  return read().get(key);
}

function fileOf(source, target) {
  const found = [...own("TABLES")].find(([[one, other]]) => one === source && other === target);
  return found === undefined ? null : found[1];
}

/** words: that are not in slots, a context for those that are; letters: the pattern with the most is tried first. */
function patternOf([label, senses]) {
  const pieces = label.split(/\{([12])\}/u);
  const expression = pieces.map((piece, number) =>
    number % 2 === 0 ? escaped(piece).replaceAll(" ", BLANKS) : `(?<slot${piece}>[^\\n]+?)`,
  );
  const words = pieces.filter((_, number) => number % 2 === 0).join("");
  return {
    expression: new RegExp(expression.join(""), "iu"),
    senses,
    words: new Set(split(words)),
    letters: characterCount(words),
  };
}

/** The words of a key or a comment, in lower case, without those of the label itself and those after "not". */
function contextWords(context, label) {
  if (!context) return new Set();
  const words = new Set(matches(own("_WORDS"), context).map(([word]) => word.toLowerCase()));
  for (const [, negated] of matches(own("_NEGATED"), context.toLowerCase())) words.delete(negated);
  for (const word of split(label)) words.delete(word);
  return words;
}

/** Would placeholders without a name change places? A program fills %s and {} in by their order. */
function isReordered(translation, found) {
  const order = matches(own("_SLOT"), translation).map((slot) => slot[1]);
  const unnamed = order.every((slot) => /^(?:%[^(%$]*|\{\})$/u.test(strip(found.groups[`slot${slot}`])));
  return order.join("") !== sortedBy(order).join("") && unnamed;
}
