// The keys that work in every view, and the help that lists those of all views.

import { button, fill, h } from "../parts/dom.js";
import { key, t } from "../parts/i18n.js";
import { isPresenting, toggle, turn } from "./presenter.js";

// view → [keys, what they do]; a view that listens to keys of its own says so here
const EVERYWHERE = [
  ["Tab", key("to everything; the first stops are skip links")],
  ["← → Home End", key("within the views, within tabs")],
  ["← ↑ ↓ → Enter", key("in a matrix: move, and open the number")],
  ["0 … 9 − F2", key("in a matrix: set the cell by hand, as does a double click")],
  ["p", key("presenter mode, and out of it")],
  ["?", key("this help")],
];
const PRESENTING = [
  ["→ Space PageDown", key("one step on: the next step, card or chapter")],
  ["← PageUp", key("one step back")],
  ["t T", key("the next thing of the view, the one before")],
  ["1 … 9 0", key("another view, in the order of the header")],
  ["Esc", key("out of presenter mode")],
];
const VIEW_KEYS = {
  bench: [
    ["[ ]", key("one step back, one on")],
    ["Space", key("in the flow picture: play and pause")],
  ],
  compare: [
    ["[ ]", key("one step back, one on")],
    ["Space", key("in the flow picture: play and pause")],
    ["← →", key("in Follow: the card before, the next one")],
  ],
  space: [
    ["[ ]", key("one layer back, one on")],
    ["Space", key("play, and pause")],
    ["+ − 0", key("on the map: closer, farther, all of it")],
  ],
  watch: [
    ["[ ]", key("the checkpoint before, the next one")],
    ["Space", key("play, and pause")],
  ],
  follow: [["← →", key("the card before, the next one")]],
  learn: [["← → PageUp PageDown", key("the chapter before, the next one")]],
};

const typing = (target) =>
  target.matches("textarea, select, [contenteditable], input:not([type='checkbox'], [type='radio'])");

/** view(): the one that is shown; views(): [name, title, link] as in the header. */
export function listenToKeys({ view, views }) {
  // Views listen to the document, too, but later: what is handled here goes no further.
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(target)) return;
    if (document.querySelector("dialog[open]")) return;
    const act = (isPresenting() && whilePresenting(event, target, view(), views())) || anywhere(event, views);
    if (!act) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    act();
  });
}

function anywhere(event, views) {
  if (event.key === "?") return () => showKeys(views());
  if (event.key === "p") return toggle;
  return null;
}

function whilePresenting(event, target, view, views) {
  if (event.key === " " && target.matches("button, a, summary, input")) return null; // it presses that
  const forward = ["ArrowRight", "PageDown"].includes(event.key) || (event.key === " " && !event.shiftKey);
  const back = ["ArrowLeft", "PageUp"].includes(event.key) || event.key === " ";
  if (forward && view?.next) return () => view.next();
  if (back && !forward && view?.previous) return () => view.previous();
  if (event.key === "t") return () => turn(1);
  if (event.key === "T") return () => turn(-1);
  if (event.key === "Escape") return toggle;
  const chosen = /^\d$/.test(event.key) && views[(Number(event.key) + 9) % 10];
  return chosen ? () => (location.hash = chosen[2]) : null;
}

/** All keys, of all views. */
export function showKeys(views) {
  const table = (title, rows) => [
    h("h3", null, title),
    h(
      "dl",
      { class: "keys" },
      rows.map(([keys, does]) => [
        h(
          "dt",
          null,
          keys.split(" ").map((one) => [h("kbd", null, one), " "]),
        ),
        h("dd", null, t(does)),
      ]),
    ),
  ];
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "help", "aria-label": t("Keys") }));
  fill(
    dialog,
    h("div", { class: "row tight" }, h("h2", null, t("Keys")), button(t("Close"), () => dialog.close())),
    table(t("Everywhere"), EVERYWHERE),
    views.filter(([name]) => VIEW_KEYS[name]).map(([name, title]) => table(title, VIEW_KEYS[name])),
    table(t("Presenter mode"), PRESENTING),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
