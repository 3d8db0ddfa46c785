// Elements in one line each. Styles go through classes and the CSSOM: the page's policy allows nothing inline.

const SVG = "http://www.w3.org/2000/svg";
const MATH = "http://www.w3.org/1998/Math/MathML";

function make(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

export const h = (tag, properties, ...children) => make(document.createElement(tag), properties, children);
export const s = (tag, properties, ...children) => make(document.createElementNS(SVG, tag), properties, children);
export const m = (tag, properties, ...children) => make(document.createElementNS(MATH, tag), properties, children);

/** Fill an element anew. */
export function fill(element, ...children) {
  element.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

export function select(label, options, chosen, change, properties = {}) {
  const list = h(
    "select",
    { onchange: (event) => change(event.target.value), ...properties },
    options.map(([value, text]) => h("option", { value, selected: String(value) === String(chosen) }, text)),
  );
  return h("label", { class: "field" }, h("span", null, label), list);
}

export function button(text, press, properties = {}) {
  return h("button", { type: "button", onclick: press, ...properties }, text);
}

/** A text and the language that it is in, so that it is shaped and read aloud right. */
export function language(text) {
  return /[\u0900-\u097f]/.test(text) ? "hi" : "en";
}

export function save(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Call once things are quiet for so many milliseconds. */
export function later(wait, call) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), wait);
  };
}

/** Scroll sideways, and only as far as needed; unlike scrollIntoView it leaves the keyboard where it is. */
export function bringIntoView(here, box, beside = 8) {
  const [inside, outside] = [here.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inside.left < outside.left) box.scrollLeft += inside.left - outside.left - beside;
  if (inside.right > outside.right) box.scrollLeft += inside.right - outside.right + beside;
}

/** Fill anew, and keep the keyboard and the scroll bars where they were: data-key and data-scroll name the elements. */
export function refill(element, ...children) {
  const active = /** @type {HTMLElement} */ (document.activeElement);
  const key = element.contains(active) ? active.dataset.key : null;
  const scrolled = [...element.querySelectorAll("[data-scroll]")].map((one) => [
    one.dataset.scroll,
    one.scrollLeft,
    one.scrollTop,
  ]);
  fill(element, ...children);
  for (const [name, left, top] of scrolled) {
    const one = element.querySelector(`[data-scroll="${CSS.escape(name)}"]`);
    one?.scrollTo(left, top);
  }
  for (const here of element.querySelectorAll("[data-scroll] .here")) bringIntoView(here, here.closest("[data-scroll]"));
  if (key) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  return element;
}

/** A part of a view that is a thing of its own: a skip link leads to it, and presenter mode shows it alone. */
export const thing = (name, title) => ({ "data-thing": name, "aria-label": title, tabindex: "-1" });

/** One stop for Tab; ← → Home and End go through the rest of the group. */
export function roving(group) {
  const items = () => /** @type {HTMLElement[]} */ ([...group.querySelectorAll("a[href], button:not(:disabled)")]);
  const settle = (here) => items().forEach((one) => (one.tabIndex = one === here ? 0 : -1));
  const chosen = () => items().find((one) => one.matches("[aria-current], [aria-pressed='true']")) ?? items()[0];
  group.addEventListener("focusin", (event) => settle(event.target));
  group.addEventListener("keydown", (event) => {
    const all = items(),
      here = all.indexOf(event.target);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || here < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation(); // a view may have the arrow keys, too
    all[(to + all.length) % all.length].focus();
  });
  settle(chosen());
  return group;
}

/** Tabs within a view: what is chosen is in the state under `name`. */
export function tabs(label, options, chosen, choose) {
  return roving(
    h(
      "div",
      { class: "tabs", role: "group", "aria-label": label },
      options.map(([value, text]) =>
        button(text, () => choose(value), { "aria-pressed": String(value === chosen), "data-key": `tab-${value}` }),
      ),
    ),
  );
}
