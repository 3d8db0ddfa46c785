"""The Bench: what it shows is what the model computed, wherever one looks."""

import csv
import io
import json

import numpy as np
import pytest
from playwright.sync_api import expect

from support.browsing import SENTENCE, settled


def test_a_number_is_the_same_in_the_page_the_api_and_python(open_page, at, trace):
    address = "dec.1.cross.h0.weights[1,2]"
    page = open_page("bench", text=SENTENCE, zoom="number", at=address)
    in_python = trace[address]
    assert at.same(at.number(page, address, ".stage"), in_python)
    assert at.same(at.number(page, address, ".inspector"), in_python)
    served = page.evaluate(
        "fetch(arguments_).then((a) => a.arrayBuffer()).then((b) => new Float32Array(b)[0])".replace(
            "arguments_", repr(f"/api/v1/at/{address}?text={SENTENCE}")
        )
    )
    assert at.same(served, in_python)
    assert address in page.url
    expect(page.locator(".crumbs")).to_have_text("dec › 1 › cross › h0 › weights › [1,2]")
    expect(page.locator(".python")).to_have_text(f'trace["{address}"]')
    expect(page.locator(".badge")).to_contain_text("✓")


def test_tables_hold_every_cell_and_masked_ones_are_zero(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="head", at="dec.0.self.h1.weights")
    page.locator('.panel[data-address="dec.0.self.h1.weights"] button', has_text="Table").click()
    cells = page.locator('.panel[data-address="dec.0.self.h1.weights"] td[data-value]')
    found = {
        cell[0]: float(cell[1])
        for cell in cells.evaluate_all("all => all.map((c) => [c.dataset.address, c.dataset.value])")
    }
    weights = trace["dec.0.self.h1.weights"]
    assert len(found) == weights.size
    for i in range(len(weights)):
        for j in range(len(weights)):
            assert found[f"dec.0.self.h1.weights[{i},{j}]"] == pytest.approx(float(weights[i, j]), rel=1e-6)
            assert j <= i or found[f"dec.0.self.h1.weights[{i},{j}]"] == 0
    rows = page.locator(".panel tbody th").all_inner_texts()
    assert rows == [f"→ {token.text}" for token in trace.predicted]  # a row says what it predicts; no padding


def test_the_tape_shows_the_candidates(open_page, trace):
    page = open_page("bench", text=SENTENCE)
    for step in trace.steps[:4]:
        for guess in step.guesses:
            shown = page.locator(f'.tape [data-address="{guess.address}"]')
            assert float(shown.get_attribute("data-value")) == pytest.approx(guess.probability, rel=1e-6)


def test_steps_go_forth_and_back(open_page, trace):
    page = open_page("bench", text=SENTENCE)
    count = page.locator(".count")
    expect(count).to_have_text(f"Step 1 / {len(trace.steps)}")
    page.get_by_role("button", name="Next step").click()
    expect(count).to_contain_text("Step 2")
    expect(page.locator("[aria-live=polite].unseen")).to_contain_text(trace.steps[1].chosen.text)
    page.get_by_role("button", name="Step back").click()
    expect(count).to_contain_text("Step 1")
    page.get_by_role("button", name="Last step").click()
    expect(count).to_contain_text(f"Step {len(trace.steps)} /")
    page.keyboard.press("[")
    expect(count).to_contain_text(f"Step {len(trace.steps) - 1} /")


def test_four_zooms(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="alignment")
    expect(page.locator(".linkword")).to_have_count(4)
    assert page.locator(".links path").count() >= 1
    expect(page.get_by_role("combobox", name="Head")).to_contain_text(trace.alignment.head)
    page.reload()  # the best head is guessed now; that it was right is said, too
    expect(page.locator(".alignment")).to_contain_text("the head that agrees best with occlusion")
    expect(page.locator(".arriving")).to_have_count(0)
    page.get_by_role("button", name="Occlusion").click()
    value = page.locator('[data-address="occlusion[0,1]"]')
    expect(value).to_be_visible()
    assert float(value.get_attribute("data-value")) == pytest.approx(float(trace["occlusion[0,1]"]), rel=1e-4)
    page.get_by_role("button", name="Head atlas").click()
    expect(page.locator(".thumbnail")).to_have_count(len(trace.heads()))
    page.get_by_label("Open enc.1.self.h2").click()
    expect(page.locator(".stage .panel")).to_have_count(10)
    canvas = page.locator('.panel[data-address="enc.1.self.h2.weights"] canvas')
    canvas.hover()
    canvas.click()
    expect(page.locator(".stage .badge")).to_contain_text("✓")
    assert "enc.1.self.h2.weights[" in page.url


def test_the_wall_of_heads_is_sorted_by_what_matters(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="atlas", sort="matters")
    expect(page.locator(".thumbnail")).to_have_count(len(trace.heads()))
    shown = (
        page.locator(".heads")
        .nth(2)
        .locator("[data-value]")
        .evaluate_all("all => all.map((one) => Number(one.dataset.value))")
    )
    traits = trace.head_traits()
    wanted = sorted(one.matters for name, one in traits.items() if ".cross." in name)
    assert shown == pytest.approx(wanted, abs=1e-4)


def test_a_head_is_switched_off_and_on(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="atlas")
    page.get_by_role("switch", name="enc.0.self.h1 on").click()
    expect(page.locator("#delta")).to_be_visible()
    off = trace.without("enc.0.self.h1")
    assert float(page.locator("#delta").get_attribute("data-value")) == pytest.approx(off.change.total, rel=1e-4)
    page.get_by_role("button", name="How does the dev set fare without?").click()
    expect(page.locator(".consequence")).to_contain_text("Dev set (1)")
    page.get_by_role("switch", name="enc.0.self.h1 on").click()
    expect(page.locator("#delta")).to_have_count(0)


def test_another_candidate_is_forced_and_branches_are_kept(open_page, trace):
    page = open_page("bench", text=SENTENCE)
    other = trace.steps[1].guesses[1]
    page.locator(f'.tape [data-address="{other.address}"]').click()
    expect(page.locator(".consequence")).to_contain_text("Forced")
    forced = trace.forcing(1, other.id)
    shown = page.locator("#score-change").get_attribute("data-value")
    assert float(shown) == pytest.approx(forced.score - trace.score, abs=1e-4)
    expect(page.locator(".tape .column").nth(1).locator(".chosen")).to_contain_text(other.text)
    expect(page.locator(".count")).to_have_text(f"Step 2 / {len(forced.steps)}")
    branches = page.locator(".branches button")
    expect(branches).to_have_count(2)
    branches.first.click()
    expect(page.locator(".consequence")).to_be_hidden()
    expect(branches).to_have_count(2)


def test_a_hypothesis_of_the_beam_is_followed(open_page, trace):
    page = open_page("bench", text=SENTENCE, below="beam")
    expect(page.locator(".hypothesis").first).to_be_visible()
    assert page.locator(".hypothesis.grey").count() == sum(
        one.fate in ("pruned", "dead end", "unfinished") for step in trace.search.steps for one in step
    )
    lost = next(one for one in trace.search.steps[1] if one.fate == "pruned" and one.id != 3)
    page.locator(f'[data-key="beam-1-{lost.rank}"]').click()
    expect(page.locator(".consequence")).to_contain_text("Forced")
    settled(page)
    asked = page.url.partition("?")[2]
    steps = page.evaluate(f"fetch({f'/api/v1/explain?{asked}'!r}).then((answer) => answer.json())")["steps"]
    ids = [step["chosen"]["id"] for step in steps]
    assert tuple(ids[: len(lost.ids)]) == lost.ids


def test_whole_words(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="head", at="enc.0.self.h0.weights")
    page.get_by_label("Whole words").check()
    panel = page.locator('.panel[data-address="enc.0.self.h0.weights"]')
    expect(panel).to_contain_text("5 × 5")
    panel.get_by_role("button", name="Table").click()
    assert panel.locator("thead th").all_inner_texts() == [*SENTENCE.split(), "<end>"]


def test_a_link_recreates_the_view(open_page, trace):
    asked = {
        "text": SENTENCE,
        "zoom": "number",
        "at": "enc.1.self.h0.scores[3,4]",
        "off": ["enc.0.self.h0"],
        "step": 2,
    }
    first, second = (open_page("bench", **asked) for _ in range(2))
    shown = [page.locator(".stage .value").get_attribute("data-value") for page in (first, second)]
    assert shown[0] == shown[1]
    changed = trace.without("enc.0.self.h0")["enc.1.self.h0.scores[3,4]"]
    assert float(shown[0]) == pytest.approx(float(changed), rel=1e-6)


def test_an_address_that_does_not_exist_names_the_nearest(open_page):
    page = open_page("bench", text=SENTENCE)
    box = page.get_by_label("Address")
    box.fill("enc.0.self.wieghts")
    box.press("Enter")
    expect(page.locator(".inspector .problem")).to_contain_text("did you mean 'enc.0.self.weights'")
    box.fill("enc.0.self.weights[0,1,2]")
    box.press("Enter")
    expect(page.locator(".inspector .value")).to_be_visible()


def test_an_empty_box_is_refused_in_words(open_page):
    page = open_page("bench", text=SENTENCE)
    box = page.get_by_label("Sentence")
    box.fill("   ")
    box.press("Enter")
    expect(page.locator("main > .problem")).to_contain_text("The box is empty")


def test_too_long_a_text_is_cut_into_sentences_and_one_is_shown(open_page, explainers):
    sentences = [f"the river bank flows and the money bank grows {number}!" for number in range(8)]
    page = open_page("bench", text=" ".join(sentences), zoom="alignment")
    choice = page.get_by_label("Too long to be opened up at once")
    assert choice.locator("option").all_inner_texts() == [f"{n + 1}. {one}" for n, one in enumerate(sentences)]
    shown = [word.text for word in explainers["to-hindi"].explain(sentences[0]).source.words][:-1]
    assert page.locator(".linkword .chip").all_inner_texts() == shown
    choice.select_option("5")
    settled(page)
    expect(page.locator(".linkword .chip").last).to_have_text("5!")
    assert "sentence=5" in page.url
    page.reload()  # the link has it all
    settled(page)
    expect(page.locator(".linkword .chip").last).to_have_text("5!")
    expect(page.get_by_label("Sentence", exact=True)).to_have_value(" ".join(sentences))
    page.get_by_label("Sentence", exact=True).fill("the " * 200)  # one sentence, too long in itself
    page.get_by_label("Sentence", exact=True).press("Enter")
    settled(page)
    expect(choice.locator("option").nth(3)).to_contain_text("the the")
    page.get_by_label("Sentence", exact=True).fill(SENTENCE)
    page.get_by_label("Sentence", exact=True).press("Enter")
    settled(page)
    expect(choice).to_have_count(0)


def test_links_are_there_before_occlusion_and_change_when_it_has_arrived(open_page, trace, at):
    page = open_page("translate")
    held = []
    page.route("**/api/v1/occlusion?*", lambda route: held.append(route))
    page.goto(open_page.link("bench", text=SENTENCE, zoom="alignment"))
    expect(page.locator(".linkword")).to_have_count(4)
    expect(page.get_by_role("combobox", name="Head")).to_have_value("mean")
    expect(page.locator(".stage")).to_contain_text("The mean of all cross-attention heads, until")
    expect(page.locator(".tape .column").first).to_be_visible()  # nothing else waits for it
    expect(page.locator(".stage progress")).to_have_attribute("max", "4")
    page.get_by_role("button", name="Occlusion").click()
    expect(page.locator(".linkword small").first).to_have_text("…")
    for route in held:
        route.continue_()
    page.unroute("**/api/v1/occlusion?*")
    settled(page)
    expect(page.locator(".stage progress")).to_have_count(0)
    assert at.number(page, "occlusion[0,2]", ".stage") == pytest.approx(float(trace["occlusion[0,2]"]), abs=1e-5)
    page.get_by_role("button", name="Attention", exact=True).click()
    best = trace.alignment.head
    expect(page.get_by_role("combobox", name="Head")).to_have_value(best)
    assert at.number(page, "alignment[0,2]", ".stage") == pytest.approx(float(trace["alignment[0,2]"]), abs=1e-5)
    # The stage and the inspector look at one head, whichever is chosen, and wherever it is chosen.
    expect(page.get_by_label("Address")).to_have_value(f"{best}.weights")
    other = trace.alignment.ranking[-1][0]
    page.get_by_role("combobox", name="Head").select_option(other)
    expect(page.get_by_label("Address")).to_have_value(f"{other}.weights")
    settled(page)
    page.get_by_role("button", name="One head").click()
    expect(page.locator(f'.stage .panel[data-address="{other}.weights"]')).to_be_visible()
    page.get_by_role("combobox", name="Head").select_option(str(1 - int(other[-1]) % 2))
    page.get_by_role("button", name="Alignment").click()
    settled(page)
    chosen = page.get_by_role("combobox", name="Head").input_value()
    assert chosen != other
    expect(page.get_by_label("Address")).to_have_value(f"{chosen}.weights")


def test_heads_are_named_in_full(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="atlas")
    names = [address.removesuffix(".weights") for address in trace.heads()]
    assert sorted(page.locator(".headname").all_inner_texts()) == sorted(names)
    assert len(set(names)) == len(names)


def test_the_files_of_the_tape_have_what_the_tape_shows(open_page, trace):
    page = open_page("bench", text=SENTENCE)
    bar = page.locator(".below .exports")
    with page.expect_download() as waiting:
        bar.get_by_text("CSV", exact=True).click()
    header, *rows = csv.reader(io.StringIO(waiting.value.path().read_text(encoding="utf-8")))
    bars = page.locator(".tape .guess")
    assert len(rows) == bars.count() < 10 * len(trace.steps)
    shown = bars.evaluate_all("all => all.map((one) => [one.dataset.address, one.dataset.value])")
    assert [[row[header.index("address")], row[header.index("probability")]] for row in rows] == shown
    with page.expect_download() as waiting:
        bar.get_by_text("JSON", exact=True).click()
    assert len(json.loads(waiting.value.path().read_text(encoding="utf-8"))["rows"]) == len(rows)
    bar.get_by_text("Copy as NumPy").click()
    expect(bar).to_contain_text("✓ Copied")
    found = eval(page.evaluate("navigator.clipboard.readText()"), {"np": np})
    np.testing.assert_allclose(found, [float(value) for _, value in shown], rtol=1e-6)


def test_with_the_keyboard_alone(open_page, trace):
    page = open_page("follow", text=SENTENCE)  # Translate would put the cursor into its box
    page.keyboard.press("Tab")
    expect(page.locator(".skip").first).to_be_focused()
    for _ in range(1, page.locator(".skip").count()):
        page.keyboard.press("Tab")
    for key in ("Tab", "Tab", "ArrowLeft", "Enter"):  # the name, the views: one stop, and arrow keys
        page.keyboard.press(key)
    expect(page.get_by_role("heading", name="Look inside")).to_be_visible()
    settled(page)
    box = page.get_by_label("Sentence")
    box.focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(SENTENCE)
    page.keyboard.press("Enter")
    expect(page.locator(".count")).to_have_text(f"Step 1 / {len(trace.steps)}")
    zoom = page.get_by_role("button", name="One head")
    zoom.focus()
    page.keyboard.press("Enter")
    canvas = page.locator(".stage canvas").first
    expect(canvas).to_be_visible()
    settled(page)
    expect(zoom).to_be_focused()  # drawing anew leaves the keyboard where it was
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "CANVAS":
            break
    expect(canvas).to_be_focused()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".stage .badge")).to_contain_text("✓")
    assert "weights[1,1]" in page.url


def kept(page):
    """What the tab holds once everything is swept: megabytes of the JavaScript heap, elements, listeners."""
    talk = page.context.new_cdp_session(page)
    talk.send("HeapProfiler.enable")
    for _ in range(2):
        talk.send("HeapProfiler.collectGarbage")
    counts = talk.send("Memory.getDOMCounters")
    heap = talk.send("Runtime.getHeapUsage")
    talk.detach()
    return (heap["usedSize"] + heap["backingStorageSize"]) / 2**20, counts["nodes"], counts["jsEventListeners"]


def test_stepping_and_changing_views_keeps_nothing(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="atlas")

    def around(times):
        for number in range(times):
            step = f"&step={number % len(trace.steps)}"
            page.evaluate(f"location.hash = location.hash.replace(/&step=\\d+|$/, '{step}')")
            for zoom in ("head", "alignment", "atlas"):
                page.locator(f'[data-key="tab-{zoom}"]').click()
                settled(page)
        page.locator("[data-view=follow]").click()
        settled(page)
        page.go_back()
        settled(page)

    around(2)
    before = kept(page)
    around(6)
    grown = [after - one for after, one in zip(kept(page), before, strict=True)]
    assert grown[0] < 50 * 6 / 200  # megabytes: 50 in 200 rounds
    assert grown[1] < 100  # elements: one atlas has some hundred
    assert grown[2] < 20  # listeners


def test_the_atlas_is_drawn_anew_only_where_it_changed(open_page):
    page = open_page("bench", text=SENTENCE, zoom="atlas")
    paint = """() => {
      window.painted = [];
      const canvas = HTMLCanvasElement.prototype, { set } = Object.getOwnPropertyDescriptor(canvas, "width");
      Object.defineProperty(canvas, "width", { set(to) { painted.push(this); set.call(this, to); } });
    }"""
    page.evaluate(paint)
    page.get_by_role("button", name="Next step").click()
    expect(page.locator(".count")).to_contain_text("Step 2")
    settled(page)
    assert page.evaluate("painted.length") == 0
    page.get_by_role("switch", name="enc.1.self.h1 on").click()
    expect(page.locator("#delta")).to_be_visible()
    settled(page)
    # What enc.1 gives is read by the decoder alone, and its other heads are as they were.
    names = page.evaluate("painted.map((one) => one.parentElement.title)")
    assert names
    assert all(name.startswith("dec.") for name in names)
    page.get_by_label("Colours").select_option("dark")
    assert page.evaluate("new Set(painted).size") == 3 * 2 * 3
