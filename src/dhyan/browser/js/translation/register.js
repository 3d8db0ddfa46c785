// How the reader is addressed and how the speaker's gender shows, changed by rule where a pack has no tag for it.
//
// Only what is safe is changed: a pronoun, and the verb of a clause whose only possible subject it is. Where a sentence
// has more in it than the rules can tell apart, it stays as it is and a note says so. The words are data:
// translation/registers/*.toml on Python's side.

import { DhyanError, didYouMean } from "../core/errors.js";
import { search, substituted } from "../core/patterns.js";
import { countOf, replaceFirst } from "../core/python-text.js";
import { replaced } from "../core/records.js";
import { lazy, matches, rule, table } from "../rules.js";

const own = (name) => rule("translation.register", name);

export const FORMALITIES = Object.freeze(["auto", "formal", "informal"]);
export const GENDERS = Object.freeze(["feminine", "masculine"]);

/** The rules of one language, both ways. path: of its table. */
export class Register {
  constructor(path) {
    const { words, source, speaker_words: speakerWords, ...pairs } = table(path);
    this.otherSubjects = new Set(words.other_subjects);
    this.conjunctions = new Set(words.conjunctions);
    this.reflexive = new Set(words.reflexive);
    this.verbs = new Set(words.verbs);
    this.noRequests = new Set(words.no_requests);
    this.source = Object.fromEntries(Object.entries(source).map(([name, listed]) => [name, new Set(listed)]));
    this.speakerOthers = new Set(speakerWords.other_subjects);
    this.speakerAdjectives = new Set(speakerWords.adjectives);
    this.speakerNouns = new Set(speakerWords.nouns);
    // One direction of a table each: from one register into the other.
    const informal = Object.fromEntries(own("KINDS").map((kind) => [kind, new Map(Object.entries(pairs[kind]))]));
    const formal = Object.fromEntries(own("KINDS").map((kind) => [kind, turned(informal[kind])]));
    // करो has two polite forms; the request's endings give one of them
    formal.requests = formal.polite_endings = new Map();
    this.to = { informal, formal };
    const bothWays = (listed) => ({ feminine: listed, masculine: turned(listed) });
    this.speaker = bothWays(new Map(Object.entries(pairs.speaker)));
    this.speakerEndings = bothWays(new Map(Object.entries(pairs.speaker_endings)));
  }

  /** A translated sentence in another formality, and whether the rules could do all that it needs. */
  inFormality(source, text, formality) {
    const rules = this.to[formality];
    const you = formality === "informal" ? "आप" : "तुम";
    const clauses = this.#clauses(text);
    const hasYou = clauses.some(({ words }) => words.includes(you));
    let [result, at, sure] = ["", 0, true];
    for (const { words, start, end } of clauses) {
      const [clause, clear] = this.#clause(words, text.slice(start, end), rules, you, hasYou, source);
      result += text.slice(at, start) + clause;
      at = end;
      sure &&= clear;
    }
    return sure ? [result + text.slice(at), true] : [text, false];
  }

  #clause(words, clause, rules, you, hasYou, source) {
    const verbs = words.filter((word) => endingOf(word, rules.endings));
    const mine = words.some((word, number) => word === you && !this.reflexive.has(words[number - 1]));
    const others = words.some((word) => this.otherSubjects.has(word));
    if (mine && (others || verbs.length > 1)) return [clause, false];
    if (verbs.length > 0 && hasYou && !mine && !others && !words.some((word) => rules.pronouns.has(word))) {
      return [clause, false]; // whose verb it is cannot be told
    }
    const request = others || this.#polite(words.at(-1), rules) ? null : this.#request(words, rules);
    if (request && !mine && !this.#mayBeRequest(source)) return [clause, false]; // a wish, or a request?
    let before = "";
    const said = substituted(own("_WORD"), clause, ([word]) => {
      const isReflexive = word === you && this.reflexive.has(before);
      before = word;
      if (rules.pronouns.has(word) && !isReflexive) return rules.pronouns.get(word);
      const polite = this.#polite(word, rules);
      if (polite) return polite;
      if (mine && verbs.includes(word)) return withEnding(word, rules.endings);
      return (request?.word === word && request.other) || word;
    });
    return [said, true];
  }

  /** The counterpart of a request that is polite by its form alone, whatever the sentence; empty: it is none. */
  #polite(word, rules) {
    if (rules.requests.has(word) || this.noRequests.has(word)) return rules.requests.get(word) ?? "";
    const ending = endingOf(word, rules.polite_endings);
    const stem = word.slice(0, word.length - ending.length);
    const sure = ending && (ending.length > "िए".length + 1 || this.verbs.has(stem) || ending[1] === "इ");
    return sure ? stem + rules.polite_endings.get(ending) : "";
  }

  /** {word, other} of the last word of a clause, if it is a known verb in the form of a request; else null. */
  #request(words, rules) {
    const longestFirst = [...rules.request_endings].sort(([one], [other]) => other.length - one.length);
    const word = words.at(-1) ?? "";
    for (const [ending, other] of longestFirst) {
      if (!word.endsWith(ending)) continue;
      const stem = word.slice(0, word.length - ending.length);
      const vowels = { "ा": "ा", "ो": "ो", "ि": "ी", "ु": "ू" };
      const vowel = ending.length > 1 ? (vowels[ending[0]] ?? "") : "";
      if (this.verbs.has(stem + vowel) || (["ें", "ो"].includes(ending) && ["द", "ल"].includes(stem))) {
        return { word, other: stem + other };
      }
    }
    return null;
  }

  /** Does an English sentence ask its reader to do something? It begins with a verb and names nobody else. */
  #mayBeRequest(source) {
    const words = source.toLowerCase().replaceAll("’", "'").match(/[a-z']+/g) ?? [];
    if (words.length === 0 || words.some((word) => this.source.subjects.has(word))) return false;
    const [first = "", second = ""] = words.filter((word) => !this.source.before_requests.has(word));
    return first !== "" && !this.source.no_requests.has(first) && !(first === "do" && second === "you");
  }

  /** A translated sentence with the speaker's gender, and whether the rules could tell all that it needs. */
  inGender(text, gender) {
    let [result, at, sure, spoken] = ["", 0, true, false];
    for (const { words, start, end } of this.#clauses(text)) {
      let clause = text.slice(start, end);
      const [changed, clear] = this.#spoken(words, clause, gender);
      if (this.#isSpoken(words, gender)) {
        [clause, spoken, sure] = [changed, true, sure && clear];
      } else if (spoken && changed !== clause && !words.some((word) => this.speakerOthers.has(word))) {
        sure = false; // whether the speaker goes on cannot be told
      }
      result += text.slice(at, start) + clause;
      at = end;
    }
    return sure ? [result + text.slice(at), true] : [text, false];
  }

  /** In the first person: by its pronoun, or by its verb alone. */
  #isSpoken(words, gender) {
    const future = [...this.speakerEndings[gender].keys()].filter((ending) => !["ता", "ती"].includes(ending));
    const last = words.at(-1);
    return words.includes("मैं") || own("_AM").includes(last) || future.some((ending) => last.endsWith(ending));
  }

  /** A clause in the speaker's gender: the last part of its verb, and what was or became of the speaker. */
  #spoken(words, clause, gender) {
    const [whole, endings] = [this.speaker[gender], this.speakerEndings[gender]];
    const changed = new Map();
    let last = words.length - 1;
    if (last > 0 && [...own("_AM"), "था", "थी"].includes(words[last])) {
      changed.set(last, whole.get(words[last]) ?? words[last]);
      last -= 1;
    }
    const agreeing = [last];
    const before = words[last - 1] ?? "";
    if (last > 1 && ["हो", "रह"].includes(before)) {
      agreeing.push(last - 2); // बूढ़ा हो गया, सोता रह गया
    } else if (this.speakerAdjectives.has(before) || (!this.verbs.has(before) && endingOf(before, endings))) {
      agreeing.push(last - 1); // सोचता रहूँगा, अकेला रहता हूँ
    }
    // आपका प्रशंसक रहा हूँ: what the speaker is agrees too, and only a reader knows how.
    const possessed = last > 1 && /(?:का|की)$/u.test(words[last - 2]);
    let unknown = possessed && ["रहा", "रही"].includes(words[last]) && !this.verbs.has(before);
    for (const place of agreeing) {
      const word = words[place];
      if (this.speakerNouns.has(word)) continue;
      if (whole.has(word) || endingOf(word, endings)) {
        changed.set(place, whole.get(word) || withEnding(word, endings));
      } else if (gender === "feminine" && word.endsWith("ा")) {
        unknown = true;
      }
    }
    let place = -1;
    const said = substituted(own("_WORD"), clause, ([word]) => {
      place += 1;
      return changed.get(place) ?? word;
    });
    return [said, !unknown];
  }

  /** The words of every clause and where it stands; a clause ends at a mark and before a conjunction. */
  #clauses(text) {
    const found = [];
    let latest = 0;
    for (const one of matches(own("_WORD"), text)) {
      const [word] = one;
      const isNew = search(own("_CLAUSE_END"), text.slice(latest, one.index)) || this.conjunctions.has(word);
      if (found.length === 0 || isNew) found.push({ words: [], start: one.index, end: one.index });
      const clause = found.at(-1);
      clause.words.push(word);
      clause.end = latest = one.index + word.length;
    }
    return found;
  }
}

/** A value that is among the known ones; another is refused. */
export function oneOf(setting, value, known) {
  if (known.includes(value)) return value;
  const shown = typeof value === "string" ? `'${value}'` : String(value);
  throw new DhyanError(`${setting} = ${shown}: it is ${known.join(" or ")}${didYouMean(String(value), known)}.`);
}

const registers = lazy(() => new Map()); // script → its rules

/** The rules for a target language, known by its script; null where there are none. */
export function registerOf(script) {
  const file = own("TABLES").get(script);
  if (file === undefined) return null;
  if (!registers().has(script)) registers().set(script, new Register(`translation/registers/${file}`));
  return registers().get(script);
}

/** Whether there are rules for a target language, by its code. */
export const hasFormality = (language) => [...own("TABLES").values()].includes(`${language}.toml`);

/**
 * A translation in the register that was asked for, and a note that says how.
 *
 * byTag: what the pack was asked for with a tag. Rules mend what it has missed, where they are sure.
 */
export function inRegister(translation, rules, formality, gender, byTag) {
  let { text } = translation;
  const notes = [];
  const sentences = [...translation.sentences];
  for (const wanted of [formality === "auto" ? null : formality, gender].filter(Boolean)) {
    if (rules === null) {
      notes.push(
        wanted === byTag
          ? saidByTag(wanted, 0)
          : `${own("PREFIX")}${wanted} is not possible: the pack was not trained for it, and there are no rules`,
      );
      continue;
    }
    let [changed, unsure] = [0, 0];
    sentences.forEach((sentence, number) => {
      const [said, sure] = GENDERS.includes(wanted)
        ? rules.inGender(sentence.text, wanted)
        : rules.inFormality(sentence.source, sentence.text, wanted);
      if (!sure) unsure += 1;
      if (said !== sentence.text && countOf(text, sentence.text) === 1) {
        text = replaceFirst(text, sentence.text, said);
        sentences[number] = replaced(sentence, { text: said });
        changed += 1;
      }
    });
    notes.push(wanted === byTag ? saidByTag(wanted, changed) : saidByRule(wanted, changed, unsure));
  }
  return replaced(translation, { text, notes: [...translation.notes, ...notes], sentences });
}

const saidByTag = (wanted, changed) =>
  `${own("PREFIX")}${wanted}, as the pack was trained to${changed ? ", and by rule" : ""}`;

function saidByRule(wanted, changed, unsure) {
  if (unsure) {
    const what = unsure === 1 ? "a sentence" : `${unsure} sentences`;
    return `${own("PREFIX")}${wanted} was not possible in ${what}, which the rules cannot tell apart`;
  }
  return `${own("PREFIX")}${wanted}${changed ? ", by rule" : ": nothing had to change"}`;
}

/** The other way round; of several words with one counterpart the first. */
function turned(pairs) {
  const found = new Map();
  for (const [one, other] of pairs) if (!found.has(other)) found.set(other, one);
  return found;
}

/** The longest of the endings that the word has; empty: none. A whole word in the table is only that word. */
function endingOf(word, endings) {
  let longest = "";
  for (const one of endings.keys()) {
    const fits = isWhole(one) ? word === one : word.endsWith(one) && word !== one;
    if (fits && one.length > longest.length) longest = one;
  }
  return longest;
}

function withEnding(word, endings) {
  const ending = endingOf(word, endings);
  return word.slice(0, word.length - ending.length) + endings.get(ending);
}

const isWhole = (ending) => ["हैं", "हों", "हो"].includes(ending);
