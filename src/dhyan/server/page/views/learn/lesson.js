// What all chapters share: the reader's sentence, the word and the head that are looked at, and the packs that answer.

import { post } from "../../parts/api.js";
import { language } from "../../parts/dom.js";
import { isAttention, parse } from "../../parts/address.js";
import { Trace } from "../../parts/trace.js";
import { tab } from "../../parts/transport.js";
import { say } from "./say.js";

export const EXAMPLE = "She sat on the bank of the river.";
const FOLLOWED = ["bank", "they"]; // words that the notes follow
const HEAD = "enc.0.self.h0";
const LABS_KEPT = 60;
const labs = new Map(); // what was asked → what the experiment said
const asking = new Map(); // experiment → how to stop it, once its knobs are turned again

export class Lesson {
  #traces;

  /** before: the lesson of the same sentence, whose traces are still good. */
  constructor(known, state, before = null) {
    this.known = known;
    this.state = state;
    this.#traces = before ? before.#traces : new Map();
    this.text = state.text;
  }

  #find(...wanted) {
    for (const fits of wanted) {
      const found = this.known.models.find(fits);
      if (found) return found;
    }
    return null;
  }

  /** The pack that translates: the one in the URL, else the one that reads the sentence's language. */
  get translator() {
    const translates = (model) => model.shape === "encoder-decoder";
    return this.#find(
      (model) => translates(model) && model.name === this.state.model,
      (model) => translates(model) && model.languages?.[0] === language(this.text),
      translates,
    );
  }

  get embedder() {
    const encodes = (model) => model.shape === "encoder";
    return this.#find((model) => encodes(model) && model.task === "embed", encodes);
  }

  get classifier() {
    return this.#find((model) => model.labels.length > 0 && model.label_kind === "one" && !model.reads_pairs);
  }

  get writer() {
    return this.#find((model) => model.shape === "decoder");
  }

  /** The trace of the sentence (or another question) by a pack; asked for once. */
  trace(model = this.translator, more = {}) {
    if (!model) throw new Missing(say("No translator is here", "कोई अनुवादक पैक नहीं चल रहा"), "en-hi");
    const question = { text: this.text, model: model.name, ...more };
    const key = JSON.stringify(question);
    if (!this.#traces.has(key)) {
      const opened = Trace.open(model, question);
      opened.catch(() => this.#traces.delete(key)); // another time it may work
      this.#traces.set(key, opened);
    }
    return this.#traces.get(key);
  }

  /** The sentence in English, for packs that know nothing else: a Hindi one as the translator says it. */
  async english() {
    if (language(this.text) === "en") return this.text;
    const { info } = await this.trace();
    return language(info.text) === "en" ? info.text : this.text;
  }

  /** A light experiment with these knobs. */
  lab(name, knobs = {}, width = 440) {
    if (!this.known.labs) throw new Missing(say("Experiments are off on this server", "इस सर्वर पर प्रयोग बंद हैं"));
    const key = JSON.stringify([name, knobs, width]);
    if (!labs.has(key)) {
      asking.get(name)?.abort();
      asking.set(name, new AbortController());
      const asked = post(`labs/${name}/live`, { knobs, seed: 0, width }, asking.get(name).signal);
      asked.catch(() => labs.delete(key));
      labs.set(key, asked);
      if (labs.size > LABS_KEPT) labs.delete(labs.keys().next().value);
    }
    return labs.get(key);
  }

  /** Which token is followed: the URL's, else the notes' word, else the longest. */
  look(tokens) {
    const asked = Number(this.state.look ?? -1);
    if (Number.isInteger(asked) && asked >= 0 && asked < tokens.length) return asked;
    const notes = tokens.findIndex((token) => FOLLOWED.includes(token.text.toLowerCase()));
    if (notes >= 0) return notes;
    const lengths = tokens.map((token) => (token.special ? 0 : token.text.length));
    return lengths.indexOf(Math.max(...lengths));
  }

  /** Which head of the encoder: the URL's where the pack has it. */
  head({ encoder_layers: layers, heads }) {
    const { part, head } = parse(`${this.state.head ?? HEAD}.weights`);
    const layer = Number(part.split(".")[1]);
    const there = isAttention(part) && part.startsWith("enc.") && layer < layers && head !== null && head < heads;
    return there
      ? { part, layer, head, name: `${part}.h${head}` }
      : { part: "enc.0.self", layer: 0, head: 0, name: HEAD };
  }
}

/** A pack or a permission that the picture would need. */
export class Missing extends Error {
  constructor(what, pack) {
    const how = tab
      ? [say("this site has to be built with", "यह साइट ऐसे बनानी होगी:"), `\`dhyan site OUT --model ${pack}\``]
      : [say("start the server with", "सर्वर ऐसे चलाएँ:"), `\`dhyan serve --model ${pack}\``];
    super(pack ? `${what}: ${how.join(" ")}` : what);
  }
}
