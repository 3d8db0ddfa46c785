// Every figure can be taken along: SVG, PNG, CSV, JSON, a NumPy file, a line of NumPy; the whole trace as one HTML.

import { text } from "./api.js";
import { button, h, save } from "./dom.js";
import { exact } from "./numbers.js";
import { t } from "./i18n.js";

const fileName = (address, ending) => `${address.replace(/[^A-Za-z0-9_.]+/g, "-").replace(/-$/, "")}.${ending}`;
const theme = () => (getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "dark" : "light");

/** Buttons for an address. tell: shows a line about what happened. */
export function exportBar(trace, address, { words = false, tell = (_message, _good = false) => {} } = {}) {
  const question = { ...trace.question, ...(words ? { words: "true" } : {}) };
  const at = `at/${encodeURIComponent(address)}`;
  const figure = () => text(`figure/${encodeURIComponent(address)}`, { ...question, theme: theme() });
  const trying = (work) => async () => {
    try {
      await work();
    } catch (problem) {
      tell(problem.message);
    }
  };
  const isArray = !["beam"].includes(address);
  return h(
    "div",
    { class: "exports", role: "group", "aria-label": t("Take it along") },
    button(
      "SVG",
      trying(async () => save(fileName(address, "svg"), await figure(), "image/svg+xml")),
    ),
    button(
      "PNG",
      trying(async () => save(fileName(address, "png"), await drawn(await figure()))),
    ),
    isArray &&
      button(
        "CSV",
        trying(async () =>
          save(fileName(address, "csv"), await text(at, { ...question, format: "csv" }), "text/csv"),
        ),
      ),
    isArray &&
      button(
        "JSON",
        trying(async () =>
          save(fileName(address, "json"), await text(at, { ...question, format: "json" }), "application/json"),
        ),
      ),
    isArray &&
      button(
        t("Copy as NumPy"),
        trying(async () => {
          await navigator.clipboard.writeText(asNumPy(await trace.numbers(address, words)));
          tell(t("Copied."), true);
        }),
      ),
    button(
      t("All as HTML"),
      trying(async () => save("explained.html", await text("html", trace.question), "text/html")),
    ),
  );
}

/** A line that makes the same array in Python. */
export function asNumPy(numbers) {
  const nested = (axis, begin) => {
    if (axis === numbers.shape.length) return exact(numbers.data[begin]).replace("-inf", "-np.inf");
    const size = numbers.shape.slice(axis + 1).reduce((product, one) => product * one, 1);
    return `[${Array.from({ length: numbers.shape[axis] }, (_, index) => nested(axis + 1, begin + index * size)).join(", ")}]`;
  };
  return `np.array(${nested(0, 0)}, dtype=np.float32)  # ${numbers.address}`;
}

/** SVG → PNG, by the browser itself, twice as large: it shapes Devanagari. */
async function drawn(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = h("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}
