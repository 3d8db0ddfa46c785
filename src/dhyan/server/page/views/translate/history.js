// What was translated before, kept by this browser alone; it can be cleared, and switched off.

import { button, fill, h } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";
import { keep, recall } from "../../parts/storage.js";

const MOST = 50;
const LONGEST = 2000; // characters of a text that is kept

const isOn = () => recall("history-off") !== "yes";

function read() {
  try {
    const found = JSON.parse(recall("history") ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

const write = (entries) => keep("history", JSON.stringify(entries));

/** A list that is filled when it is opened. open: called with what was chosen. */
export class History {
  constructor(open) {
    this.open = open;
    this.list = h("div");
    this.element = h(
      "details",
      { class: "history", ontoggle: () => this.element.open && this.draw() },
      h("summary", null, t("History")),
      this.list,
    );
  }

  /** What is typed further takes the place of what it was before. */
  add(text, translation, model) {
    if (!isOn() || text.length > LONGEST) return;
    const others = read().filter(
      (one, index) => one.text !== text && !(index === 0 && one.model === model && text.startsWith(one.text)),
    );
    write([{ text, translation, model, when: Date.now() }, ...others].slice(0, MOST));
    if (this.element.open) this.draw();
  }

  draw() {
    const entries = read();
    const clear = () => {
      write([]);
      this.draw();
    };
    const turn = (event) => {
      keep("history-off", event.target.checked ? "no" : "yes");
      if (!event.target.checked) write([]);
      this.draw();
    };
    fill(
      this.list,
      h(
        "div",
        { class: "row" },
        h(
          "label",
          { class: "field" },
          h("input", { type: "checkbox", checked: isOn(), onchange: turn }),
          h("span", null, t("Keep a history in this browser")),
        ),
        entries.length > 0 && button(t("Clear it"), clear),
      ),
      h("p", { class: "muted" }, t("It is kept on your machine and sent nowhere.")),
      h(
        "ol",
        null,
        entries.map((one) =>
          h(
            "li",
            null,
            h(
              "button",
              { type: "button", class: "entry", onclick: () => this.open(one) },
              h("span", null, one.text),
              h("span", { class: "muted" }, one.translation),
            ),
          ),
        ),
      ),
    );
  }
}
