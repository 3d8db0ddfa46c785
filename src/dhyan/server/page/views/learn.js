// The lesson: twelve chapters, text on the left, a stage on the right that follows it. One sentence, the reader's, goes
// through all of them; it is in the URL with the chapter and the part of it that is read.

import { get, giveUpUnfinished, Problem } from "../parts/api.js";
import { copyButton } from "../parts/copying.js";
import { fill, h, language, later } from "../parts/dom.js";
import { t } from "../parts/i18n.js";
import { keepKnown, keepWithin } from "../parts/limits.js";
import { greyWhatIsStale } from "../parts/stale.js";
import { go, hash, state as urlState } from "../parts/url-state.js";
import { View } from "../parts/view.js";
import { CHAPTERS } from "./learn/chapters.js";
import { EXAMPLE, Lesson, Missing } from "./learn/lesson.js";
import { paragraphs, prose, said, say } from "./learn/say.js";
import { BESIDE, Stage } from "./learn/stage.js";
import { SENTENCES } from "./learn/stages/one-vector.js";
import { SIZES } from "./learn/stages/square-root.js";

const SETTLED = 150; // milliseconds without scrolling, before the URL says where one is

export class Learn extends View {
  static whole = ["chapter", "part", "look", "step", "apples"];
  static choices = { d: SIZES.map(String), pe: ["2", "4", "6", "8", "10", "12"] };
  static patterns = {
    head: /** @type {[RegExp, string]} */ ([/^enc\.\d+\.self\.h\d+$/, "enc.0.self.h1"]),
    hand: /** @type {[RegExp, string]} */ ([/^((X|W_[QKV])\[\d,\d\]:-?[\d.]+;?)+$/, "X[0,1]:0.5"]),
    five: /** @type {[RegExp, string]} */ ([/^(-?[\d.]+,){14}-?[\d.]+$/, "1,2,3,… (15)"]),
  };

  lesson = null;
  chapter = 0; // the one that is read
  part = 0;
  shown = null; // the sentence that the pictures are of

  constructor(container, model, known) {
    super(container, model, known);
    this.box = h("input", { id: "sentence", type: "text", autocomplete: "off", spellcheck: "false", maxlength: "300" });
    this.answer = h("output", { class: "lesson-answer", for: "sentence", "aria-live": "polite" });
    this.stages = CHAPTERS.map((chapter) => new Stage(chapter, (part) => this.read(CHAPTERS.indexOf(chapter), part)));
    this.rail = CHAPTERS.map((chapter, index) =>
      h(
        "a",
        { "data-chapter": index + 1, onclick: (event) => this.#follow(event, index) },
        h("span", { class: "count" }, index + 1),
        h("span", { class: "title" }, prose(said(chapter.title))),
      ),
    );
    this.sections = CHAPTERS.map((chapter, index) => this.#section(chapter, index));
    fill(
      container,
      h(
        "div",
        { class: "lesson", onclick: (event) => this.#openNumber(event) },
        h(
          "div",
          { class: "lesson-top" },
          h("h1", null, say("The Transformer, from one sentence", "एक वाक्य से पूरा ट्रांसफ़ॉर्मर")),
          h(
            "p",
            { class: "lead" },
            say(
              "Twelve short chapters. Write a sentence of your own: every picture below is drawn from it, with the numbers of a model that is running while you read.",
              "बारह छोटे अध्याय। अपना कोई वाक्य लिखें: नीचे का हर चित्र उसी से बनेगा, और हर संख्या उस मॉडल की होगी जो आपके पढ़ते-पढ़ते चल रहा है।",
            ),
          ),
        ),
        h(
          "div",
          { class: "lesson-bar" },
          h(
            "form",
            { onsubmit: (event) => this.#ask(event) },
            h("label", { for: "sentence" }, say("Your sentence", "आपका वाक्य")),
            this.box,
            h("button", { class: "strong" }, say("Use it", "यही लें")),
          ),
          this.answer,
        ),
        this.problem,
        h(
          "div",
          { class: "lesson-body" },
          h(
            "nav",
            { class: "lesson-rail", "aria-label": say("Chapters", "अध्याय") },
            h(
              "ol",
              null,
              this.rail.map((one) => h("li", null, one)),
            ),
          ),
          h("div", { class: "chapters" }, this.sections, this.#end()),
        ),
      ),
    );
    this.greyWhatIsStale = greyWhatIsStale(container.querySelector(".lesson-bar"), [this.box], () => this.shown);
    this.settle = later(SETTLED, () => this.#write());
    this.#watch();
    document.onkeydown = (event) => this.#key(event);
  }

  /** Where to go from here, with the same sentence. */
  #end() {
    const translates = this.known.models.some((one) => one.shape === "encoder-decoder");
    const views = [
      translates && ["bench", t("Look inside")],
      ["follow", t("Follow")],
      this.known.labs && ["labs", t("Labs")],
    ];
    this.onwards = views.filter(Boolean).map(([view, name]) => h("a", { class: "button", "data-to": view }, name));
    return h(
      "nav",
      { class: "lesson-end", "aria-label": say("Where to go from here", "यहाँ से आगे") },
      say("From here:", "यहाँ से आगे:"),
      " ",
      this.onwards,
    );
  }

  #section(chapter, index) {
    const id = `chapter-${index + 1}`;
    return h(
      "section",
      { class: "chapter", id, "data-chapter": index + 1, "aria-labelledby": `${id}-title` },
      h(
        "div",
        { class: "telling" },
        h(
          "p",
          { class: "count" },
          say(`Chapter ${index + 1} of ${CHAPTERS.length}`, `अध्याय ${index + 1} / ${CHAPTERS.length}`),
        ),
        h("h2", { id: `${id}-title`, tabindex: "-1" }, prose(said(chapter.title))),
        chapter.parts.map((part, number) =>
          h("div", { class: "part", "data-part": number }, paragraphs(part), this.stages[index].slots[number]),
        ),
        question(chapter.question),
        more(chapter),
      ),
      this.stages[index].element,
    );
  }

  /** What is in the middle of the window is being read; stages are drawn shortly before they come into sight. */
  #watch() {
    const middle = new IntersectionObserver(
      (entries) => {
        if (!this.problem.isConnected) return middle.disconnect();
        for (const { isIntersecting, target: element } of entries) {
          const target = /** @type {HTMLElement} */ (element);
          const section = /** @type {HTMLElement} */ (target.closest(".chapter"));
          if (!isIntersecting || this.travelling) continue;
          const chapter = Number(section.dataset.chapter) - 1;
          if (target === section && chapter === this.chapter) continue;
          this.read(chapter, target === section || !BESIDE.matches ? null : Number(target.dataset.part));
        }
        return undefined;
      },
      { rootMargin: "-42% 0px -57% 0px" },
    );
    const near = new IntersectionObserver(
      (entries) => {
        if (!this.problem.isConnected) return near.disconnect();
        for (const { isIntersecting, target } of entries) {
          const stage = this.stages[Number(/** @type {HTMLElement} */ (target).dataset.chapter) - 1];
          stage.near = isIntersecting;
          if (isIntersecting && this.lesson) stage.show(this.lesson);
        }
        return undefined;
      },
      { rootMargin: "40% 0px" },
    );
    const placed = () => {
      if (!this.problem.isConnected) BESIDE.removeEventListener("change", placed);
      else for (const stage of this.stages) stage.place();
    };
    BESIDE.addEventListener("change", placed);
    for (const section of this.sections) {
      middle.observe(section);
      near.observe(section);
      for (const part of section.querySelectorAll(".part")) middle.observe(part);
    }
  }

  /** The reader is here now. part: null where it was before. */
  read(chapter, part) {
    this.sections[this.chapter].classList.remove("here");
    this.chapter = chapter;
    this.part = part ?? this.stages[chapter].part;
    this.sections[chapter].classList.add("here");
    this.sections[chapter].classList.toggle("at-the-end", this.part === CHAPTERS[chapter].parts.length - 1);
    this.stages[chapter].turn(this.part);
    for (const one of this.sections[chapter].querySelectorAll(".part"))
      one.classList.toggle("here", Number(one.dataset.part) === this.part);
    this.#mark();
    this.settle();
  }

  #mark() {
    this.rail.forEach((link, index) => {
      link.href = hash({ ...urlState, chapter: String(index + 1), part: "" });
      link.classList.toggle("done", index < this.chapter);
      if (index === this.chapter) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    });
    for (const link of this.onwards)
      link.href = hash({ view: link.dataset.to, text: urlState.text, model: urlState.model });
    const here = this.rail[this.chapter];
    const row = here.closest("ol");
    if (row.scrollWidth > row.clientWidth) row.scrollLeft = here.offsetLeft - row.clientWidth / 2;
  }

  /** The URL says where one is; the first chapter's first part needs no words. */
  #write() {
    if (!this.problem.isConnected || urlState.view !== "learn") return;
    go({ chapter: String(this.chapter + 1), part: this.part ? String(this.part + 1) : "" }, true);
  }

  update(state, before = state) {
    if (!(state.text ?? "").trim()) return go({ text: EXAMPLE }, true);
    if (!this.lesson) before = {};
    keepWithin({ chapter: CHAPTERS.length }, state, before, 1);
    keepWithin({ part: CHAPTERS[Number(state.chapter ?? 1) - 1].parts.length }, state, before, 1);
    keepWithin({ apples: SENTENCES + 1 }, state, before);
    const wanted = {
      chapter: within(Number(state.chapter ?? 1) - 1, CHAPTERS.length),
      part: Number(state.part ?? 1) - 1,
    };
    wanted.part = within(wanted.part, CHAPTERS[wanted.chapter].parts.length);
    const first = !this.lesson;
    const another = first || this.lesson.text !== state.text || this.lesson.state.model !== state.model;
    if (another && !first) giveUpUnfinished();
    const traces = another ? null : this.lesson;
    this.lesson = new Lesson(this.known, { ...state }, traces);
    if (document.activeElement !== this.box || another) this.box.value = state.text;
    this.box.lang = language(state.text);
    this.greyWhatIsStale();
    if (first ? state.chapter : wanted.chapter !== this.chapter) this.#travel(wanted.chapter, wanted.part, !first);
    else if (first || wanted.part !== this.part) this.read(wanted.chapter, wanted.part);
    for (const stage of this.stages) if (stage.near) stage.show(this.lesson);
    return another ? this.#translate() : undefined;
  }

  /** What the model makes of the sentence, beside the box. */
  #translate() {
    return this.working(this.answer, async (current) => {
      fill(this.answer, "…");
      try {
        const { info, steps, architecture } = await this.lesson.trace();
        this.shown = [this.lesson.text];
        this.greyWhatIsStale();
        if (current()) this.#keepWithin(info.source.tokens.length, steps.length, architecture);
        if (current())
          fill(
            this.answer,
            h("span", { "aria-hidden": "true" }, "→ "),
            h("b", { lang: language(info.text) }, info.text),
          );
      } catch (problem) {
        if (current()) fill(this.answer);
        throw problem instanceof Missing ? new Problem(problem.message) : problem;
      }
    });
  }

  /** What a link counts that is only known with the trace. */
  #keepWithin(tokens, steps, { encoder_layers: layers, heads }) {
    const names = Array.from({ length: layers * heads }, (_, at) => `enc.${Math.floor(at / heads)}.self.h${at % heads}`);
    keepKnown("head", names, urlState);
    if (!keepWithin({ look: tokens, step: steps }, urlState)) return;
    this.lesson = new Lesson(this.known, { ...urlState }, this.lesson);
    for (const stage of this.stages) if (stage.near) stage.show(this.lesson);
  }

  #ask(event) {
    event.preventDefault();
    const text = this.box.value.trim();
    if (!text) return this.tell(t("The box is empty: write a sentence."));
    return go({ text, look: "", target: "", step: "" });
  }

  /** A number of the translator's is opened where all of them can be: with its products, and the ✓. */
  #openNumber({ target }) {
    const number = target.closest(".number[data-address]");
    const chapter = CHAPTERS[Number(target.closest(".chapter")?.dataset.chapter) - 1];
    if (!number || chapter.ofOtherPacks || urlState.target) return;
    const { text, model } = urlState;
    location.hash = hash({ view: "bench", text, model, at: number.dataset.address, zoom: "number" });
  }

  #follow(event, index) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#travel(index, 0);
    this.#write();
  }

  /** Scroll to a chapter and let nothing on the way count as being read. */
  #travel(chapter, part = 0, gently = true) {
    const near = Math.abs(chapter - this.chapter) <= 1;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const target =
      part && BESIDE.matches ? this.sections[chapter].querySelectorAll(".part")[part] : this.sections[chapter];
    this.travelling = true;
    this.#arrive(900); // where nothing scrolls, nothing says that it has ended
    document.addEventListener("scrollend", () => this.#arrive(80), { once: true });
    target.scrollIntoView({
      behavior: gently && near && !still ? "smooth" : "instant",
      block: target.matches(".part") ? "center" : "start",
    });
    this.read(chapter, part);
  }

  #arrive(soon) {
    clearTimeout(this.arriving);
    this.arriving = setTimeout(() => {
      this.travelling = false;
    }, soon);
  }

  /** One thing further: the next part, then the next chapter. */
  next() {
    if (this.part + 1 < CHAPTERS[this.chapter].parts.length) this.#travel(this.chapter, this.part + 1);
    else this.#turn(1);
  }

  previous() {
    if (this.part > 0) this.#travel(this.chapter, this.part - 1);
    else if (this.chapter > 0) this.#travel(this.chapter - 1, CHAPTERS[this.chapter - 1].parts.length - 1);
  }

  /** Another view comes: nobody waits any more for what was asked. */
  leave() {
    clearTimeout(this.arriving);
    giveUpUnfinished();
  }

  #turn(by) {
    const chapter = within(this.chapter + by, CHAPTERS.length);
    if (chapter === this.chapter) return;
    this.#travel(chapter);
    /** @type {HTMLElement} */ (this.sections[chapter].querySelector("h2")).focus({ preventScroll: true });
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/** @type {Element} */ (event.target).matches("input, textarea, select, canvas")) return;
    const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    this.#turn(by);
  }
}

const within = (index, size) => Math.min(size - 1, Math.max(0, Number.isInteger(index) ? index : 0));

function question({ ask, answer }) {
  return h(
    "details",
    { class: "question" },
    h("summary", null, h("b", null, say("A question", "एक प्रश्न"), ": "), prose(said(ask))),
    h("div", { class: "worked-answer" }, paragraphs(answer)),
  );
}

/** Where it is in the code, in the terminal, in the experiments. */
function more({ code, shown = [], command, labs }) {
  const copy = copyButton(t("Copy"), () => command, { class: "small" });
  return h(
    "dl",
    { class: "more" },
    h("dt", null, say("Code", "कोड")),
    code.map(([file, name]) =>
      h("dd", null, h("code", { lang: "en" }, file), name && [" · ", h("code", { lang: "en" }, name)]),
    ),
    shown.length > 0 && h("dd", null, lines(shown)),
    h("dt", null, say("Command", "आदेश")),
    h("dd", null, h("code", { lang: "en" }, command), " ", copy),
    labs.length > 0 && [
      h("dt", null, say("Experiment", "प्रयोग")),
      labs.map((name) =>
        h("dd", null, h("a", { href: hash({ view: "labs", lab: name }) }, h("code", { lang: "en" }, name))),
      ),
    ],
  );
}

/** The lines themselves, fetched when somebody wants to read them. */
function lines(names) {
  const body = h("div");
  const open = async ({ target }) => {
    if (!target.open || body.firstChild) return;
    const code = await get("code");
    const block = ({ file, line, text }) => [
      h("p", { class: "muted" }, h("code", { lang: "en" }, `${file}:${line}`)),
      h("pre", { tabindex: "0" }, h("code", { lang: "en" }, text)),
    ];
    fill(
      body,
      names.map((name) => block(code[name])),
    );
  };
  return h("details", { ontoggle: open }, h("summary", null, t("The code that does it")), body);
}
