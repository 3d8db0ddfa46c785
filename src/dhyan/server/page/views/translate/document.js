// A document, dropped or chosen: its translation is watched, and fetched when it is done.

import { blob, postLines, Problem } from "../../parts/api.js";
import { button, fill, h, save } from "../../parts/dom.js";
import { t } from "../../parts/i18n.js";

const megabytes = (bytes) => `${(bytes / 1e6).toLocaleString(undefined, { maximumFractionDigits: 1 })} MB`;

export class Documents {
  #stop = new AbortController();

  constructor(model, known) {
    this.model = model;
    this.known = known;
    this.panel = h("section", { class: "document", "aria-label": t("Document"), hidden: true });
    this.input = h("input", {
      type: "file",
      class: "unseen",
      tabindex: "-1",
      "aria-label": t("Document"),
      accept: known.file_suffixes.join(","),
      onchange: () => {
        this.take(this.input.files[0]);
        this.input.value = "";
      },
    });
    this.choose = button(t("Choose a document"), () => this.input.click(), {
      class: "quiet",
      title: known.file_suffixes.join(" "),
    });
    this.choose.hidden = !known.file_suffixes.length; // this server takes none
  }

  /** Files may be dropped anywhere on this element. */
  dropOn(element) {
    const carries = (event) => event.dataTransfer?.types.includes("Files");
    const over = (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      element.classList.add("dropping");
    };
    element.addEventListener("dragover", over);
    element.addEventListener("dragleave", (event) => {
      if (!element.contains(event.relatedTarget)) element.classList.remove("dropping");
    });
    element.addEventListener("drop", (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      element.classList.remove("dropping");
      this.take(event.dataTransfer.files[0]);
    });
  }

  async take(file) {
    if (!file) return;
    this.#stop.abort();
    const { signal } = (this.#stop = new AbortController());
    const bar = h("progress", { "aria-label": file.name });
    const count = h("span", { class: "muted", role: "status" }, t("Being sent…"));
    const stop = button(t("Stop"), () => {
      this.#stop.abort();
      this.put();
    });
    this.put(h("p", null, h("b", null, file.name), " ", h("span", { class: "muted" }, megabytes(file.size))), [
      h("div", { class: "row" }, bar, count, stop),
    ]);
    this.panel.setAttribute("aria-busy", "true");
    try {
      if (file.size > this.known.most_file_bytes)
        throw new Problem(`${t("This document is too large; the most is")} ${megabytes(this.known.most_file_bytes)}.`);
      const form = new FormData();
      form.append("model", this.model.name);
      form.append("file", file, file.name);
      /** @type {any} */ let last = {};
      await postLines("documents", form, signal, (line) => {
        last = line;
        if (line.of === undefined || signal.aborted) return;
        bar.max = Math.max(1, line.of);
        bar.value = line.done;
        count.textContent = `${line.done} / ${line.of}`;
      });
      if (signal.aborted) return;
      if (!last?.key) throw new Problem(last.error ?? t("The translation of the document was cut off; send it again."));
      this.#done(last);
    } catch (problem) {
      if (problem.name === "AbortError" || signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      this.put(
        h("p", null, h("b", null, file.name)),
        h("p", { class: "problem", role: "alert" }, problem.message),
        true,
      );
    } finally {
      if (signal === this.#stop.signal) this.panel.removeAttribute("aria-busy");
    }
  }

  #done({ key, name, texts, noted, failed, remarks }) {
    const fetchIt = async () => save(name, await blob(`documents/${key}`), "application/octet-stream");
    this.put(
      h("p", { role: "status" }, h("b", null, name), " ", t("is ready.")),
      [
        h("div", { class: "row" }, button(t("Download"), fetchIt, { class: "strong" })),
        h(
          "p",
          { class: "muted" },
          `${t("Texts")}: ${texts}. ${t("That call for a look")}: ${noted}. `,
          failed > 0 && `${t("Left as they were")}: ${failed}. `,
          remarks.join(" "),
        ),
      ],
      true,
    );
  }

  put(title = null, content = null, closes = false) {
    this.panel.hidden = !title;
    fill(
      this.panel,
      title &&
        h(
          "div",
          { class: "row" },
          title,
          closes && button("✕", () => this.put(), { "aria-label": t("Close"), class: "quiet" }),
        ),
      content,
    );
  }
}
