// Tables and plots as the server has them. A plot is the SVG of `dhyan lab`, put into the page so that it takes its
// colours; its words are translated where the page knows them.

import { button, h, language, save } from "../../parts/dom.js";
import { said, t } from "../../parts/i18n.js";

const WIDEST = 560,
  NARROWEST = 280;

/** How wide a plot may be in this container: two stand side by side where there is room for it. */
export function figureWidth(container) {
  const room = container.clientWidth || WIDEST;
  const each = room >= 2 * 400 ? (room - 16) / 2 : room;
  return Math.round(Math.min(WIDEST, Math.max(NARROWEST, each - 2)) / 20) * 20;
}

/** A title in the reader's language; some have numbers of the experiment in them. */
const named = (title) => said(t(title));

export const figures = (found, of) =>
  found.map((one) =>
    h(
      "figure",
      { class: "figure", "data-figure": one.name },
      h(
        "figcaption",
        { class: "row tight" },
        h("b", { lang: language(named(one.title)) }, named(one.title)),
        button("SVG", () => save(`${of}-${one.name}.svg`, one.svg, "image/svg+xml"), {
          class: "small",
          "aria-label": `SVG: ${named(one.title)}`,
          "data-key": `svg-${one.name}`,
        }),
      ),
      h("div", { class: "plot" }, drawing(one)),
    ),
  );

function drawing({ svg, title }) {
  const plain = svg.replaceAll(/<style>.*?<\/style>/gs, ""); // the page has its own, and allows no other
  const found = new DOMParser().parseFromString(plain, "image/svg+xml").documentElement;
  found.querySelector("title").remove();
  found.setAttribute("aria-label", named(title));
  for (const text of found.querySelectorAll("text")) text.textContent = t(text.textContent);
  return document.adoptNode(found);
}

const isNumber = (cell) => /^[+\-−]?\d/.test(cell);

export const tables = (found) =>
  found.map((one) =>
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "group", "aria-label": named(one.title) },
      h(
        "table",
        { class: "numbers words-first" },
        h("caption", null, named(one.title)),
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            one.headers.map((header) => h("th", { scope: "col" }, t(header))),
          ),
        ),
        h(
          "tbody",
          null,
          one.rows.map(([first, ...rest]) =>
            h(
              "tr",
              null,
              h("th", { scope: "row", lang: language(t(first)) }, t(first)),
              rest.map((cell) =>
                h("td", { class: isNumber(cell) ? null : "text", lang: language(t(cell)) }, t(cell)),
              ),
            ),
          ),
        ),
      ),
    ),
  );
