// The frame around the views: the header, the keys, presenter mode, and which view is shown. The URL says what.

import { checkedLink } from "./frame/link-check.js";
import { header, showChosen } from "./frame/header.js";
import { listenToKeys, showKeys } from "./frame/keys.js";
import { present, things, toggle } from "./frame/presenter.js";
import { serverBar } from "./frame/server-bar.js";
import { skipLinks } from "./frame/skip-links.js";
import { fetchingBar } from "./frame/stored-packs.js";
import { get, KeyProblem, Problem, whenServerAnswers } from "./parts/api.js";
import { button, fill, h, refill } from "./parts/dom.js";
import { chosenLanguage, filled, key, loadLanguage, said, setLanguage, t } from "./parts/i18n.js";
import { loadNotation } from "./parts/notation.js";
import { remark, remarks } from "./parts/remarks.js";
import { keep, keepForNow, recall, recallForNow } from "./parts/storage.js";
import { tab } from "./parts/transport.js";
import { amend, go, hash, state, unchanged, whenChanged } from "./parts/url-state.js";
import { Translate } from "./views/translate.js";

// view → its name, its class, and which packs it is for (one without `fits` needs none); `needs`: what the server must
// allow. Their order is that of the header. The start is here at once; the others are fetched when they are wanted.
const VIEWS = {
  translate: {
    name: key("Translate"),
    make: async () => Translate,
    fits: (model) => model.task === "translate",
    task: "translate",
  },
  bench: {
    name: key("Look inside"),
    make: async () => (await import("./views/bench.js")).Bench,
    fits: (model) => model.shape === "encoder-decoder",
    task: "translate",
    needs: "explain",
  },
  follow: {
    name: key("Follow"),
    make: async () => (await import("./views/follow.js")).Follow,
    fits: () => true,
    task: "translate",
    needs: "explain",
  },
  learn: { name: key("Learn"), make: async () => (await import("./views/learn.js")).Learn, needs: "explain" },
  compare: {
    name: key("Compare"),
    make: async () => (await import("./views/compare.js")).Compare,
    fits: () => true,
    task: "translate",
    needs: "explain",
  },
  space: {
    name: key("Space"),
    make: async () => (await import("./views/space.js")).Space,
    fits: () => true,
    task: "embed",
    needs: "explain",
  },
  understand: {
    name: key("Understand"),
    make: async () => (await import("./views/understand.js")).Understand,
    fits: (model) => model.shape !== "decoder",
    task: "embed",
    needs: "explain",
  },
  write: {
    name: key("Write"),
    make: async () => (await import("./views/write.js")).Write,
    fits: (model) => model.shape === "decoder",
    task: "write",
    needs: "explain",
  },
  labs: { name: key("Labs"), make: async () => (await import("./views/labs.js")).Labs, needs: "labs" },
  watch: { name: key("Watch"), make: async () => (await import("./views/watch.js")).Watch, needs: "trainings" },
};
const NOT_IN_A_TAB = key("This view needs Dhyan itself, not just a browser: pip install dhyan, then dhyan serve.");
const NO_TRAINING = key("No training can be watched here: dhyan serve --training my-pack.training watches one.");
const OFF = key("This view is off on this server.");
const STARTS = ["translate", "write", "understand"]; // the first that there is a pack for

let known = null;
let view = null;
let turn = 0; // counts what was shown: a view that is fetched too late is not

function setTheme(name) {
  keep("theme", name);
  document.documentElement.dataset.theme = name;
  window.dispatchEvent(new Event("dhyan-theme"));
}

const fitting = (name) => known.models.filter(VIEWS[name].fits ?? (() => false));

/** The pack that the URL names, where the view is for it; else the first that it is for; null where there is none. */
function modelFor(name) {
  const rank = (model) => (model.task === VIEWS[name].task ? 0 : 1);
  return (
    fitting(name).find((model) => model.name === state.model) ??
    fitting(name).toSorted((a, b) => rank(a) - rank(b))[0] ??
    null
  );
}

/** A server that is run for others may keep looking inside, and experiments, to itself. */
const allowed = (name) => !VIEWS[name].needs || known[VIEWS[name].needs];

/** What a visitor meets first. */
const home = () => STARTS.find((name) => allowed(name) && fitting(name).length > 0) ?? STARTS[0];

/** What the header has: views that this server allows and has a pack for. */
const offered = () =>
  Object.keys(VIEWS)
    .filter((name) => allowed(name) && (!VIEWS[name].fits || fitting(name).length > 0))
    .map((name) => [name, t(VIEWS[name].name), linkTo(name)]);

/** A sentence goes along from view to view; what belongs to another pack does not. */
function linkTo(name) {
  const stays = !VIEWS[name].fits || fitting(name).some((model) => model.name === state.model);
  return hash({ view: name, model: stays ? state.model : "", text: state.text, present: state.present && "1" });
}

function frame() {
  document.documentElement.lang = chosenLanguage();
  const model = modelFor(state.view);
  const choose = {
    pack: (name) => go({ model: name, at: "", ...unchanged(), step: "", alternative: "" }),
    language: async (language) => {
      await setLanguage(language);
      frame();
    },
    theme: setTheme,
    present: toggle,
    help: () => showKeys(offered()),
  };
  refill(
    document.querySelector("#page"),
    skipLinks(),
    header({
      home: hash({ view: home() }),
      views: offered(),
      view: state.view,
      packs: fitting(state.view),
      pack: model?.name,
      theme: document.documentElement.dataset.theme,
      choose,
      prepare: (name) => VIEWS[name].make().catch(() => null), // whoever comes to fetch it tells what is wrong
    }),
    remarks(),
    h("main", { id: "main", tabindex: "-1" }),
  );
  showChosen();
  return show();
}

async function show() {
  turn += 1;
  const here = turn;
  const main = document.querySelector("#main");
  const { make, name, fits, task, needs } = VIEWS[state.view];
  view?.leave?.();
  view = null;
  document.onkeydown = null; // a view may listen while it is shown
  document.title = `${t(name)} · Dhyan`;
  present(main, t(name));
  const says = (sentence) => fill(main, h("h1", null, t(name)), h("p", { class: "problem", role: "status" }, sentence));
  if (!allowed(state.view)) return says(t(tab ? NOT_IN_A_TAB : needs === "trainings" ? NO_TRAINING : OFF));
  const model = modelFor(state.view);
  if (fits && !model) return says(said(known.how_to_get[task]));
  if (state.model && fits && model.name !== state.model) {
    const named = known.models.find((one) => one.name === state.model);
    const sentence = named
      ? t("{name} is another kind of pack ({about}); this view uses {other}.")
      : t("There is no pack {name} here; this view uses {other}.");
    remark([filled(sentence, { name: state.model, about: named && said(named.about), other: model.name })]);
    amend({ model: "" });
  }
  main.setAttribute("aria-busy", "true");
  let Make;
  try {
    [Make] = await Promise.all([make(), known.explain && loadNotation()]);
  } catch (problem) {
    if (here !== turn) return null;
    if (problem instanceof Problem) return says(problem.message);
    if (await whenServerAnswers()) location.reload(); // it was lost meanwhile, and the URL has all there is
    return says(t("This view could not be fetched; it may have been renewed meanwhile: load the page again."));
  } finally {
    if (here === turn) main.removeAttribute("aria-busy");
  }
  if (here !== turn) return null;
  leaveOutWrong(Make);
  view = new Make(main, model, known);
  performance.mark("dhyan-view");
  await view.update(state, {});
  return here === turn ? checkPresented() : null;
}

/** What a link wants to be presented may be no part of the view. */
function checkPresented() {
  const wanted = state.present;
  if (!wanted || wanted === "1" || things().some((one) => one.dataset.thing === wanted)) return;
  remark([filled(t("There is no part {name} of this view to present; shown is the first."), { name: wanted })]);
  amend({ present: "1" });
}

function leaveOutWrong(Make) {
  const { changes, sentences } = checkedLink(state, Make);
  if (!sentences.length) return;
  remark(sentences);
  amend(changes);
}

/** A server that is run for others may want a key: it is sent along with every question until the tab is closed. */
function askForKey() {
  const input = h("input", { type: "password", name: "key", autocomplete: "off", required: true, spellcheck: "false" });
  const send = (event) => {
    event.preventDefault();
    keepForNow("key", input.value.trim());
    start();
  };
  fill(
    document.querySelector("#page"),
    h(
      "main",
      { id: "main" },
      h("h1", null, t("This server asks for a key")),
      recallForNow("key") && h("p", { class: "problem", role: "alert" }, t("This key is not known here.")),
      h(
        "form",
        { class: "row", onsubmit: send },
        h("label", { class: "field" }, h("span", null, t("Key")), input),
        h("button", { type: "submit", class: "strong" }, t("Go on")),
      ),
      h("p", { class: "muted" }, t("Whoever runs the server has one for you. It is kept until this tab is closed.")),
    ),
  );
  input.focus();
}

/** A link to no view: the start. To a view that is not: the start, and a word about it. */
function knownView() {
  if (/^#?\/?$/.test(location.hash) && home() !== state.view) amend({ view: home() });
  if (state.view in VIEWS) return [];
  const sentence = filled(t("There is no view called {name}; this is the start."), { name: state.view });
  amend({ view: home() });
  return [sentence];
}

async function start() {
  VIEWS[state.view]?.make().catch(() => null); // it comes while we ask what there is
  try {
    [known] = await Promise.all([get("models"), loadLanguage()]);
  } catch (problem) {
    if (problem instanceof KeyProblem) return askForKey();
    const again = button(t("Try again"), () => location.reload());
    const sentence = problem instanceof Problem ? problem.message : String(problem);
    fill(document.querySelector("#page"), h("p", { class: "problem", role: "alert" }, sentence), again);
    return;
  }
  whenChanged(changed);
  listenToKeys({ view: () => view, views: offered });
  const wrong = knownView();
  frame();
  remark(wrong);
}

function changed(now, before) {
  const wrong = knownView();
  if (wrong.length || now.view !== before.view || now.model !== before.model) {
    frame();
    return remark(wrong);
  }
  if (now.present !== before.present) present(document.querySelector("#main"), t(VIEWS[now.view].name));
  if (now.text !== before.text || now.present !== before.present)
    for (const [name, , href] of offered())
      /** @type {HTMLAnchorElement} */ (document.querySelector(`nav [data-view="${name}"]`)).href = href;
  if (!view) return null;
  leaveOutWrong(/** @type {typeof import("./parts/view.js").View} */ (view.constructor));
  return view.update(state, before);
}

setTheme(recall("theme") ?? "auto");
serverBar();
fetchingBar();
start();
