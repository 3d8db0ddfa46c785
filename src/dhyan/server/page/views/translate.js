// Translate: a box, the result as one types, other words and other ways to say it, and which word comes from which.

import { post, Problem } from "../parts/api.js";
import { button, fill, h, thing } from "../parts/dom.js";
import { go, hash, state } from "../parts/url-state.js";
import { View } from "../parts/view.js";
import { filled, said, t } from "../parts/i18n.js";
import { Landing } from "./landing.js";
import { chosenWords, noteList, otherWays, switchOffer } from "./translate/beside.js";
import { Choices } from "./translate/choices.js";
import { ChosenWords } from "./translate/chosen-words.js";
import { copyButton } from "../parts/copying.js";
import { Documents } from "./translate/document.js";
import { History } from "./translate/history.js";
import { joined, translatedInParts } from "./translate/in-parts.js";
import { better, languageName, reverse, spoken } from "./translate/languages.js";
import { Links, MOST_LINKED } from "./translate/links.js";
import { Pace, quiet } from "./translate/pace.js";
import { register } from "./translate/register.js";
import { Result } from "./translate/result.js";
import { hush, listen } from "./translate/speech.js";
import { tab } from "../parts/transport.js";

const HERE = ["127.0.0.1", "localhost", "[::1]"];
const QUIET = 600; // milliseconds without a change before links and alternatives are asked for
const WAYS = 3; // other translations of a sentence
const WORDS = 6; // that one can choose from at a place
const LONGEST_LINK = 20_000; // characters of a text that stands in the URL

export class Translate extends View {
  static choices = { formality: ["formal", "informal"], gender: ["feminine", "masculine"] };
  static patterns = { said: /** @type {[RegExp, string]} */ ([/^\d{1,6}:.+(\n\d{1,6}:.+)*$/u, "0:नमस्ते"]) };

  #pace = new Pace();
  #timer = 0;
  #typing = false;
  #isAsking = false;
  #asked = null;
  #stop = new AbortController();
  #unlinked = null; // a text that is too long for the URL
  #found = null; // what the server said
  #words = new ChosenWords();

  constructor(container, model, known) {
    super(container, model, known);
    const [from, into] = model.languages ?? [];
    this.reverse = reverse(model, known.models);
    this.title = h("h1", null, t("Translate"));
    this.promise = h(
      "p",
      { class: "promise" },
      t("It translates as you type, and every number behind it can be looked at."),
    );
    this.box = h("textarea", {
      id: "source",
      rows: "4",
      spellcheck: "false",
      placeholder: t(known.file_suffixes.length ? "Write here, paste, or drop a document…" : "Write here, or paste…"),
      lang: from ?? null,
      dir: "auto", // Arabic and Hebrew are answered too, if only with a note
      oninput: () => this.type(),
    });
    this.result = new Result(
      (word, number, prefix) => this.#found && known.most_alternatives && this.choices.open(word, number, prefix),
      (number) => this.meanwhile(this.link(number)),
      (number, prefix) => this.links.point(number, prefix),
    );
    this.choices = new Choices(
      (number, prefix, signal) => this.continuations(number, prefix, Math.min(WORDS, known.most_alternatives), signal),
      (number, prefix, one) => this.take(number, prefix, one),
    );
    this.documents = new Documents(model, known);
    this.history = new History(({ model: pack, text }) =>
      go({ ...(pack !== model.name && { model: pack }), text, said: "" }),
    );
    this.landing = new Landing(
      model,
      known,
      (text) => this.put(text),
      () => this.box.focus(),
    );
    this.count = h("span", { class: "muted count" });
    this.progress = h("p", { class: "muted", role: "status" });
    const place = (name) => h("div", { class: name });
    this.read = place("read");
    this.sourceTools = place("source-tools");
    this.roman = place("roman");
    this.under = place("under");
    this.offer = place("offer");
    this.notes = place("notes");
    this.links = new Links(model);
    this.others = place("others");
    this.sheet = h(
      "div",
      { class: "sheet" },
      h("span", { class: "label" }, t("Translation")),
      this.result.element,
      this.result.said,
      this.roman,
      this.progress,
      h("div", { class: "tools" }, this.under),
      this.choices.element,
    );
    this.answer = h("div", { class: "answer" }, this.notes, this.links.element, this.others);
    this.root = h(
      "div",
      { class: "translator" },
      this.title,
      this.promise,
      h(
        "div",
        { class: "languages" },
        h("span", null, from ? languageName(from) : model.name),
        this.reverse
          ? button("⇄", () => this.swap(), {
              "aria-label": t("Swap the languages"),
              title: t("Swap the languages"),
              class: "swap",
            })
          : h("span", { class: "muted", "aria-hidden": "true" }, "→"),
        h("span", null, into ? languageName(into) : ""),
        into === "hi" && register(),
      ),
      h(
        "section",
        { class: "two", ...thing("text", t("Translate")) },
        h(
          "div",
          { class: "sheet" },
          h("label", { for: "source" }, t("Your text")),
          this.box,
          this.read,
          h("div", { class: "tools" }, this.documents.choose, this.documents.input, this.sourceTools, this.count),
        ),
        this.sheet,
      ),
      this.offer,
      this.problem,
      this.documents.panel,
      this.answer,
      this.landing.element,
      this.history.element,
      h(
        "p",
        { class: "muted about" },
        `${model.name}: ${said(model.about)}. `,
        t(
          tab || HERE.includes(location.hostname)
            ? "Everything is computed on this machine; nothing is sent anywhere."
            : "Everything is computed by this server; nothing is sent elsewhere.",
        ),
      ),
    );
    this.documents.dropOn(this.root);
    fill(container, this.root);
    if (document.activeElement === document.body) this.box.focus({ preventScroll: true });
  }

  leave() {
    clearTimeout(this.#timer);
    this.#stop.abort();
    this.landing.hide();
    this.choices.close(false);
    hush();
  }

  // -- what is asked ---------------------------------------------------------------------------------------------

  /** Something that was begun beside the rest: what goes wrong with it is said, unless nobody waits for it. */
  meanwhile(work) {
    work.catch((problem) => {
      if (problem.name === "AbortError") return;
      if (!(problem instanceof Problem)) throw problem;
      this.tell(problem.message);
    });
  }

  /** What is shown answers an earlier text; nothing that looks current is out of date. */
  stale(is) {
    this.root.classList.toggle("stale", is);
    if (is) this.sheet.setAttribute("aria-busy", "true");
    else this.sheet.removeAttribute("aria-busy");
  }

  /** What stood there is out of date from the first key on, and nobody waits for it any more. */
  type() {
    this.#typing = true;
    if (this.#isAsking) this.#pace.typedOver();
    this.#isAsking = false;
    this.#stop.abort();
    this.#found = null;
    this.#asked = null; // the same text again is asked for again
    this.choices.close(false);
    this.measure();
    const empty = !this.box.value.trim();
    this.stale(!empty);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.commit(), empty ? 0 : this.#pace.pause);
  }

  /** A text that comes as a whole. */
  put(text) {
    this.box.value = text;
    this.type();
    clearTimeout(this.#timer);
    this.commit();
    this.box.focus({ preventScroll: true });
  }

  commit() {
    if (!this.root.isConnected) return;
    this.#typing = false;
    const text = this.box.value;
    this.#unlinked = text.length > LONGEST_LINK ? text : null;
    go({ text: this.#unlinked === null ? text : "", said: "" }, Boolean(state.text));
    this.update(state);
  }

  measure() {
    const [characters, most] = [this.box.value.length, this.known.most_characters];
    const parts = Math.ceil(characters / most);
    fill(
      this.count,
      `${characters.toLocaleString()} / ${most.toLocaleString()}`,
      parts > 1 && ` · ${t("it is translated in parts")}`,
      characters > LONGEST_LINK && ` · ${t("too long for a link")}`,
    );
  }

  update(now) {
    if (this.#typing) return;
    const text = this.#unlinked ?? now.text ?? "";
    if (this.box.value !== text) this.box.value = text;
    this.measure();
    const asked = JSON.stringify([text.trim(), now.formality, now.gender]);
    if (asked === this.#asked) {
      const said = now.said ?? "";
      if (this.#found && said !== this.#words.inUrl) this.meanwhile(this.restore(said));
      return;
    }
    this.#asked = asked;
    this.#stop.abort();
    this.#stop = new AbortController();
    const empty = !text.trim();
    this.root.classList.toggle("empty", empty);
    this.title.textContent = t(empty ? "A translator that you can open" : "Translate");
    this.promise.hidden = !empty;
    if (empty) {
      this.tell();
      this.forget();
      this.landing.show();
      return;
    }
    this.landing.hide();
    this.translate(text, this.#stop.signal);
  }

  translate(text, signal) {
    this.stale(true);
    this.#found = null;
    this.result.outdate();
    return this.working(h("div"), async (current) => {
      try {
        const found = await this.translated(text, signal, current);
        if (!current()) return;
        this.#found = found;
        this.#words.clear();
        this.show();
        this.stale(false); // the rest comes when it comes
        if (state.said && this.known.most_alternatives) await this.restore(state.said, signal);
      } catch (problem) {
        if (problem.name !== "AbortError" && current()) this.forget();
        throw problem;
      } finally {
        if (current()) fill(this.progress);
      }
      await quiet(QUIET, signal);
      this.history.add(text, this.#found.text, this.model.name);
      await this.link(0, signal);
      const alternatives = Math.min(WAYS, this.known.most_alternatives);
      if (alternatives && this.#found.sentences.length === 1 && text.length <= MOST_LINKED) {
        const more = await post("translate", this.asking({ text, alternatives }), signal);
        if (current() && more.alternatives.length)
          fill(this.others, otherWays(more.alternatives, this.language(this.#found)));
      }
    });
  }

  translated(text, signal, current) {
    const ask = async (words) => {
      const started = performance.now();
      this.#isAsking = true;
      try {
        return await post("translate", this.asking({ text: words, roman: true }), signal);
      } finally {
        if (!signal.aborted) {
          this.#isAsking = false;
          this.#pace.measured(performance.now() - started);
        }
      }
    };
    const grown = (found, done, of) => {
      if (!current()) return;
      fill(this.progress, h("progress", { max: of, value: done, "aria-label": t("Translation") }), ` ${done} / ${of}`);
      this.result.grow(found.pieces, found.sentences, this.language(found));
    };
    return translatedInParts(text, this.known.most_characters, ask, grown);
  }

  asking(question) {
    const { formality, gender } = state;
    return { ...question, model: this.model.name, ...(formality && { formality }), ...(gender && { gender }) };
  }

  // -- what is shown -----------------------------------------------------------------------------------------------

  /** Nothing that looks like an answer is left. */
  forget() {
    this.#found = null;
    this.#words.clear();
    this.stale(false);
    this.result.clear();
    this.choices.close(false);
    this.links.clear();
    const places = [this.read, this.roman, this.under, this.offer, this.notes, this.others, this.sourceTools];
    for (const one of places) fill(one);
    fill(this.progress);
  }

  language(found) {
    return spoken(this.model.languages?.[1], found.text);
  }

  /** The sentences as they are now: the model's own, or with the words that were chosen. */
  sentences() {
    return this.#found.sentences.map((one, number) => this.#words.of(one, number));
  }

  show() {
    const [found, sentences] = [this.#found, this.sentences()];
    found.text = joined(found.pieces, sentences, "text");
    const [from, into] = [spoken(this.model.languages?.[0], this.box.value), this.language(found)];
    this.result.show(found.pieces, sentences, into);
    const roman =
      sentences.some((one) => one.roman && one.text !== one.source) && joined(found.pieces, sentences, "roman");
    fill(this.roman, roman && h("p", { lang: "hi-Latn" }, roman));
    fill(this.read, found.sourceRoman.trim() && h("p", { lang: "hi-Latn" }, found.sourceRoman));
    const { detected } = found;
    fill(
      this.sourceTools,
      listen(this.box.value, from.split("-")[0]),
      detected.language !== "und" &&
        h(
          "span",
          { class: "muted detected" },
          filled(t("Detected: {language}"), { language: languageName(detected.language) }),
        ),
    );
    const sentence = found.sentences.length <= 1 && this.box.value.trim().length <= MOST_LINKED;
    fill(
      this.under,
      copyButton(t("Copy"), () => found.text),
      listen(found.text, into.split("-")[0]),
      sentence &&
        this.known.explain &&
        h(
          "a",
          { class: "button strong", href: hash({ view: "bench", model: this.model.name, text: state.text }) },
          t("Open it up"),
        ),
      h("span", { class: "muted" }, `${(1000 * found.seconds).toFixed(0)} ms`),
    );
    const other = better(this.model, this.known.models, detected);
    const change = () => go({ model: other.name, text: this.box.value, said: "" });
    fill(this.offer, other && switchOffer(detected, other, change));
    const point = (number, on) =>
      this.result.element.querySelector(`[data-number="${number}"]`)?.classList.toggle("pointed", on);
    fill(this.notes, this.#words.some && chosenWords(() => go({ said: "" })), noteList(sentences, from, point));
    this.links.clear();
    fill(this.others);
  }

  // -- words that are chosen ---------------------------------------------------------------------------------------

  continuations(number, prefix, count, signal) {
    const { source } = this.#found.sentences[number];
    return post("continuations", this.asking({ text: source, prefix, count }), signal);
  }

  take(number, prefix, one) {
    go({ said: this.#words.take(number, `${prefix}${one.word}`, one) });
  }

  /** The words of a sentence that is looked at are linked. */
  async link(number, signal = this.#stop.signal) {
    if (!this.#found) return;
    const sentence = this.sentences()[number];
    const alone = this.#found.sentences.length <= 1 || !this.known.explain;
    const opened = alone ? "" : hash({ view: "bench", model: this.model.name, text: sentence?.source });
    await this.links.show(number, sentence, this.language(this.#found), signal, opened);
  }

  /** What the URL says was chosen. */
  async restore(said, signal = this.#stop.signal) {
    const ask = (number, begun) => this.continuations(number, begun, 1, signal);
    const numbers = await this.#words.restore(said, this.#found.sentences.length, ask);
    if (signal.aborted) return;
    this.show();
    await this.link(Math.max(0, ...numbers), signal);
  }

  /** The other direction: what was said becomes what is asked. */
  swap() {
    const text = this.#found?.text ?? this.box.value;
    go({ model: this.reverse.name, text: text.length > LONGEST_LINK ? "" : text, said: "", formality: "", gender: "" });
  }
}
