// What the page shows is its URL: a link re-creates the view, back and forward walk through what was looked at.

// How a model may be changed: heads off, tokens forced, words hidden, numbers set. Each is a list, and belongs to one text.
const CHANGES = ["off", "force", "hide", "set"];
const listeners = new Set();

/** The part of the state that leaves the model as it is.
 * @returns {Record<string, string[]>} */
export function unchanged() {
  return Object.fromEntries(CHANGES.map((name) => [name, []]));
}

export const state = read();

function read() {
  const [view, ...rest] = location.hash.replace(/^#\/?/, "").split("?");
  const query = rest.join("?"); // a link that was written by hand may ask "How are you?"
  /** @type {Record<string, any>} */
  const found = { view: view || "translate", ...unchanged() };
  for (const [name, value] of new URLSearchParams(query)) {
    if (CHANGES.includes(name.replace(/2$/, ""))) (found[name] ??= []).push(value); // off2: of what it is compared with
    else if (name === "hidden") found.hide.push(...value.split(",")); // as the first release wrote it
    else if (name !== "view") found[name] = value;
  }
  return found;
}

export function hash(wanted) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) {
    if (name === "view") continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") parameters.append(name, one);
    }
  }
  // Brackets, colons, commas and equals signs stay readable: an address in the URL is the address, and set=A=0 says so.
  const query = parameters
    .toString()
    .replace(/%5B/g, "[")
    .replace(/%5D/g, "]")
    .replace(/%2C/g, ",")
    .replace(/%3A/g, ":")
    .replace(/%3D/g, "=")
    .replace(/%7E/g, "~");
  return `#/${wanted.view}${query ? `?${query}` : ""}`;
}

/** Change some of it. `replace`: without a step for the back button. */
export function go(changes, replace = false) {
  const wanted = { ...state, ...changes };
  const link = hash(wanted);
  if (link === location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", link);
  arrived();
}

/** Take back what a link got wrong: neither a step for the back button nor news for anybody. */
export function amend(changes) {
  Object.assign(state, changes);
  for (const [name, value] of Object.entries(changes)) if (value === "") delete state[name];
  history.replaceState(null, "", hash(state));
}

function arrived() {
  const found = read();
  const before = { ...state };
  for (const name of Object.keys(state)) delete state[name];
  Object.assign(state, found);
  for (const listener of listeners) listener(state, before);
}

export const whenChanged = (listener) => listeners.add(listener);

window.addEventListener("popstate", arrived);
window.addEventListener("hashchange", () => {
  if (hash(state) !== location.hash) arrived();
});
