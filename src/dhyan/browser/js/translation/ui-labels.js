// Texts of a program's user interface: short labels by the table, whatever else by the model.
//
// What a label carries besides its words is taken off and put back: the letter of an accelerator (`Save _As`, `&File`),
// the shortcut behind a tab, a colon or an ellipsis at the end. In a script without Latin letters an accelerator's
// letter stands in brackets behind the label, as in other such languages: `सहेजें (_S)`.

import { fullMatch, matchStart, search, substituted } from "../core/patterns.js";
import { characterBefore, characterCount, isUpper, removeSuffix, split, strip } from "../core/python-text.js";
import { replaced } from "../core/records.js";
import { matches, rule } from "../rules.js";
import { Kind, protectedSpans } from "./protected-spans.js";
import { SURE, TranslatedSentence, Translation } from "./translated.js";
import { Match } from "./ui-table.js";

const own = (name) => rule("translation.ui_labels", name);

/** A label's words, and what stands around them. accelerator, "_S": its mark and its letter. */
export class Label {
  constructor(before, core, after, accelerator = "") {
    this.before = before;
    this.core = core;
    this.after = after;
    this.accelerator = accelerator;
    Object.freeze(this);
  }

  /** The translation with everything back; the accelerator stands before an ellipsis or a colon. */
  around(translation) {
    const letter = this.accelerator ? ` (${this.accelerator})` : "";
    return `${this.before}${translation}${letter}${this.after}`;
  }
}

/**
 * One translation per text. The user's glossary goes before the table.
 * translateRest: texts, contexts → translations: whatever stands behind the table.
 */
export function translateLabels(texts, contexts, table, glossary, translateRest) {
  const [labels, found, rest] = labelsFound(texts, contexts, table, glossary);
  const said = translateRest(
    rest.map((number) => labels[number].core),
    rest.map((number) => contexts[number]),
  );
  return texts.map((text, number) =>
    found[number] === null
      ? ofModel(text, labels[number], said[rest.indexOf(number)])
      : ofTable(text, labels[number], found[number]),
  );
}

function labelsFound(texts, contexts, table, glossary) {
  const labels = texts.map((text) => parseLabel(text, table));
  const found = labels.map((label, number) => (table === null ? null : find(label, contexts[number], table, glossary)));
  return [labels, found, [...found.keys()].filter((number) => found[number] === null)];
}

/** A label taken apart; a text that is too long for one, or has several lines, is its own core. */
export function parseLabel(text, table = null) {
  const parts = characterCount(text) <= own("_LONGEST") ? fullMatch(own("_EDGES"), text) : null;
  if (parts === null || strip(text).includes("\n")) return new Label("", text, "");
  const [core, accelerator] = withoutAccelerator(parts.groups.core, table);
  return new Label(parts.groups.before, core, parts.groups.after, accelerator);
}

/** The words without the mark of their accelerator, and the mark with its letter, if there is just one. */
function withoutAccelerator(core, table) {
  const marks = matches(own("_MARKED"), core).filter((one) => !matchStart(own("_ENTITY"), core.slice(one.index)));
  if (marks.length !== 1 || core.includes("&&") || core.includes("__")) return [core, ""];
  const inside = Boolean(marks[0][3]);
  const [mark, letter] = inside ? marks[0].slice(3, 5) : marks[0].slice(1, 3);
  const at = marks[0].index;
  const bare = core.slice(0, at) + core.slice(at + 1);
  if (inside && mark === "_" && !(table !== null && table.labels.has(stem(bare)))) return [core, ""]; // snake_case
  if (inside && mark === "&" && isUpper(characterBefore(core, at)) && isUpper(letter)) return [core, ""]; // R&D
  return [bare, `${mark}${letter.toUpperCase()}`];
}

const stem = (label) => split(substituted(own("_FINAL"), label, () => "")).join(" ").toLowerCase();

function find(label, context, table, glossary) {
  const termSpans = (text) => (glossary ? glossary.spans(text) : []);
  const fixed = (text) => {
    const terms = termSpans(text);
    const spans = terms.length > 0 ? terms : protectedSpans(text).filter((span) => span.kind === Kind.FIXED);
    const isWhole = spans.length === 1 && spans[0].start === 0 && spans[0].end === text.length;
    return isWhole ? spans[0].replacement : null;
  };
  if (termSpans(label.core).length > 0 && !onlyInSlots(label.core, table, context, fixed)) return null;
  const match = table.find(label.core, context, fixed);
  const final = search(own("_FINAL"), label.core);
  if (match !== null || final === null) return match;
  const bare = table.find(label.core.slice(0, final.index), context, fixed);
  return bare && new Match(bare.translation + final[0].replaceAll(".", "।"), bare.others);
}

/** A term that the user has translated may fill a pattern, but no entry of the table may translate it. */
const onlyInSlots = (core, table, context, fixed) =>
  !table.labels.has(core.toLowerCase()) && table.find(core, context, fixed) !== null;

function ofTable(text, label, match) {
  const isOneOfSeveral = match.others.length > 0;
  const notes = [];
  if (isOneOfSeveral) {
    const meant = match.others.join(" or ");
    notes.push(
      `${own("PREFIX")}'${label.core}' is taken as ${match.translation}; with a context it can be ${meant}`,
    );
  }
  const said = label.around(match.translation);
  const confidence = isOneOfSeveral ? own("_ONE_OF_SEVERAL") : SURE;
  return new Translation(text, said, notes, confidence, [new TranslatedSentence(text, said, notes, confidence)]);
}

function ofModel(text, label, said) {
  // a label is no sentence
  const translation = search(own("_FINAL"), label.core) ? said.text : removeSuffix(said.text, "।");
  return replaced(said, { source: text, text: label.around(translation) });
}
