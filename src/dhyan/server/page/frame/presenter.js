// Presenter mode: large type, one thing at a time, keys only. It stands in the URL: present=1, or which thing is shown.
// A view marks its things by `thing(name, title)` of dom.js and goes on by `next()` and `previous()`.

import { button, fill, h } from "../parts/dom.js";
import { filled, t } from "../parts/i18n.js";
import { go, state } from "../parts/url-state.js";

const rules = new CSSStyleSheet(); // a rule outlives that a view draws its elements anew
document.adoptedStyleSheets.push(rules);
const line = h("aside", { class: "presenting", hidden: true });
const watching = new MutationObserver(() => showOne());
let shown = null;

/** The things of the view that is shown, in their order. */
export const things = () =>
  /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main [data-thing]")]).filter((one) => !one.hidden);

export const isPresenting = () => Boolean(state.present);

/** The page as the state says. Views come and go in `main`. */
export function present(main, title) {
  const on = isPresenting();
  document.documentElement.toggleAttribute("data-present", on);
  line.hidden = !on;
  watching.disconnect();
  shown = null;
  if (!on) return rules.replaceSync("");
  if (!line.isConnected) document.body.append(line);
  watching.observe(main, { childList: true, subtree: true });
  line.dataset.title = title;
  return showOne();
}

export function toggle() {
  go({ present: isPresenting() ? "" : "1" }, true);
  const at = isPresenting() ? "#main" : '[data-key="present"]';
  /** @type {HTMLElement} */ (document.querySelector(at))?.focus({ preventScroll: true });
}

/** Another thing: the one after, or before. */
export function turn(by) {
  const names = things().map((one) => one.dataset.thing);
  const here = names.indexOf(shown);
  const wanted = names[(here + by + names.length) % names.length];
  if (wanted) go({ present: wanted }, true);
}

function showOne() {
  const all = things();
  const one = all.find(({ dataset }) => dataset.thing === state.present) ?? all[0];
  const name = one?.dataset.thing ?? null;
  if (name !== shown || !line.firstChild) {
    shown = name;
    const rule = `main [data-thing]:not([data-thing="${name}"]) { display: none !important; }`;
    rules.replaceSync(name ? rule : "");
  }
  const where = all.length > 1 ? `${one.ariaLabel} (${all.indexOf(one) + 1} / ${all.length})` : "";
  const said = [line.dataset.title, where, filled(t("{key}: keys"), { key: "?" })].filter(Boolean).join(" · ");
  if (line.firstChild?.textContent !== said)
    fill(line, h("span", null, said), " ", button(t("End"), toggle, { class: "small", title: "p" }));
}
