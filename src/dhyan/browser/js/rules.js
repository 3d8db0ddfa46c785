// Python's rules: its patterns, constants and tables, as dhyan.browser.rules writes them. They are set once, after all
// modules were imported: a module asks for a rule inside a function, or through `lazy`.

let rules = null;
const read = new Map(); // "module name" → value
const reset = []; // of all lazy values
const globals = new WeakMap(); // pattern → the same with flag g and a place of its own

/** The object of rules.json. */
export function setRules(object) {
  rules = object;
  read.clear();
  reset.forEach((forget) => forget());
}

/**
 * A constant of a Python module: rule("translation.numbers", "_NUMBER"). A pattern comes as a RegExp with flag g, to be
 * used with `matches` and the functions of core/patterns.js; a dictionary as a Map, a set as a Set, a tuple as an array.
 */
export function rule(module, name = null) {
  if (name === null) return table(module);
  const key = `${module} ${name}`;
  if (!read.has(key)) {
    const found = table(module)[name];
    if (found === undefined) throw new Error(`There is no rule ${name} in ${module}.`);
    read.set(key, decoded(found));
  }
  const value = read.get(key);
  if (value instanceof RegExp) value.lastIndex = 0;
  return value;
}

/** A table by its path below dhyan/: an object for TOML ("translation/checks/en.toml"), the text for TSV. */
export function table(path) {
  if (!rules) throw new Error("The rules are not set yet.");
  if (!Object.hasOwn(rules, path)) throw new Error(`There are no rules of ${path}.`);
  return rules[path];
}

/** The paths of the tables in a folder: tables("text/languages/"). */
export const tables = (folder) => Object.keys(rules).filter((path) => path.startsWith(folder));

/** A function that gives what `make` makes, which is made when it is first asked for. */
export function lazy(make) {
  let made = false;
  let value;
  reset.push(() => {
    made = false;
    value = undefined;
  });
  return () => {
    if (!made) [value, made] = [make(), true];
    return value;
  };
}

function decoded(value) {
  if (Array.isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== "object") return value;
  if ("regex" in value) return new RegExp(value.regex, value.flags);
  if ("set" in value) return new Set(value.set);
  return new Map(value.map.map(([key, one]) => [key, decoded(one)]));
}

/** All matches from `start` on and before `end`, like Python's finditer. */
export function matches(regex, text, start = 0, end = text.length) {
  let every = globals.get(regex);
  if (!every) globals.set(regex, (every = new RegExp(regex.source, regex.flags.replace(/[gy]/g, "") + "g")));
  every.lastIndex = start;
  return [...(end < text.length ? text.slice(0, end) : text).matchAll(every)];
}
