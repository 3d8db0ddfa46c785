// What Python's patterns can do and a regular expression of JavaScript cannot do as it is.

const variants = new WeakMap(); // pattern → kind → the same pattern made ready

function variant(pattern, kind, make) {
  if (!variants.has(pattern)) variants.set(pattern, {});
  const found = (variants.get(pattern)[kind] ??= make());
  found.lastIndex = 0;
  return found;
}

const flagsOf = (pattern, more) => [...pattern.flags].filter((flag) => !"gy".includes(flag)).join("") + more;

/** The first occurrence, or null. */
export const search = (pattern, text) =>
  variant(pattern, "search", () => new RegExp(pattern.source, flagsOf(pattern, ""))).exec(text);

/** What stands at the beginning of a text, or null. */
export const matchStart = (pattern, text) =>
  variant(pattern, "start", () => new RegExp(pattern.source, flagsOf(pattern, "y"))).exec(text);

/** The pattern as the whole of a text, or null. */
export const fullMatch = (pattern, text) =>
  variant(pattern, "full", () => new RegExp(`^(?:${pattern.source})$`, flagsOf(pattern, "").replace("m", ""))).exec(text);

/** The text with every occurrence changed by a function of the match. */
export const substituted = (pattern, text, change) =>
  text.replace(
    variant(pattern, "all", () => new RegExp(pattern.source, flagsOf(pattern, "g"))),
    (...found) => change(found),
  );

/** A text as a pattern that finds it. */
export const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A replacement in Python's writing: \1 is what the first group found. */
export const expanded = (template, found) =>
  template.replace(/\\(?:(\d)|g<(\d+)>|(\\))/g, (_, one, other, slash) => slash ?? found[Number(one ?? other)] ?? "");
