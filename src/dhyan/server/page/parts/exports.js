// Every figure can be taken along: SVG, PNG, CSV, JSON, a line of NumPy; the whole trace as one HTML.

import { text } from "./api.js";
import { copyButton } from "./copying.js";
import { button, h, save } from "./dom.js";
import { exact } from "./numbers.js";
import { t } from "./i18n.js";
import { tab } from "./transport.js";

const fileName = (address, ending) => `${address.replace(/[^A-Za-z0-9_.]+/g, "-").replace(/-$/, "")}.${ending}`;
const theme = () => (getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "dark" : "light");

/** Buttons for an address.
 *
 * shown: { name, columns, rows, values }, where what is seen is less than what lies at the address: then the files have
 * just that; `values` is the column that NumPy gets. figure: whether there is a picture of it. tell: shows what failed.
 *
 * @param {{ words?: boolean, figure?: boolean, tell?: (message: string) => void,
 *   shown?: { name: string, columns: string[], rows: any[][], values: string } }} options */
export function exportBar(trace, address, options = {}) {
  const { words = false, shown, tell = (_message) => {} } = options;
  const figure = (options.figure ?? true) && !tab; // a server draws it
  const question = { ...trace.question, ...(words ? { words: "true" } : {}) };
  const at = (format) => text(`at/${encodeURIComponent(address)}`, { ...question, format });
  const picture = () => text(`figure/${encodeURIComponent(address)}`, { ...question, theme: theme() });
  const name = shown?.name ?? address;
  const isArray = address !== "beam";
  const taken = (label, ending, content, type = "") =>
    button(label, async () => {
      try {
        save(fileName(name, ending), await content(), type);
      } catch (problem) {
        tell(problem.message);
      }
    });
  return h(
    "div",
    { class: "exports", role: "group", "aria-label": t("Take it along") },
    figure && taken("SVG", "svg", picture, "image/svg+xml"),
    figure && taken("PNG", "png", async () => drawn(await picture())),
    isArray && taken("CSV", "csv", () => (shown ? asCsv(shown) : at("csv")), "text/csv"),
    isArray && taken("JSON", "json", () => (shown ? asJson(trace, shown) : at("json")), "application/json"),
    isArray &&
      copyButton(t("Copy as NumPy"), async () =>
        shown ? rowsAsNumPy(shown) : asNumPy(await trace.numbers(address, words)),
      ),
    !tab &&
      button(t("All as HTML"), async () => {
        try {
          save("explained.html", await text("html", trace.question), "text/html");
        } catch (problem) {
          tell(problem.message);
        }
      }),
  );
}

const plain = (value) => (typeof value === "number" ? exact(value) : String(value));
const quoted = (value) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);

const asCsv = ({ columns, rows }) =>
  [columns, ...rows].map((row) => `${row.map((one) => quoted(plain(one))).join(",")}\n`).join("");

const asJson = (trace, { name, columns, rows }) =>
  JSON.stringify({
    what: name,
    text: trace.info.asked,
    rows: rows.map((row) => Object.fromEntries(row.map((one, column) => [columns[column], one]))),
  });

const rowsAsNumPy = ({ name, columns, rows, values }) => {
  const column = columns.indexOf(values);
  const said = rows.map((row) => exact(row[column]).replace("-inf", "-np.inf").replace("NaN", "np.nan"));
  return `np.array([${said.join(", ")}], dtype=np.float32)  # ${name}: ${values}`;
};

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
