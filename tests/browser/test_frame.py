"""The frame: how fast it is there, the keyboard, fingers, wrong links, a lost server, presenter mode."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from support.browsing import SENTENCE, chromium, crowded, flows, scrolling, serving, settled, too_small

VIEWS = {
    "translate": {},
    "translate&text": {"text": SENTENCE},
    "bench": {"text": SENTENCE},
    "bench&atlas": {"text": SENTENCE, "zoom": "atlas"},
    "bench&head": {"text": SENTENCE, "zoom": "head", "below": "beam"},
    "bench&number": {"text": SENTENCE, "zoom": "number", "at": "enc.0.self.h1.weights[0,1]"},
    "follow": {"text": SENTENCE, "card": 8},
    "understand": {"model": "moods", "text": SENTENCE},
    "write": {"text": "the river"},
    "space": {"model": "moods"},
    "compare": {"text": SENTENCE},
    "learn": {},
    "labs": {"lab": "positions"},
}
FIRST_PAINT = 500  # milliseconds


def show(page, link):
    """Another link in the same tab, which is quicker than another tab."""
    page.evaluate(
        """(link) => new Promise((done) => {
          if (location.href === link) done();
          window.addEventListener("hashchange", () => setTimeout(done), { once: true });
          location.href = link;
        })""",
        link,
    )
    settled(page)


# -- how fast it is there --------------------------------------------------------------------------------------


def test_the_first_view_is_there_in_half_a_second(browser, address):
    times = []
    for _ in range(4):
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector("main h1")
        times.append(page.evaluate("performance.getEntriesByName('dhyan-view')[0].startTime"))
        context.close()
        if times[-1] < FIRST_PAINT:
            break
    assert min(times) < FIRST_PAINT * crowded()


def test_all_it_needs_is_asked_for_at_once_and_only_once(browser, address):
    context = browser.new_context()
    page = context.new_page()
    scripts = []
    page.on("request", lambda asked: scripts.append(asked.url) if asked.resource_type == "script" else None)
    page.goto(address)
    settled(page)
    named = page.locator("link[rel=modulepreload]").evaluate_all("all => all.map((one) => one.href)")
    modules = [url for url in scripts if not url.endswith("/frame/theme.js")]  # that one is waited for
    assert sorted(set(modules)) == sorted(named)
    page.goto("about:blank")
    page.goto(address)
    settled(page)
    files = page.evaluate("""performance.getEntriesByType("resource").filter((one) => one.name.includes("/page/"))
        .map((one) => [one.name, one.transferSize])""")
    assert len(files) > len(named)
    assert not [name for name, size in files if size > 0]  # all of it was kept
    context.close()


def test_the_atlas_scrolls_smoothly(open_page):
    page = open_page("bench", text=SENTENCE, zoom="atlas")
    good, shares = flows(page, scrolling)
    assert good, shares


def test_answers_are_kept_within_a_limit(open_page):
    page = open_page("labs")
    asked = []

    def answer(route):
        asked.append(route.request.url.rpartition("=")[2])
        route.fulfill(body=bytes(8 * 2**20))

    page.route("**/api/v1/much?*", answer)
    fetch = """async (numbers) => {
      const loaded = performance.getEntriesByType("resource").map((one) => one.name);
      const { bytes } = await import(loaded.find((name) => name.endsWith("/parts/api.js")));
      for (const number of numbers) await bytes("much", { number });
    }"""
    page.evaluate(fetch, [0, 1, 2, 3, 4, 5, 6, 0, 7, 8])  # nine of 8 MiB each; 64 MiB are kept
    assert asked == list("012345678")
    page.evaluate(fetch, [8, 0, 1])  # 1 was not asked for longest
    assert asked == list("0123456781")


def test_what_is_rounded_to_nothing_has_no_sign(open_page):
    page = open_page("labs")
    said = page.evaluate("""async () => {
      const loaded = performance.getEntriesByType("resource").map((one) => one.name);
      const { short } = await import(loaded.find((name) => name.endsWith("/parts/numbers.js")));
      return [-0.0004, -0, -0.0006, 0.0004, -1234.5, -Infinity].map((value) => short(value));
    }""")
    assert said == ["0.000", "0.000", "−0.001", "0.000", "−1.23e+3", "−∞"]


# -- the keyboard ----------------------------------------------------------------------------------------------


def test_skip_links_lead_to_every_thing(open_page):
    page = open_page("bench", text=SENTENCE)
    page.keyboard.press("Tab")
    expect(page.locator(".skip:focus")).to_have_text("To the content")
    for name in ("Stage", "Inspector", "Decoding"):
        page.keyboard.press("Tab")
        expect(page.locator(".skip:focus")).to_have_text(f"→ {name}")
    page.keyboard.press("Enter")
    expect(page.locator(".below")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('.below').contains(document.activeElement)")


def test_groups_are_one_stop_and_arrow_keys_go_through_them(open_page):
    page = open_page("bench", text=SENTENCE)
    here = page.locator("header nav [data-view='bench']")
    here.focus()
    for key, view in (("ArrowRight", "follow"), ("ArrowLeft", "bench"), ("End", "labs"), ("Home", "translate")):
        page.keyboard.press(key)
        expect(page.locator(f"header nav [data-view='{view}']")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("!document.querySelector('header nav').contains(document.activeElement)")
    page.get_by_role("button", name="Alignment").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settled(page)
    chosen = page.locator(".tabs [aria-pressed=true]").first
    expect(chosen).to_be_focused()
    assert "zoom=" in page.url


def test_the_keyboard_stays_when_language_colours_or_view_change(open_page):
    page = open_page("bench", text=SENTENCE)
    for name, value in (("Language", "hi"), ("रंग", "dark"), ("भाषा", "en")):
        setting = page.get_by_role("combobox", name=name)
        setting.focus()
        setting.select_option(value)
        settled(page)
        assert page.evaluate("document.activeElement.tagName") == "SELECT"
        assert page.evaluate("document.activeElement.value") == value
    link = page.locator("header nav [data-view='follow']")
    link.focus()
    page.keyboard.press("Enter")
    settled(page)
    expect(link).to_be_focused()
    expect(link).to_have_attribute("aria-current", "page")


# -- fingers ---------------------------------------------------------------------------------------------------


def test_nothing_to_press_is_too_small(open_page):
    page = open_page("translate", width=390, height=844)
    small = {}
    for view, asked in VIEWS.items():
        show(page, open_page.link(view.partition("&")[0], **asked))
        small[view] = too_small(page)
    assert small == {view: [] for view in VIEWS}


def test_settings_are_behind_a_button_on_a_telephone(open_page):
    page = open_page("translate", width=390, height=844)
    expect(page.get_by_label("Language")).to_be_hidden()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Language").select_option("hi")
    expect(page.locator("html")).to_have_attribute("lang", "hi")


def test_the_header_stays_low(open_page):
    page = open_page("translate", language="hi")
    for width, most in ((1440, 64), (1024, 110), (390, 110)):
        page.set_viewport_size({"width": width, "height": 900})
        show(page, open_page.link("translate"))
        assert page.evaluate("document.querySelector('header').offsetHeight") <= most
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator("header nav [data-view='labs']").click()  # the last one can be reached
        settled(page)
        here = page.locator("header nav [aria-current]").bounding_box()
        assert here["x"] >= 0
        assert here["x"] + here["width"] <= width


# -- links -----------------------------------------------------------------------------------------------------


WRONG = [
    ({"view": "bench", "step": "abc"}, "step=abc in this link is not a whole number"),
    ({"view": "bench", "step": "-3"}, "step=-3 in this link is not a whole number"),
    ({"view": "bench", "zoom": "foo"}, "zoom=foo in this link is not known here"),
    ({"view": "bench", "sort": "foo"}, "sort=foo in this link is not known here"),
    ({"view": "bench", "off": ["foo", "bar"]}, "off=bar in this link is not a head"),
    ({"view": "bench", "force": "x"}, "force=x in this link is not a step and a piece"),
    ({"view": "bench", "model": "author"}, "author is another kind of pack (decoder"),
    ({"view": "bench", "model": "nobody"}, "There is no pack nobody here"),
    ({"view": "follow", "card": "x", "layer": "y"}, "card=x in this link is not a whole number"),
    ({"view": "bench", "off": "enc.99.self.h0"}, "left out: there is no 'enc.99.self.h0' in this model"),
    ({"view": "bench", "force": "99:nonsense", "beam": 999}, "What this link changes in the model is left out: "),
    ({"view": "bench", "hide": "abc"}, "left out: 'abc' is not a word of the text."),
    ({"view": "write", "temperature": "abc", "p": 0}, "temperature=abc in this link is not a number above 0"),
    ({"view": "write", "step": "1e9"}, "step=1e9 in this link is not a whole number"),
]


def test_what_is_wrong_in_a_link_is_said_and_the_view_works(open_page):
    page = open_page("labs")
    for asked, said in WRONG:
        show(page, open_page.link(**asked, text=SENTENCE))
        expect(page.locator(".remarks")).to_contain_text(said)
        assert not [name for name in asked.keys() - {"view"} if f"{name}=" in page.url]
        expect(page.locator("main .problem:visible")).to_have_count(0)
        expect(page.locator("main .chip, main [data-address]").first).to_be_visible()
        while page.locator(".remarks button").count():
            page.locator(".remarks button").first.click()
        expect(page.locator(".remarks")).to_be_empty()
        show(page, open_page.link("labs"))


@pytest.mark.parametrize(("view", "text"), [("bench", SENTENCE), ("write", "")])
def test_a_step_after_the_last_is_the_last_and_that_is_said(open_page, view, text):
    page = open_page(view, text=text, step=999)
    expect(page.locator(".remarks")).to_contain_text("step=999 in this link is out of range")
    last = int(re.search(r"step=(\d+)", page.url)[1])
    assert 0 < last < 999
    assert f"shown is {last}." in page.locator(".remarks").inner_text()
    page.keyboard.press("p")
    page.keyboard.press("ArrowLeft")  # one step back is one step back
    page.wait_for_url(f"**step={last - 1}*")


def test_an_experiment_that_is_not_is_said(open_page):
    page = open_page("labs", lab="nonsense")
    expect(page.locator(".remarks")).to_contain_text("There is no experiment called nonsense")
    expect(page.locator(".card h2")).to_be_visible()


def test_a_link_to_no_view_leads_to_the_start(open_page):
    page = open_page("nowhere", text=SENTENCE)
    expect(page.locator(".remarks")).to_contain_text("There is no view called nowhere")
    page.evaluate("location.hash = '#/nor-here'")
    expect(page.locator(".remarks")).to_contain_text("There is no view called nor-here")
    settled(page)


def test_an_address_that_is_not_is_said_where_addresses_are(open_page):
    page = open_page("bench", text=SENTENCE, at="nonsense", zoom="number")
    expect(page.locator(".inspector .problem")).to_contain_text("nonsense")
    expect(page.locator(".tape .column").first).to_be_visible()
    box = page.get_by_label("Address")
    box.fill("enc.0.self.h1.weights[0,1]")
    box.press("Enter")
    settled(page)
    expect(page.locator(".inspector .value")).to_be_visible()


def test_without_a_translator_the_start_is_what_the_packs_are_for(browser, folders):
    server, address = serving("--model", folders["author"])
    page = browser.new_page()
    try:
        page.goto(address)
        settled(page)
        expect(page.locator("main h1")).to_have_text("Write")
        expect(page.locator(".tape, .below .column").first).to_be_visible()
        page.locator("header nav [data-view='labs']").click()
        page.locator("header a").first.click()
        expect(page.locator("main h1")).to_have_text("Write")
        page.goto(f"{address}/#/translate")
        expect(page.locator("main .problem")).to_contain_text("no pack that can translate is served")
    finally:
        page.close()
        server.terminate()
        server.wait(10)


# -- texts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "before", "label"), [("bench", SENTENCE, "Sentence"), ("write", "the river", "Prompt")]
)
def test_what_belongs_to_another_text_is_grey(open_page, view, before, label):
    page = open_page(view, text=before)
    seen = "getComputedStyle(document.querySelector('.below')).opacity"
    box = page.get_by_label(label, exact=True)
    assert page.evaluate(seen) == "1"
    box.press_sequentially("s")
    assert float(page.evaluate(seen)) < 0.5
    box.press("Backspace")
    assert page.evaluate(seen) == "1"
    box.fill("the money bank")
    page.locator("form button").first.click()
    page.wait_for_url("**money*")
    settled(page)
    assert page.evaluate(seen) == "1"


@pytest.mark.parametrize(("characters", "said"), [(2500, "at most 2,000 are taken here"), (100_000, "much too long")])
def test_a_prompt_is_not_cut_and_what_was_shown_before_is_grey(open_page, characters, said):
    page = open_page("write", text="the river")
    page.get_by_label("Prompt").fill("the river " * (characters // 10))
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("main > .problem")).to_contain_text(said)
    expect(page.get_by_label("Too long to be opened up at once")).to_have_count(0)
    assert float(page.evaluate("getComputedStyle(document.querySelector('.below')).opacity")) < 0.5


# -- a lost server ---------------------------------------------------------------------------------------------


def test_a_lost_server_is_waited_for(browser, folders, tmp_path):
    chromium()
    log = tmp_path / "log.jsonl"
    pack = ("--model", folders["to-hindi"], "--access-log", log)
    server, address = serving(*pack)
    page = browser.new_page()
    page.set_default_timeout(15_000)
    bar = page.locator(".server-bar")

    def fetched():
        routes = [json.loads(line)["route"] for line in log.read_text(encoding="utf-8").splitlines()]
        return routes.count("/page")

    try:
        page.goto(address)
        settled(page)
        expect(bar).to_be_hidden()
        page.wait_for_timeout(200)
        before = fetched()
        assert before > 15
        page.locator("textarea").first.press_sequentially("the river bank", delay=5)
        page.wait_for_url("**text=**")
        settled(page)
        assert fetched() == before  # no file is fetched again while one types, not even the icon
        server.terminate()
        server.wait(10)
        page.locator("textarea").first.press_sequentially(" flows", delay=5)
        expect(bar).to_have_text("The server does not answer; trying again…", timeout=20_000)
        page.wait_for_url(lambda url: "flows" in url)
        page.locator("header nav [data-view='follow']").click()  # nor can another view be fetched
        server, again = serving(*pack, "--port", address.rpartition(":")[2])
        assert again == address
        expect(page.get_by_role("heading", name="Follow one token")).to_be_visible(timeout=20_000)
        settled(page)
        expect(bar).to_be_hidden()
        expect(page.get_by_label("Sentence")).to_have_value(SENTENCE)
        expect(page.locator(".card h2")).to_contain_text("1. ")
    finally:
        page.close()
        server.terminate()
        server.wait(10)


# -- presenter mode --------------------------------------------------------------------------------------------


def test_presenting_with_keys_alone(open_page, trace):
    page = open_page("bench", text=SENTENCE)
    size = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    before = page.evaluate(size)
    page.keyboard.press("p")
    assert "present=1" in page.url
    assert page.evaluate(size) >= 1.25 * before
    expect(page.locator("header")).to_be_hidden()
    expect(page.locator(".stage")).to_be_visible()
    expect(page.locator(".inspector")).to_be_hidden()
    expect(page.locator(".below")).to_be_hidden()
    count = page.locator(".count")
    for key, step in (("PageDown", 2), ("ArrowRight", 3), ("PageUp", 2), (" ", 3), ("Shift+ ", 2), ("ArrowLeft", 1)):
        page.keyboard.press(key)
        expect(count).to_have_text(f"Step {step} / {len(trace.steps)}")
    page.keyboard.press("t")
    expect(page.locator(".inspector")).to_be_visible()
    expect(page.locator(".stage")).to_be_hidden()
    page.keyboard.press("t")
    expect(page.locator(".tape")).to_be_visible()
    page.reload()  # a link shows the same
    settled(page)
    expect(page.locator(".tape")).to_be_visible()
    expect(page.locator(".stage")).to_be_hidden()
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Follow one token")).to_be_attached()
    settled(page)
    page.keyboard.press("PageDown")
    expect(page.locator(".card h2")).to_contain_text("2. ")
    page.keyboard.press("Escape")
    expect(page.locator("header")).to_be_visible()
    assert "present" not in page.url


def test_a_matrix_is_larger_too_and_the_pointer_finds_its_cells(open_page):
    page = open_page("bench", text=SENTENCE, zoom="head", at="enc.0.self.h1.weights")
    canvas = page.locator(".stage canvas").first
    before = canvas.bounding_box()["height"]
    rows = int(re.search(r"(\d+) × ", canvas.get_attribute("aria-label"))[1])
    page.keyboard.press("p")
    expect(page.locator("header")).to_be_hidden()
    page.wait_for_timeout(200)  # it is drawn anew once its room has changed
    box = canvas.bounding_box()
    assert box["height"] > 1.25 * before
    canvas.click(position={"x": box["width"] / 2, "y": box["height"] - 8})
    page.wait_for_url(re.compile(rf"weights\[{rows - 1},\d+\]"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_axe_while_presenting_with_help_and_remarks(open_page, scheme):
    page = open_page("bench", text=SENTENCE, present=1, step="abc", scheme=scheme, language="hi")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    found = Axe().run(page).response["violations"]
    page.keyboard.press("Escape")
    found += Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in serious]


def test_help_lists_the_keys(open_page):
    page = open_page("translate")
    page.keyboard.press("Escape")
    page.locator("main h1").click()
    page.keyboard.press("?")
    help = page.get_by_role("dialog", name="Keys")
    for text in ("presenter mode, and out of it", "one step back, one on", "the card before, the next one"):
        expect(help).to_contain_text(text)
    page.keyboard.press("p")  # the dialog has the keyboard
    assert "present" not in page.url
    page.keyboard.press("Escape")
    expect(help).to_have_count(0)


def test_chosen_colours_are_there_before_anything_is_painted(open_page):
    page = open_page("translate", scheme="light")
    page.get_by_label("Colours").select_option("dark")
    page.route("**/main.js", lambda route: route.abort())  # as far as the page comes without its modules
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(13, 16, 22)"


def test_keys_are_letters_while_one_types(open_page):
    page = open_page("translate")
    box = page.locator("textarea").first
    box.press_sequentially("pp?")
    expect(box).to_have_value("pp?")
    assert not re.search("present", page.url)
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_every_box_takes_what_is_typed(open_page):
    page = open_page("translate")
    typed = "p [t] ? 1x"  # keys of the page among them
    for view, asked in VIEWS.items():
        show(page, open_page.link(view.partition("&")[0], **asked))
        boxes = page.locator("main textarea:visible, main input[type=text]:visible")
        for number in range(boxes.count()):
            box = boxes.nth(number)
            before = box.input_value()
            box.focus()
            page.keyboard.press("Control+End")
            page.keyboard.type(typed)
            assert box.input_value() == before + typed, view
        if boxes.count():
            page.keyboard.press("Tab")
            assert not boxes.last.evaluate("(box) => box === document.activeElement"), view
