// Space: a fixed map of the commonest words, and the tokens of one or two sentences that move over it, layer by layer.

import { get, giveUpUnfinished, numbers } from "../parts/api.js";
import { fill, h, language, refill, tabs, thing, button } from "../parts/dom.js";
import { short } from "../parts/numbers.js";
import { keepWithin } from "../parts/limits.js";
import { greyWhatIsStale } from "../parts/stale.js";
import { go } from "../parts/url-state.js";
import { View } from "../parts/view.js";
import { filled, key, t } from "../parts/i18n.js";
import { woven } from "../parts/woven.js";
import "./space/map-canvas.js";

// What a pack parts well: the first has its axes, the others find theirs.
const BANK = { text: "We walked along the river bank.", text2: "We took money from the bank." };
const RIGHT = { text: "Turn right at the corner.", text2: "You are right about that." };
const LIGHT = { text: "The light is bright.", text2: "The bag is light." };
const EXAMPLES = {
  encoder: [{ ...BANK, across: "river", up: "money" }, RIGHT, LIGHT],
  "encoder-decoder": [{ ...RIGHT, across: "left", up: "correct" }, LIGHT, BANK],
  decoder: [
    { text: "the sweet love", text2: "the false love", across: "fair", up: "fear" },
    { text: "the light of day", text2: "my heart is light" },
  ],
  hindi: [
    { text: "भारत के उत्तर में पहाड़ हैं।", text2: "मेरे प्रश्न का उत्तर दीजिए।", across: "दक्षिण", up: "प्रश्न" },
    { text: "बाज़ार में आम मिलते हैं।", text2: "यह आम लोगों की बात है।" },
  ],
};
const MAPS = {
  near: key("Neighbourhoods"),
  plane: key("Greatest spread"),
  between: key("Between two words"),
};
const SECONDS = 1.1; // from one stage to the next while playing

export class Space extends View {
  static whole = [...View.whole, "stage", "token2"];
  static choices = { map: Object.keys(MAPS) };
  static patterns = { look: /** @type {[RegExp, string]} */ ([/^-?[\d.]+,-?[\d.]+,[\d.]+$/, "0.5,0.5,2"]) };

  drawn = null; // what was fetched
  mapped = ""; // what is on the canvas
  playing = false;

  constructor(container, model, known) {
    super(container, model, known);
    const line = (id) => h("input", { id, type: "text", autocomplete: "off", spellcheck: "false", "data-key": id });
    this.first = line("first");
    this.second = line("second");
    this.examples = h("div", { class: "row space-examples" });
    this.options = h("div", { class: "row" });
    this.map = /** @type {import("./space/map-canvas.js").SpaceMap} */ (document.createElement("dhyan-map"));
    this.stages = h("div", { class: "stage-bar" });
    this.honest = h("p", { class: "muted" });
    this.live = h("p", { class: "unseen", "aria-live": "polite" });
    this.aside = h("aside", { class: "card space-aside", ...thing("numbers", t("The token that is followed")) });
    this.table = h("details", { class: "space-table", ontoggle: () => this.drawTable() }, this.tableTitle());
    fill(
      container,
      h("h1", null, t("Space")),
      h(
        "p",
        { class: "muted lead" },
        t(
          "Every layer moves a token. The same word starts at one point in both sentences, and context pulls it apart.",
        ),
      ),
      h(
        "form",
        {
          class: "ask wrap",
          onsubmit: (event) => {
            event.preventDefault();
            this.ask();
          },
        },
        h(
          "label",
          { class: "field grow side-a", for: "first" },
          h("span", null, `● ${t("First sentence")}`),
          this.first,
        ),
        h(
          "label",
          { class: "field grow side-b", for: "second" },
          h("span", null, `■ ${t("Second sentence")}`),
          this.second,
        ),
        h("button", { class: "strong" }, t("Run")),
      ),
      this.examples,
      this.problem,
      this.live,
      h(
        "div",
        { class: "space" },
        h(
          "section",
          { class: "card space-stage", ...thing("map", t("Map")) },
          this.options,
          this.map,
          this.stages,
          this.honest,
        ),
        this.aside,
      ),
      this.table,
    );
    this.map.addEventListener("look", (event) => {
      const { x, y, zoom } = /** @type {CustomEvent} */ (event).detail;
      go({ look: zoom === 1 ? "" : [x, y, zoom].map((one) => one.toFixed(3)).join(",") }, true);
    });
    const shown = () => this.drawn && [this.drawn.texts[0], this.drawn.texts[1] ?? ""];
    this.greyWhatIsStale = greyWhatIsStale(container.querySelector("form"), [this.first, this.second], shown);
    document.onkeydown = (event) => this.key(event);
  }

  leave() {
    this.playing = false;
  }

  ask() {
    if (!this.first.value.trim()) return this.tell(t("The box is empty: write a sentence."));
    const texts = { text: this.first.value.trim(), text2: this.second.value.trim() };
    return go({ ...texts, across: "", up: "", token: "", token2: "", look: "", stage: "" });
  }

  get offered() {
    return EXAMPLES[this.model.languages?.[0] === "hi" ? "hindi" : this.model.shape];
  }

  // -- layer by layer -----------------------------------------------------------------------------------------

  /** [ and ] walk through the layers, the space bar plays, except while typing. */
  key(event) {
    if (event.target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "[") this.previous();
    else if (event.key === "]") this.next();
    else if (event.key === " " && !event.target.matches("button, summary, a")) {
      event.preventDefault();
      this.play(!this.playing);
    }
  }

  next() {
    return this.goTo(this.stage + 1);
  }

  previous() {
    return this.goTo(this.stage - 1);
  }

  /** To a stage; false where there is none. */
  goTo(stage) {
    if (!this.drawn || stage < 0 || stage >= this.drawn.stages.length) return false;
    this.play(false);
    go({ stage: String(stage) }, true);
    return true;
  }

  get stage() {
    const last = (this.drawn?.stages.length ?? 1) - 1;
    return Math.min(last, Number(this.state.stage ?? last));
  }

  /** From the first stage on, one after the other; from here if there is still something to come. */
  play(on) {
    this.playing = on;
    this.drawStages();
    if (!on) return;
    if (this.stage === this.drawn.stages.length - 1) {
      this.map.at = 0;
      go({ stage: "0" }, true);
    }
    setTimeout(() => this.playNext(), 300);
  }

  playNext() {
    if (!this.playing || !this.map.isConnected) return;
    if (this.stage + 1 >= this.drawn.stages.length) return this.play(false);
    go({ stage: String(this.stage + 1) }, true);
    setTimeout(() => this.playNext(), SECONDS * 1000 + 250);
  }

  /** The tokens glide to the stage that is shown; at once where motion is not wanted. */
  glide() {
    const target = this.stage,
      from = this.map.at,
      began = performance.now();
    this.target = target;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || from === target) {
      this.map.at = target;
      return;
    }
    const length = (this.playing ? SECONDS : 0.5) * 1000;
    const frame = (now) => {
      if (this.target !== target || !this.map.isConnected) return;
      const part = Math.min(1, Math.max(0, (now - began) / length));
      this.map.at = from + (target - from) * (1 - (1 - part) ** 3);
      if (part < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // -- what is shown --------------------------------------------------------------------------------------------

  update(state, before = state) {
    this.state = state;
    if (!(state.text ?? "").trim()) {
      const { across, up } = { ...this.offered[0], ...state }; // a link may have its own axes
      return go({ ...this.offered[0], across, up }, true);
    }
    for (const [box, text] of [
      [this.first, state.text],
      [this.second, state.text2 ?? ""],
    ])
      if (document.activeElement !== box) box.value = text;
    this.greyWhatIsStale();
    this.drawExamples();
    return this.working(this.container, async (current) => {
      const texts = [state.text, state.text2 ?? ""].filter((text) => text.trim());
      const anew = JSON.stringify(texts) !== JSON.stringify(this.drawn?.texts);
      if (anew) giveUpUnfinished();
      if (!this.drawn) {
        const drawing = t("Drawing the map: a few seconds, once for each pack…");
        fill(this.honest, h("progress", { "aria-label": drawing }), " ", drawing);
      }
      const found = await this.fetch(texts, state, this.drawn ? before : {});
      if (!current()) return;
      this.drawn = found;
      this.greyWhatIsStale();
      if (anew && state.stage === undefined) this.map.at = 0; // a new sentence: it is seen on its way
      this.drawOptions();
      this.drawMap();
      this.drawStages();
      this.glide();
      await this.drawAside(current);
      this.drawTable();
    });
  }

  /** The map, the paths, where the two tokens part to; between two words, all of that along those axes. */
  async fetch(texts, state, before) {
    const model = this.model.name;
    const questions = texts.map((text) => ({
      text,
      model,
      off: state.off,
      ...(this.model.shape === "encoder" ? {} : { max_length: 1, beam: 1 }), // what is written is not looked at
    }));
    const along = (axes) =>
      Promise.all([
        get("space", { model, ...axes }),
        Promise.all(questions.map((question) => get("space/paths", { ...question, ...axes }))),
      ]);
    let [space, paths] = await along({});
    const [first, second] = paths;
    keepWithin({ token: first.length, token2: second?.length ?? 0, stage: space.stages.length }, state, before);
    const map = state.map || (texts.length === 2 ? "between" : "near");
    let parting = null;
    if (texts.length === 2) {
      const [token, token2] = chosenOf(paths, state).map((one, side) => paths[side].indexOf(one));
      const asked = { first: texts[0], second: texts[1], model, off: state.off, token, token2 };
      parting = await get("space/parting", asked);
    }
    const [offered] = this.offered;
    const isOnMap = (word) => space.words.some((one) => one.text.toLowerCase() === word?.toLowerCase());
    // A pack of one's own may not know the words of an example; whoever asks for another word is told that it is not there.
    const isForeign = (name) => this.offered.some((one) => one[name] === state[name]) && !isOnMap(state[name]);
    const wanted = (name) => (state[name] && !isForeign(name) ? state[name] : "");
    const usual = (name, number) => (isOnMap(offered[name]) ? offered[name] : space.words[number].text);
    const axes = {
      across: wanted("across") || (parting?.first[0][0] ?? usual("across", 0)),
      up: wanted("up") || (parting?.second[0][0] ?? usual("up", 1)),
    };
    if (map === "between") [space, paths] = await along(axes);
    return { texts, questions, map, axes, stages: space.stages, space, paths, parting };
  }

  get chosen() {
    return chosenOf(this.drawn.paths, this.state);
  }

  drawExamples() {
    const here = (one) => one.text === this.state.text && one.text2 === this.state.text2;
    refill(
      this.examples,
      h("span", { class: "muted" }, t("Try")),
      this.offered.map((one) =>
        button(
          `${one.text} · ${one.text2}`,
          () => go({ across: "", up: "", ...one, token: "", token2: "", look: "", stage: "" }),
          {
            class: "chip",
            lang: language(one.text),
            "aria-pressed": String(here(one)),
            "data-key": one.text,
          },
        ),
      ),
    );
  }

  drawOptions() {
    const { map, axes } = this.drawn;
    const word = (name, title) =>
      h(
        "label",
        { class: "field" },
        h("span", null, title),
        h("input", {
          type: "text",
          class: "axis-word",
          value: axes[name],
          list: "map-words",
          autocomplete: "off",
          "data-key": name,
          onchange: (event) => go({ [name]: event.target.value.trim(), look: "" }), // an empty one is found anew
        }),
      );
    const looked = this.chosen.flatMap((one) => one[map]);
    refill(
      this.options,
      tabs(
        t("Map"),
        Object.entries(MAPS).map(([name, title]) => [name, t(title)]),
        map,
        (name) => go({ map: name, look: "" }),
      ),
      map === "between" && [
        word("across", t("across")),
        word("up", t("up")),
        h(
          "datalist",
          { id: "map-words" },
          this.drawn.space.words.map((one) => h("option", { value: one.text })),
        ),
      ],
      h(
        "div",
        { class: "tabs zooming", role: "group", "aria-label": t("Look") },
        button("−", () => this.map.closer(1 / 1.5), { "aria-label": t("Zoom out"), "data-key": "zoom-out" }),
        button("+", () => this.map.closer(1.5), { "aria-label": t("Zoom in"), "data-key": "zoom-in" }),
        button(
          t("To the word"),
          () => {
            const { x, y, zoom } = this.map.lookAt(looked);
            go({ look: [x, y, zoom].map((one) => one.toFixed(3)).join(",") });
          },
          { "data-key": "zoom-word" },
        ),
        button(t("All"), () => go({ look: "" }), {
          "data-key": "zoom-all",
          "aria-pressed": String(!this.state.look),
        }),
      ),
    );
  }

  /** Words and trails. A change of stage leaves them as they are: the tokens glide. */
  drawMap() {
    const { map, axes, space, paths, questions } = this.drawn;
    const chosen = this.chosen;
    const wanted = JSON.stringify([questions, map, axes, chosen.map((token) => token.row), this.state.look]);
    if (wanted === this.mapped) return;
    this.mapped = wanted;
    const trails = paths.flatMap((tokens, side) =>
      tokens.map((token) => ({ text: token.text, places: token[map], side, chosen: chosen.includes(token) })),
    );
    const words = space.words.map((word) => ({ text: word.text, place: word[map] }));
    const texts = chosen.map((token) => token.text).join(", ");
    const along = (word) => filled(t("cosine with {word}"), { word });
    this.map.show(
      {
        words,
        trails,
        bounds: boundsOf(map, words, trails),
        axes: map === "between" ? [`${along(axes.across)} →`, `↑ ${along(axes.up)}`] : null,
      },
      filled(t("A map of {count} words; followed: {words}."), { count: words.length, words: texts }),
    );
    const [x, y, zoom] = (this.state.look ?? "").split(",").map(Number);
    this.map.look = [x, y, zoom].every(Number.isFinite) && zoom > 1 ? { x, y, zoom } : { x: 0.5, y: 0.5, zoom: 1 };
    fill(this.honest, honestly(map, space, axes, this.model.architecture.d_model));
  }

  drawStages() {
    if (!this.drawn) return;
    const last = this.drawn.stages.length - 1;
    const name = stageName(this.drawn.stages[this.stage]);
    refill(
      this.stages,
      button(this.playing ? "⏸" : "▶", () => this.play(!this.playing), {
        class: "strong",
        "aria-label": this.playing ? t("Pause") : t("Play"),
        "data-key": "play",
      }),
      button("◀", () => this.previous(), {
        "aria-label": t("Previous layer"),
        disabled: this.stage === 0,
        "data-key": "back",
      }),
      h(
        "label",
        { class: "field grow" },
        h("span", null, `${t("Now")}: `, h("b", { class: "stage-name" }, name)),
        h("input", {
          type: "range",
          min: 0,
          max: last,
          step: 1,
          value: String(this.stage),
          "aria-valuetext": name,
          "data-key": "stage",
          oninput: (event) => this.goTo(Number(event.target.value)),
        }),
      ),
      button("▶", () => this.next(), {
        "aria-label": t("Next layer"),
        disabled: this.stage === last,
        "data-key": "next",
      }),
    );
  }

  /** The true numbers beside the picture: the cosine at every stage, and what is nearest now. */
  async drawAside(current) {
    const { stages, paths, questions } = this.drawn;
    const chosen = this.chosen,
      two = paths.length === 2;
    const vectors = await Promise.all(
      chosen.map((token, side) =>
        Promise.all(stages.map((stage) => numbers(`${stage.address}[${token.row}]`, questions[side]))),
      ),
    );
    if (!current()) return;
    const against = two ? vectors[1] : stages.map(() => vectors[0][0]); // alone: against where it started
    const cosines = stages.map((_, number) => cosine(vectors[0][number].data, against[number].data));
    const now = this.stage;
    this.live.textContent = `${stageName(stages[now])}: ${short(cosines[now], 3)}`;
    refill(
      this.aside,
      paths.map((tokens, side) =>
        h(
          "div",
          {
            class: `row tokens side-${"ab"[side]}`,
            role: "group",
            "aria-label": side ? t("Second sentence") : t("First sentence"),
          },
          h("span", { "aria-hidden": "true" }, side ? "■" : "●"),
          tokens.map((token, number) =>
            button(token.text, () => go({ [side ? "token2" : "token"]: String(number), look: "" }, true), {
              class: "chip",
              lang: language(token.text),
              "aria-pressed": String(chosen[side] === token),
              "data-key": `token-${side}-${number}`,
            }),
          ),
        ),
      ),
      h("h2", null, two ? t("Cosine of the two vectors") : t("Cosine with its own embedding")),
      h(
        "table",
        { class: "bars cosines" },
        h(
          "tbody",
          null,
          stages.map((stage, number) =>
            h(
              "tr",
              { class: number === now ? "here" : null },
              h(
                "th",
                { scope: "row" },
                button(stageName(stage), () => this.goTo(number), { class: "link", "data-key": `to-${number}` }),
              ),
              h("td", { class: "bar", style: { "--part": Math.max(0, cosines[number]) } }),
              h(
                "td",
                {
                  "data-stage": stage.name,
                  "data-value": cosines[number],
                  title: chosen.map((token, side) => `${"AB"[side]}: ${stage.address}[${token.row}]`).join(" · "),
                },
                short(cosines[number], 3),
              ),
            ),
          ),
        ),
      ),
      this.partingLists(),
      h("h2", null, t("Nearest words"), ", ", stageName(stages[now])),
      h(
        "div",
        { class: "nearest" },
        chosen.map((token, side) =>
          h(
            "div",
            { class: `side-${"ab"[side]}` },
            h("b", { lang: language(token.text) }, `${side ? "■" : "●"} ${token.text}`),
            h(
              "ol",
              { class: "plain" },
              token.nearest[now].map(([text, alike]) =>
                h(
                  "li",
                  null,
                  h("span", { lang: language(text) }, text),
                  " ",
                  h("small", { class: "muted" }, short(alike, 2)),
                ),
              ),
            ),
            h("p", null, this.vectorLink(stages[now].address, token, side)),
          ),
        ),
      ),
    );
  }

  /** Where the two part to; a click makes a word an axis. */
  partingLists() {
    const { parting } = this.drawn;
    if (!parting) return null;
    const list = (words, side) =>
      h(
        "div",
        { class: `side-${"ab"[side]}` },
        h("b", null, side ? "■" : "●"),
        " ",
        words.map(([text, apart]) => {
          const name = side ? "up" : "across";
          const axis = this.drawn.map === "between" && this.drawn.axes[name] === text;
          return button(
            [text, " ", h("small", null, `+${short(apart, 2)}`)],
            () => go({ map: "between", [name]: text, look: "" }),
            {
              class: "chip",
              lang: language(text),
              "aria-pressed": String(axis),
              "data-key": `part-${name}-${text}`,
            },
          );
        }),
      );
    return [
      h("h2", null, t("Where they part to")),
      h(
        "p",
        { class: "muted" },
        t("What each has come nearer to than the other, in the last two stages. Click for an axis."),
      ),
      h("div", { class: "parting" }, list(parting.first, 0), list(parting.second, 1)),
    ];
  }

  vectorLink(address, token, side) {
    const at = `${address}[${token.row}]`;
    const view = this.model.shape === "encoder-decoder" ? "bench" : "follow";
    const open = () =>
      go({
        view,
        model: this.model.name,
        text: this.drawn.texts[side],
        text2: "",
        at,
        zoom: "head",
        stage: "",
        look: "",
      });
    return button(at, open, { class: "link", title: t("Open this vector"), "data-address": at });
  }

  tableTitle() {
    return h("summary", { "data-key": "table" }, t("The whole way as a table"));
  }

  /** The same as a table: who is nearest to whom, stage by stage. */
  drawTable() {
    if (!this.drawn) return;
    const { stages, paths } = this.drawn;
    if (!this.table.open) return;
    refill(
      this.table,
      this.tableTitle(),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": t("The whole way as a table") },
        h(
          "table",
          { class: "numbers" },
          h(
            "caption",
            null,
            t("The nearest word of the map, and the cosine with it once the stage's mean is taken away"),
          ),
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              h("td"),
              stages.map((stage) => h("th", { scope: "col" }, stageName(stage))),
            ),
          ),
          h(
            "tbody",
            null,
            paths.flatMap((tokens, side) =>
              tokens.map((token) =>
                h(
                  "tr",
                  null,
                  h("th", { scope: "row", lang: language(token.text) }, `${side ? "■" : "●"} ${token.text}`),
                  stages.map((stage, number) => {
                    const [[text, alike]] = token.nearest[number];
                    return h(
                      "td",
                      { "data-address": `${stage.address}[${token.row}]`, title: `${stage.address}[${token.row}]` },
                      h("span", { lang: language(text) }, text),
                      ` ${short(alike, 2)}`,
                    );
                  }),
                ),
              ),
            ),
          ),
        ),
      ),
    );
  }
}

/** The tokens that are followed: those of the URL, else the longest that both sentences have. */
function chosenOf(paths, { token, token2 }) {
  const [one, other = []] = paths;
  const shared = one.filter((token) => other.some((twin) => twin.id === token.id));
  const longest = (tokens) => tokens.toSorted((a, b) => b.text.length - a.text.length)[0];
  const known = (tokens, number) => (number ? tokens[Number(number)] : undefined);
  const first = known(one, token) ?? longest(shared) ?? longest(one);
  const second = known(other, token2) ?? other.find((twin) => twin.id === first?.id) ?? longest(other);
  return [first, second].filter(Boolean);
}

function stageName({ name }) {
  if (name === "embedded") return t("static embedding");
  if (name === "input") return t("with its position");
  return filled(t("after layer {number}"), { number: Number(name.split(".")[1]) + 1 });
}

/** What the canvas spans: all words, or between two words what is followed and the thick of the others. */
function boundsOf(map, words, trails) {
  if (map === "near") return { left: -1, right: 1, bottom: -1, top: 1 };
  if (map === "plane") {
    const all = [...trails.flatMap((trail) => trail.places), ...words.map((word) => word.place)];
    const [broad, high] = [0, 1].map((axis) => Math.max(...all.map((place) => Math.abs(place[axis]))));
    return { left: -broad, right: broad, bottom: -high, top: high };
  }
  const followed = trails.filter((trail) => trail.chosen).flatMap((trail) => trail.places);
  const most = 1.15 * Math.max(0.3, ...followed.flat());
  const least = Math.min(-0.15, ...followed.flat()) * 1.1;
  return { left: least, right: most, bottom: least, top: most };
}

/** What the picture can say and what it cannot. */
function honestly(map, space, { across, up }, dimensions) {
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  const bold = (text, more = {}) => h("b", { lang: language(text), ...more }, text);
  if (map === "near")
    return [
      t("Near means alike; far says little. A token stands among the six words nearest to it at that stage."),
      " ",
      woven(t("Of a word's ten nearest in {dimensions} dimensions, {kept} are among its ten nearest here."), {
        dimensions: String(dimensions),
        kept: bold(percent(space.kept), { id: "kept", "data-value": space.kept }),
      }),
    ];
  if (map === "plane") {
    const share = space.share[0] + space.share[1];
    return woven(
      t(
        "A straight projection of {dimensions} dimensions on the two in which words of all stages differ most. They carry {share} of the variance ({both}): what looks near here may be far apart in the rest.",
      ),
      {
        dimensions: String(dimensions),
        share: bold(percent(share), { id: "share", "data-value": share }),
        both: space.share.map(percent).join(" + "),
      },
    );
  }
  return woven(
    t(
      "Both axes are true cosines: across with {across}, up with {up}. Every stage is compared with the same word at that stage, once the mean of all words there is taken away.",
    ),
    { across: bold(across), up: bold(up) },
  );
}

function cosine(one, other) {
  let [product, left, right] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    product += one[index] * other[index];
    left += one[index] ** 2;
    right += other[index] ** 2;
  }
  return product / Math.max(1e-12, Math.sqrt(left * right));
}
