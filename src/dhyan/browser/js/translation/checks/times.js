// Times of the day: 9 in the morning is not 9 at night.

import { fullMatch, search } from "../../core/patterns.js";
import { split } from "../../core/python-text.js";
import { rule } from "../../rules.js";
import { folded, pattern } from "./spaced.js";

const own = (name) => rule("translation.checks.times", name);

/** minutes: since midnight or noon; half: of the day, am or pm; of an impossible time, what it is said to be. */
export class ClockTime {
  constructor(minutes, half) {
    this.minutes = minutes;
    this.half = half;
    Object.freeze(this);
  }

  toString() {
    const [hour, minute] = [Math.floor(this.minutes / 60), this.minutes % 60];
    return `${hour || 12}${minute ? `:${String(minute).padStart(2, "0")}` : ""} ${this.half[0]}.m.`;
  }

  equals(other) {
    return this.minutes === other.minutes && this.half === other.half;
  }
}

/**
 * How a language says when in the day a time is.
 * - marks: am, pm, morning, noon, evening, night → words
 * - markComesBefore: सुबह 9 बजे, but 9 in the morning
 * - clock: words that make a number a time
 * - between: words that may stand between a number and its mark
 * - dayWords: other words for a part of the day
 * - addedBefore: half past nine, साढ़े नौ: hours
 */
export class TimeWords {
  constructor(marks, markComesBefore, clock, between, dayWords, addedBefore, numbers) {
    this.marks = marks;
    this.markComesBefore = markComesBefore;
    this.clock = clock;
    this.between = between;
    this.dayWords = dayWords;
    this.addedBefore = addedBefore;
    this.numbers = numbers;
    Object.freeze(this);
  }

  static of(table, numbers) {
    const marks = new Map(Object.entries(table.marks ?? {}).map(([name, words]) => [`<${name}>`, pattern(words)]));
    const set = (name) => new Set((table[name] ?? []).map(folded));
    const added = new Map();
    for (const [hours, listed] of Object.entries(table.added_before ?? {}))
      for (const one of listed) added.set(folded(one), Number(hours));
    const comesBefore = table.mark_comes === "before";
    return new TimeWords(marks, comesBefore, set("clock"), set("between"), set("day_words"), added, numbers);
  }

  namesPartOfDay(text) {
    const isMarked = [...this.marks.values()].some((mark) => search(mark, text));
    return isMarked || split(text).some((word) => this.dayWords.has(word));
  }

  /** The times of a spaced text that have a mark of their own and can be nothing else. */
  times(text) {
    const tokens = this.#tokens(text);
    return [...this.#marked(tokens)].filter(([at]) => this.#isOfTheClock(tokens, at)).map(([, time]) => time);
  }

  /** The same, and what a mark of another time may be meant for too: "between 9 and 11 a.m.", सुबह 9 से 11 बजे. */
  timesWithSharedMarks(text) {
    const tokens = this.#tokens(text);
    const marked = this.#marked(tokens);
    const found = [];
    let half = null;
    const order = this.markComesBefore ? [...tokens.keys()] : [...tokens.keys()].reverse();
    for (const at of order) {
      // from the side on which marks stand
      const minutes = marked.has(at) || half === null ? null : this.#minutes(tokens, at);
      if (marked.has(at)) {
        found.push(marked.get(at));
        half = marked.get(at).half;
      } else if (minutes !== null) {
        found.push(new ClockTime(minutes, half));
      }
    }
    return this.markComesBefore ? found : found.reverse();
  }

  #tokens(text) {
    for (const [name, mark] of this.marks) text = text.replace(mark, () => name);
    for (const phrase of this.addedBefore.keys()) {
      if (phrase.includes(" ")) text = text.replaceAll(` ${phrase} `, ` ${phrase.replaceAll(" ", own("_WITHIN"))} `);
    }
    return split(text).map((token) => token.replaceAll(own("_WITHIN"), " "));
  }

  /** 9:30, 9 o'clock, 9 a.m., 9 in the morning; not "one night". */
  #isOfTheClock(tokens, at) {
    const following = tokens[at + 1] ?? "";
    const isAfter = this.clock.has(following) || (!this.markComesBefore && this.between.has(following));
    return tokens[at].includes(":") || isAfter || own("_ABBREVIATIONS").includes(following);
  }

  /** Where a time stands → the time, for those with a mark. */
  #marked(tokens) {
    if (!tokens.some((token) => this.marks.has(token))) return new Map();
    const numbers = [...tokens.keys()].filter((at) => this.#minutes(tokens, at) !== null);
    const usual = this.markComesBefore ? -1 : 1;
    const markOf = new Map();
    for (const at of numbers) {
      const mark = this.#markBeside(tokens, at, usual);
      if (mark !== null) markOf.set(at, mark);
    }
    for (const at of numbers) {
      const mark = this.#markBeside(tokens, at, -usual);
      if (!markOf.has(at) && mark !== null && ![...markOf.values()].includes(mark)) markOf.set(at, mark);
    }
    return new Map([...markOf].map(([at, mark]) => [at, clockTime(this.#minutes(tokens, at), tokens[mark])]));
  }

  #markBeside(tokens, at, step) {
    for (let steps = 0; steps < own("_FARTHEST"); steps += 1) {
      at += step;
      if (at < 0 || at >= tokens.length) return null;
      if (this.marks.has(tokens[at])) return at;
      if (!this.between.has(tokens[at]) && !this.addedBefore.has(tokens[at])) return null;
    }
    return null;
  }

  /** Those since midnight or noon, if the token can be a time of the day. */
  #minutes(tokens, at) {
    const found = fullMatch(own("_CLOCK_TIME"), tokens[at]);
    if (found) {
      const [hour, minute] = [Number(found[1]), Number(found[2] ?? 0)];
      return hour <= 24 && minute < 60 ? (hour % 12) * 60 + minute : null;
    }
    const hours = this.numbers.words.get(tokens[at]);
    if (hours === undefined || !(hours >= 1 && hours <= 12)) return null;
    const added = at > 0 ? (this.addedBefore.get(tokens[at - 1]) ?? 0) : 0;
    return Math.round(((hours + added) % 12) * 60);
  }
}

function clockTime(minutes, mark) {
  const hour = Math.floor(minutes / 60); // twelve is 0
  // 7 at noon is no time, and agrees with none
  if (mark === "<noon>" && own("_LAST_AT_NOON") < hour && hour < own("_FIRST_AT_NOON")) {
    return new ClockTime(minutes, "noon");
  }
  const isLateMorning = mark === "<noon>" && hour >= own("_FIRST_AT_NOON");
  const isEarly = mark === "<night>" && hour < 6;
  return new ClockTime(minutes, isLateMorning || isEarly || ["<am>", "<morning>"].includes(mark) ? "am" : "pm");
}

/** A time keeps its half of the day, and none is added to one that has none. */
export class TimeCheck {
  constructor(source, target) {
    this.source = source;
    this.target = target;
  }

  notes(source, target) {
    const there = this.source.times(source);
    const here = there.length > 0 ? this.target.timesWithSharedMarks(target) : this.target.times(target);
    if (there.length === 0 && here.length > 0 && !this.source.namesPartOfDay(source)) {
      return [`the time ${here[0]} is not in the source`];
    }
    const places = there.map((time) => here.findIndex((other) => other.equals(time)));
    let wrong = there.filter((_, number) => places[number] < 0);
    // What is from 8 in the morning to 8 at night is not from 8 at night to 8 in the morning.
    if (wrong.length === 0 && places.some((place, number) => place < (places[number - 1] ?? 0))) wrong = there;
    const first = wrong.filter((time, number) => wrong.findIndex((other) => other.equals(time)) === number);
    return first.map((time) => `the time ${time} may be wrong`);
  }
}
