"""The start of the page, and Translate: typing, choosing words, swapping, documents, history."""

import json
import re
import threading
import time

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dhyan.core.cancellation import Cancelled, stop_if_cancelled
from dhyan.loading import load
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from dhyan.text.romanise import romanise
from dhyan.translation.translator import Translator
from support.browsing import SENTENCE, chromium, readable, serving, settled
from support.serving import running

HINDI = "मेरा घर नदी के पास है और बहुत सुंदर है।"
VOICES = """
  const voices = [
    { lang: "hi-IN", localService: true, name: "here" },
    { lang: "en-US", localService: false, name: "elsewhere" },
  ];
  window.spoken = [];
  Object.defineProperty(window, "speechSynthesis", { value: {
    getVoices: () => voices,
    addEventListener: () => {},
    cancel: () => {},
    speak: (said) => window.spoken.push([said.text, said.lang, said.voice?.name]),
  } });
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """Packs for both directions, and one that does not say what it translates."""
    folder = tmp_path_factory.mktemp("pair")
    readable(folder / "there", "encoder-decoder", languages=("en", "hi"))
    readable(folder / "back", "encoder-decoder", languages=("hi", "en"))
    readable(folder / "plain", "encoder-decoder")
    return {name: folder / name for name in ("there", "back", "plain")}


@pytest.fixture(scope="module")
def address(pair, tmp_path_factory):
    chromium()
    named = [part for folder in pair.values() for part in ("--model", folder)]
    server, address = serving(*named, DHYAN_HOME=str(tmp_path_factory.mktemp("home")))
    yield address
    server.terminate()
    server.wait(10)


@pytest.fixture(scope="module")
def ask(address):
    """What the API says, to compare with what the page shows."""
    with httpx.Client(base_url=f"{address}/api/v1", timeout=30) as client:
        yield lambda path, **asked: client.post(f"/{path}", json=asked).raise_for_status().json()


def box(page):
    return page.get_by_label("Your text")


def translation(page):
    return page.locator("#translation")


# -- the start ---------------------------------------------------------------------------------------------------


def test_the_start_shows_itself(open_page, ask):
    page = open_page()
    expect(page.locator("main h1")).to_have_text("A translator that you can open")
    expect(box(page)).to_be_focused()
    ready = page.locator(".ready")
    expect(ready.locator(".ribbon-band").first).to_be_visible()
    source = " ".join(ready.locator(".ribbon-side").first.locator(".chip").all_inner_texts())
    said = ask("translate", text=source, model="there")["text"]
    linked = ask("align", source=source, target=said, model="there")
    assert ready.locator(".ribbon-side").last.locator(".chip").all_inner_texts() == linked["target"]
    weights = {round(weight, 6) for row in linked["weights"] for weight in row}
    drawn = ready.locator(".ribbon-band").evaluate_all("all => all.map((band) => Number(band.dataset.value))")
    assert {round(weight, 6) for weight in drawn} <= weights
    assert len(drawn) >= len(linked["target"])
    above, below = (ready.locator(".ribbon-side").nth(number).bounding_box() for number in (0, 1))
    assert above["y"] + above["height"] + 40 < below["y"]  # room for the ribbons
    assert page.locator(".example").count() == 4
    doors = page.locator(".door").evaluate_all("all => all.map((door) => door.getAttribute('href').split('?')[0])")
    assert doors == ["#/translate", "#/bench", "#/learn"]
    found = Axe().run(page).response["violations"]
    assert not [one["id"] for one in found if one["impact"] in ("serious", "critical")]

    for key in ("Tab", "Tab", "ArrowRight", "Tab"):  # to the documents, to the first words, along them, to the others
        page.keyboard.press(key)
    expect(ready.locator(".ribbon-side").last.locator(".chip").first).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(ready.locator(".ribbon-side").first.locator(".chip").nth(1)).to_be_focused()

    page.locator(".example").first.click()
    expect(translation(page)).not_to_be_empty()
    expect(page.locator(".landing")).to_be_hidden()
    expect(page.locator("main h1")).to_have_text("Translate")
    page.go_back()
    expect(page.locator(".landing")).to_be_visible()
    expect(translation(page)).to_be_empty()


def test_the_start_on_a_telephone_in_hindi(open_page):
    page = open_page(width=390, height=844, scheme="dark", language="hi")
    expect(page.locator(".ready .ribbon-band").first).to_be_visible()
    expect(page.locator("main h1")).to_have_text("अनुवादक, जिसे आप खोलकर देख सकते हैं")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    found = Axe().run(page).response["violations"]
    assert not [one["id"] for one in found if one["impact"] in ("serious", "critical")]
    page.get_by_label("आपका पाठ").fill(f"See https://example.org/{'x' * 200}.")
    settled(page)
    expect(page.locator(".roman")).to_contain_text("xxx")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_pack_of_unknown_languages_has_no_examples(open_page):
    page = open_page(model="plain")
    expect(page.locator(".door").first).to_be_visible()
    expect(page.locator(".example")).to_have_count(0)
    expect(page.locator(".ready")).to_be_hidden()
    expect(page.locator(".swap")).to_have_count(0)


def test_nothing_moves_for_who_does_not_want_it(browser, address):
    context = browser.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.goto(address)
    expect(page.locator(".ready .ribbon-band").first).to_be_visible()
    assert page.locator(".ribbon-band").first.evaluate("one => getComputedStyle(one).animationName") == "none"
    context.close()


# -- typing ------------------------------------------------------------------------------------------------------


def test_it_translates_as_one_types(open_page, ask):
    page = open_page()
    box(page).press_sequentially(SENTENCE, delay=5)
    expect(translation(page)).to_have_text(ask("translate", text=SENTENCE)["text"], use_inner_text=False)
    first = page.locator(".linked .ribbon-side").first.locator(".chip").first
    first.hover()
    expect(first).to_have_class("chip pointed")
    page.locator(".linked .ribbon-side").last.locator(".chip").first.hover()
    expect(page.locator(".linked .ribbon-band.on").first).to_be_visible()
    words = page.locator("#translation .word")
    words.last.hover()  # the same from the translation itself
    expect(page.locator(".linked .ribbon-side").last.locator(".chip").last).to_have_class("chip pointed")
    words.first.focus()
    page.keyboard.press("End")
    expect(words.last).to_be_focused()
    page.get_by_role("link", name="Follow", exact=True).click()  # the sentence goes along
    expect(page.get_by_label("Sentence")).to_have_value(SENTENCE)
    page.go_back()
    page.get_by_role("link", name="Open it up").click()
    expect(page.get_by_role("heading", name="Look inside")).to_be_visible()
    expect(page.get_by_label("Sentence")).to_have_value(SENTENCE)
    page.go_back()
    box(page).fill("")
    expect(translation(page)).to_be_empty()


def test_links_are_asked_for_when_all_is_quiet_and_for_what_stands_there(open_page):
    page = open_page()
    expect(page.locator(".ready .ribbon-band").first).to_be_visible()
    asked = []
    page.on(
        "request",
        lambda one: asked.append((one.url.split("/")[-1], one.post_data_json)) if one.method == "POST" else None,
    )
    box(page).fill("the river")
    expect(translation(page)).not_to_be_empty()
    box(page).fill(SENTENCE)
    expect(page.locator(".linked .chip").first).to_be_visible()
    begun = next(at for at, (path, sent) in enumerate(asked) if path == "translate" and sent["text"] == SENTENCE)
    assert [sent["source"] for path, sent in asked[begun:] if path == "align"] == [SENTENCE]
    alternatives = [at for at, (_, sent) in enumerate(asked) if "alternatives" in sent and sent["text"] == SENTENCE]
    assert all(at > begun + 1 for at in alternatives)


def test_of_several_sentences_that_which_is_looked_at_is_linked(open_page):
    page = open_page(text="the river flows. The bank grows.")
    chips = page.locator(".linked .ribbon-side").first.locator(".chip")
    expect(chips).to_have_text(["the", "river", "flows."])
    page.locator('.sentence[data-number="1"] .word').first.focus()
    expect(chips).to_have_text(["The", "bank", "grows."])
    page.get_by_role("link", name="Open this sentence up").click()
    expect(page.get_by_label("Sentence")).to_have_value("The bank grows.")


@pytest.fixture
def slow(pair, monkeypatch):
    """A server in this process whose translations take half a second, and which counts what becomes of them."""
    counts = {"begun": 0, "given up": 0, "done": 0, "at once": 0, "most at once": 0}
    lock, translate = threading.Lock(), Translator.translate

    def slowly(self, texts, *given, **settings):
        with lock:
            counts["begun"] += 1
            counts["at once"] += 1
            counts["most at once"] = max(counts["most at once"], counts["at once"])
        try:
            until = time.monotonic() + 0.5
            while time.monotonic() < until:
                time.sleep(0.01)
                stop_if_cancelled()
            counts["done"] += 1
            return translate(self, texts, *given, **settings)
        except Cancelled:
            counts["given up"] += 1
            raise
        finally:
            counts["at once"] -= 1

    monkeypatch.setattr(Translator, "translate", slowly)
    app = create_app(ServedPacks({"plain": pair["plain"]}))
    with running(app) as address:
        yield address, counts, app.state.calls


def test_what_is_typed_over_is_given_up_here_and_there(browser, slow):
    address, counts, calls = slow
    context = browser.new_context()
    page = context.new_page()
    asked, given_up = [], []
    page.on("request", lambda request: asked.append(request) if request.url.endswith("/translate") else None)
    page.on("requestfailed", lambda request: given_up.append(request))
    page.goto(address)
    settled(page)
    text = "the river bank flows and grows"
    box(page).press_sequentially(
        text[:16], delay=170
    )  # a key is slower than the first pause, and quicker than an answer
    page.wait_for_timeout(500)  # long enough to be asked, too short to be answered
    box(page).press_sequentially(text[16:], delay=30)
    expect(page.locator(".stale")).to_have_count(1)
    expect(page.locator(".stale")).to_have_count(0, timeout=10_000)
    assert {json.loads(request.post_data)["text"] for request in asked if request not in given_up} == {text}
    assert 2 <= len(given_up) <= 4  # of 30 keys
    assert 1 <= counts["done"] <= 2  # the translation, and when all is quiet the other ways to say it
    assert 1 <= counts["given up"] <= len(given_up)  # one may be given up before it begins
    assert counts["most at once"] == 1  # the server, too, has dropped the one before it begins the next
    context.close()
    began = time.monotonic()
    while calls.in_flight and time.monotonic() - began < 5:
        time.sleep(0.02)
    assert not calls.in_flight


def test_a_slow_server_is_asked_less_often(open_page):
    page = open_page()
    pauses = page.evaluate("""async () => {
      const { Pace } = await import("/page/views/translate/pace.js");
      const pace = new Pace();
      const found = [];
      for (const time of [20, 20, 20, 20, 900, 900, 9000, 9000]) { pace.measured(time); found.push(pace.pause); }
      pace.typedOver();
      found.push(pace.pause);
      for (let times = 0; times < 12; times += 1) pace.measured(0);
      for (let times = 0; times < 2; times += 1) { pace.typedOver(); found.push(pace.pause); }
      return found;
    }""")
    assert pauses[3] == 80
    assert 80 < pauses[4] < pauses[5] < pauses[6] == pauses[7] == 1500
    assert pauses[8:] == [1500, 120, 180]


def test_what_is_out_of_date_looks_so_and_what_failed_leaves_nothing(open_page):
    page = open_page(text=SENTENCE)
    expect(page.locator(".linked .chip").first).to_be_visible()
    page.route("**/api/v1/translate", lambda route: None)  # no answer
    box(page).press_sequentially(" x")
    assert "stale" in page.locator(".translator").get_attribute("class")
    assert float(translation(page).evaluate("one => getComputedStyle(one).opacity")) < 0.5
    page.unroute("**/api/v1/translate")
    page.keyboard.press("Backspace")  # back to what it was
    page.keyboard.press("Backspace")
    expect(page.locator(".stale")).to_have_count(0)
    expect(page.locator(".linked .chip").first).to_be_visible()
    page.route("**/api/v1/translate", lambda route: route.fulfill(status=400, json={"error": "no such thing."}))
    box(page).press_sequentially("y")
    expect(page.locator(".translator > .problem")).to_have_text("no such thing.")
    expect(translation(page)).to_be_empty()
    expect(page.locator(".linked .chip")).to_have_count(0)
    expect(page.locator(".stale, [aria-busy]")).to_have_count(0)


def test_too_long_a_text_comes_in_parts(open_page, ask):
    page = open_page()
    lines = [f"the river bank flows {number}" for number in range(900)]
    asked = []
    page.on("request", lambda request: asked.append(request) if request.url.endswith("/translate") else None)
    page.route("**/api/v1/translate", echo)
    box(page).fill("\n".join(lines))
    expect(page.locator(".count")).to_contain_text("it is translated in parts")
    expect(page.locator(".stale")).to_have_count(0, timeout=20_000)
    sizes = [len(json.loads(request.post_data)["text"]) for request in asked]
    assert sum(sizes) > 20_000
    assert max(sizes) <= 4000
    assert len(sizes) < 12
    assert translation(page).evaluate("one => one.textContent").splitlines() == [line.upper() for line in lines]
    expect(page.locator(".translator > .problem")).to_be_hidden()


def echo(route):
    """In place of a model that would take its time: capitals."""
    text = json.loads(route.request.post_data)["text"]
    sentences = [
        {"source": line, "text": line.upper(), "notes": [], "confidence": 0.9, "roman": None}
        for line in text.split("\n")
    ]
    detected = {"language": "en", "name": "English", "confidence": 1}
    more = {"notes": [], "confidence": 0.9, "alternatives": [], "model": "there", "seconds": 0.01}
    route.fulfill(json={"text": text.upper(), "sentences": sentences, "detected": detected, **more})


def test_texts_are_cut_where_they_can_be(open_page):
    page = open_page()
    cut = """async ([text, most, wanted]) => {
      const { cut } = await import("/page/views/translate/cut.js");
      return cut(text, most, wanted);
    }"""
    for text, most in (
        ("one two. three four.\n\nfive six. seven\neight nine ten. " * 20, 60),
        ("x" * 500, 60),
        ("नदी के तट पर। " * 40, 50),
        ("😀" * 100, 7),
    ):
        parts = page.evaluate(cut, [text, most, most])
        assert "".join(parts) == text
        assert all(0 < len(part.encode("utf-16-le")) // 2 <= most for part in parts)
    assert page.evaluate(cut, ["a b. c d.\n\ne f. " * 2, 12, 12])[0] == "a b. c d.\n\n"


# -- words -------------------------------------------------------------------------------------------------------


def test_a_word_is_chosen_and_the_rest_follows(open_page, ask):
    page = open_page(text=SENTENCE)
    whole = translation(page).inner_text()
    found = ask("continuations", text=SENTENCE, model="there", count=6)
    page.locator(".word").first.click()
    choices = page.get_by_role("dialog", name="Other words here")
    expect(choices.locator("li").first).to_be_visible()
    assert choices.locator("b").all_inner_texts() == [one["word"] for one in found]
    scores = choices.locator("small[data-value]").evaluate_all("all => all.map((one) => Number(one.dataset.value))")
    assert scores == [pytest.approx(one["score"]) for one in found]
    expect(choices).to_contain_text("log-probability per token; nearer to 0 is surer")
    page.keyboard.press("Escape")
    expect(choices).to_be_hidden()
    expect(page.locator(".word").first).to_be_focused()

    page.keyboard.press("Enter")
    other = next(one for one in found if one["text"] != whole)
    choices.get_by_role("button").filter(has_text=other["word"]).nth(
        [one["word"] for one in found if other["word"] in one["word"]].index(other["word"])
    ).click()
    expect(translation(page)).to_have_text(other["text"], use_inner_text=False)
    expect(page.locator(".word.forced").first).to_have_text(other["word"])
    page.reload()
    settled(page)
    begun = ask("continuations", text=SENTENCE, prefix=other["word"], model="there", count=1)
    expect(translation(page)).to_have_text(begun[0]["text"] if begun else whole, use_inner_text=False)
    page.get_by_role("button", name="Back to the model's own words").click()
    expect(translation(page)).to_have_text(whole, use_inner_text=False)


def test_other_ways_are_on_a_scale_that_is_named(open_page, ask):
    page = open_page(text=SENTENCE)
    others = page.locator(".others")
    expect(others.get_by_role("columnheader", name="log-probability per token")).to_be_visible()
    alternatives = ask("translate", text=SENTENCE, model="there", alternatives=3)["alternatives"]
    shown = others.locator("tbody tr").evaluate_all(
        "rows => rows.map((r) => [r.cells[0].textContent, r.cells[1].dataset.value])"
    )
    assert [(text, pytest.approx(float(score))) for text, score in shown] == [
        (one["text"], one["score"]) for one in sorted(alternatives, key=lambda one: -one["score"])
    ]


def test_doubt_is_shown_where_it_belongs(open_page):
    page = open_page()
    sure = {"source": "One.", "text": "एक।", "notes": [], "confidence": 0.9, "roman": "ek."}
    noted = {"source": "Two.", "text": "पाँच।", "notes": ['"पाँच" may be wrong'], "confidence": 0.4, "roman": "paanch."}
    answer = {
        "text": "एक। पाँच।",
        "sentences": [sure, noted],
        "notes": [],
        "confidence": 0.4,
        "alternatives": [],
        "detected": {"language": "en", "name": "English", "confidence": 1},
        "model": "there",
        "seconds": 0.01,
    }
    page.route("**/api/v1/translate", lambda route: route.fulfill(json=answer))
    box(page).fill("One. Two.")
    expect(page.locator(".sentence.doubtful")).to_have_text("पाँच।")
    expect(page.locator(".word.named")).to_have_text("पाँच।")
    expect(page.locator(".roman")).to_have_text("ek. paanch.")
    line = page.locator(".notes li")
    expect(line).to_contain_text('Two. "पाँच" may be wrong', use_inner_text=False)
    line.hover()
    expect(page.locator(".sentence.pointed")).to_have_text("पाँच।")
    assert page.locator(".sentence").first.get_attribute("data-confidence") == "0.9"


def test_copy_answers_where_it_was_pressed(open_page):
    page = open_page(text=SENTENCE)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == translation(page).evaluate("one => one.textContent")
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_visible()


# -- languages ---------------------------------------------------------------------------------------------------


def test_swapping_takes_the_text_along(open_page):
    page = open_page(text=SENTENCE)
    expect(page.locator(".languages")).to_contain_text(re.compile("English.*Hindi", re.DOTALL))
    said = translation(page).evaluate("one => one.textContent")
    page.get_by_role("button", name="Swap the languages").click()
    expect(page.locator(".languages")).to_contain_text(re.compile("Hindi.*English", re.DOTALL))
    expect(box(page)).to_have_value(said)
    expect(page.get_by_label("Pack")).to_have_value("back")


def test_the_language_is_told_and_the_other_direction_offered(open_page):
    page = open_page(model="there", text=HINDI)
    expect(page.locator(".detected")).to_have_text("Detected: Hindi")
    expect(page.locator(".read")).to_have_text(romanise(HINDI))
    page.get_by_role("button", name="Translate from Hindi").click()
    expect(page.get_by_label("Pack")).to_have_value("back")
    expect(box(page)).to_have_value(HINDI)
    settled(page)
    expect(page.locator(".switch-offer")).to_have_count(0)


def test_only_the_machines_own_voices_read_aloud(browser, address):
    context = browser.new_context()
    context.add_init_script(VOICES)
    page = context.new_page()
    page.goto(f"{address}/#/translate?text={SENTENCE}")
    settled(page)
    buttons = page.get_by_role("button", name="Listen")
    expect(buttons).to_have_count(1)  # the voice for English would send the text away
    buttons.click()
    said = translation(page).evaluate("one => one.textContent")
    assert page.evaluate("spoken") == [[said, "hi", "here"]]
    context.close()


def test_the_reader_may_be_addressed_informally(open_page):
    page = open_page(text=SENTENCE)
    page.get_by_text("Form of address").click()
    with page.expect_request(lambda one: one.url.endswith("/translate")) as asked:
        page.get_by_label("The reader").select_option("informal")
    assert asked.value.post_data_json["formality"] == "informal"
    assert "formality=informal" in page.url


# -- documents and history ---------------------------------------------------------------------------------------


def test_a_document_is_dropped_watched_and_taken_along(open_page, pair):
    page = open_page()
    lines = [f"the river {number}" for number in range(80)]
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "notes.md"));
          const drop = (kind) => document.querySelector(".translator").dispatchEvent(
            new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
          drop("dragover");
          drop("drop");
        }""",
        "\n\n".join(lines),
    )
    panel = page.get_by_role("region", name="Document")
    expect(panel).to_contain_text("notes_hi.md is ready.", timeout=20_000)
    with page.expect_download() as waiting:
        panel.get_by_role("button", name="Download").click()
    assert waiting.value.suggested_filename == "notes_hi.md"
    written = waiting.value.path().read_text(encoding="utf-8")
    assert written.split("\n\n")[0].split() == load(pair["there"])(lines[0]).split()
    page.locator("input[type=file]").set_input_files({"name": "a.exe", "mimeType": "", "buffer": b"x"})
    expect(panel.get_by_role("alert")).to_have_text(
        "a file of this kind (.exe) cannot be translated; send another one."
    )
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()


def test_the_history_is_this_browsers_alone(open_page):
    page = open_page()
    box(page).fill(SENTENCE)
    expect(page.locator(".linked .chip").first).to_be_visible()
    box(page).fill("")
    page.get_by_text("History", exact=True).click()
    expect(page.locator(".entry")).to_have_count(1)
    page.locator(".entry").click()
    expect(box(page)).to_have_value(SENTENCE)
    page.get_by_role("button", name="Clear it").click()
    expect(page.locator(".entry")).to_have_count(0)
    page.get_by_label("Keep a history in this browser").uncheck()
    box(page).fill("the money bank grows")
    expect(page.locator(".linked .chip").first).to_be_visible()
    assert page.evaluate("JSON.parse(localStorage['dhyan-history'])") == []
