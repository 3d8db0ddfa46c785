"""The other views, the two languages, light and dark, large and small, and what one can take along."""

import csv
import io
import json

import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dhyan.model.generation.generate import reshape_distribution
from dhyan.model.generation.settings import GenerationSettings
from support.browsing import SENTENCE, settled

VIEWS = {
    "translate": {"text": SENTENCE},
    "bench": {"text": SENTENCE},
    "bench&atlas": {"text": SENTENCE, "zoom": "atlas", "below": "beam"},
    "bench&head": {"text": SENTENCE, "zoom": "head"},
    "bench&number": {"text": SENTENCE, "zoom": "number", "off": "enc.0.self.h1"},
    "follow": {"text": SENTENCE, "card": 8},
    "understand": {"model": "moods", "text": SENTENCE},
    "write": {"text": "the river"},
    "compare": {"text": SENTENCE, "text2": "the money bank grows"},
    "compare&heads": {"text": SENTENCE, "off2": "enc.0.self.h1", "zoom": "heads"},
    "compare&flow": {"text": SENTENCE, "off2": "enc.0.self.h1", "zoom": "flow", "peek": "enc.0.self.h0.weights"},
    "compare&links": {"text": SENTENCE, "text2": "the money bank", "zoom": "alignment"},
    "compare&cards": {"text": SENTENCE, "text2": "the money bank grows", "zoom": "cards", "card": 6, "token": 5},
    "compare&at": {"text": SENTENCE, "text2": "the money bank", "zoom": "at"},
    "space": {"model": "moods", "text": SENTENCE, "text2": "the money bank grows"},
    "labs": {"lab": "positions"},
}


def test_one_token_is_followed_to_the_end_and_round_again(open_page):
    page = open_page("follow", text=SENTENCE)
    cards = page.locator(".contents li").count()
    assert cards > 30
    for number in range(1, 8):
        page.get_by_role("button", name="Next →").click()
        expect(page.locator(".card h2")).to_contain_text(f"{number + 1}. ")
        expect(page.locator(".card .badge")).to_contain_text("✓")
    for number in [*range(9, cards - 1, 5), cards - 1]:  # the rest in larger steps: each number is tested elsewhere
        page.locator(".contents details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
        page.locator(f'[data-key="card-{number}"]').click()
        expect(page.locator(".card h2")).to_contain_text(f"{number + 1}. ")
        assert all("✓" in said for said in page.locator(".card .badge").all_inner_texts())
    page.locator(".card summary").click()
    expect(page.locator(".card pre")).to_contain_text("def step")
    page.get_by_role("button", name="↻ Round again").click()
    expect(page.get_by_role("combobox", name="Step")).to_have_value("1")


def test_any_address_opens_where_there_is_no_bench(open_page, explainers):
    page = open_page("follow", model="moods", text=SENTENCE, card=5)
    page.locator(".card .products caption button").first.click()
    expect(page.get_by_role("button", name="← Back to the card")).to_be_visible()
    address = page.locator(".card .value").get_attribute("data-address")
    shown = float(page.locator(".card .value").get_attribute("data-value"))
    assert shown == pytest.approx(float(explainers["moods"].explain(SENTENCE)[address]), rel=1e-6)
    page.get_by_role("button", name="← Back to the card").click()
    expect(page.locator(".card h2")).to_contain_text("6. ")


def test_the_same_word_in_two_sentences(open_page, explainers):
    page = open_page("understand", model="moods", text=SENTENCE)
    values = page.locator(".bars").nth(2).locator("td[data-value]")
    assert float(values.first.get_attribute("data-value")) == 1.0
    assert float(values.last.get_attribute("data-value")) < 1
    trace = explainers["moods"].explain(SENTENCE)
    shown = page.locator('[data-address="cls.probs[1]"]')
    assert float(shown.get_attribute("data-value")) == pytest.approx(trace.labels["fine"], rel=1e-5)
    bank = page.locator('[data-key="hide-2"]')
    expect(bank).to_have_text("bank")
    bank.click()
    expect(bank).to_have_attribute("aria-pressed", "true")
    assert float(shown.get_attribute("data-value")) != pytest.approx(trace.labels["fine"], rel=1e-5)
    page.get_by_label("The word in both").fill("house")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("main > .problem")).to_contain_text("is not a word of")
    page.get_by_role("button", name="Sort by nearness").click()
    expect(page.locator("main > section:not(.consequence)").last.locator("tr")).to_have_count(3)


SLIDERS = ("Temperature", "Top-k", "Top-p")


def test_writing_begins_as_the_pack_draws(open_page):
    page = open_page("write", text="the river")
    assert [page.get_by_role("slider", name=name).input_value() for name in SLIDERS] == ["0.6", "9", "1"]
    assert page.locator("tr.cut").count() == 12 - 9


def test_writing_with_temperature_top_k_and_top_p(open_page, explainers):
    page = open_page("write", text="the river", temperature=0.7, k=6, p=0.8, step=1)
    trace = explainers["author"].explain("the river")
    row = trace.steps[1].row
    logs = torch.from_numpy(trace["dec.out.logprobs"][row].copy())[None]
    wanted = reshape_distribution(logs, GenerationSettings(sample=True, temperature=0.7, top_k=6, top_p=0.8))[0]
    cells = page.locator("[data-sampled]").evaluate_all(
        "all => all.map((c) => [Number(c.dataset.sampled), Number(c.dataset.value)])"
    )
    assert len(cells) == 12
    for number, share in cells:
        assert share == pytest.approx(float(wanted[number]), abs=1e-5)
    assert any(share == 0 for _, share in cells)
    other = trace.steps[1].guesses[2]
    page.locator(f'.tape [data-address="{other.address}"]').click()
    expect(page.locator(".branches button")).to_have_count(2)
    expect(page.locator(".words b")).to_have_text(trace.forcing(1, other.id).text, use_inner_text=False)
    page.get_by_role("button", name="Rewind to here").click()
    page.wait_for_url(lambda url: "force" not in url)
    settled(page)
    page.get_by_role("button", name="Draw this step").click()
    page.wait_for_url("**force=1:*")
    expect(page.locator(".lens tbody tr")).to_have_count(3)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("how", ["a laptop, light, English", "a telephone, dark, Hindi"])
def test_nothing_serious_for_axe_and_nothing_too_wide(open_page, view, how):
    small = how.startswith("a telephone")
    size = {"width": 390, "height": 844, "scheme": "dark", "language": "hi"} if small else {}
    page = open_page(view.partition("&")[0], **size, **VIEWS[view])
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in serious]
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    page.set_viewport_size({"width": 320, "height": 640})  # a laptop's page at 400 %
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_page_in_hindi(open_page):
    page = open_page("bench", text=SENTENCE)
    page.get_by_label("Language").select_option("hi")
    expect(page.get_by_role("heading", name="भीतर देखें")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "hi"
    expect(page.get_by_role("link", name="समझें")).to_be_visible()
    settled(page)
    expect(page.locator(".count")).to_contain_text("क़दम 1")
    page.reload()
    expect(page.get_by_role("heading", name="भीतर देखें")).to_be_visible()
    page.get_by_label("भाषा").select_option("en")
    expect(page.get_by_role("heading", name="Look inside")).to_be_visible()


def test_light_and_dark(open_page):
    page = open_page("translate", scheme="dark")
    paper = "getComputedStyle(document.querySelector('header')).backgroundColor"
    assert page.evaluate(paper) == "rgb(20, 23, 31)"
    page.emulate_media(media="print")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"
    expect(page.locator("header")).to_be_hidden()
    page.emulate_media(media="screen")
    page.get_by_label("Colours").select_option("light")
    assert page.evaluate(paper) == "rgb(255, 255, 255)"


def test_figures_can_be_taken_along(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="head", at="dec.1.cross.h0.weights")
    weights = trace["dec.1.cross.h0.weights"]
    bar = page.locator(".inspector .exports")

    def taken(name):
        with page.expect_download() as waiting:
            bar.get_by_text(name, exact=True).click()
        return waiting.value.path().read_bytes(), waiting.value.suggested_filename

    svg, name = taken("SVG")
    assert svg.startswith(b"<svg")
    assert name == "dec.1.cross.h0.weights.svg"
    png, _ = taken("PNG")
    assert png.startswith(b"\x89PNG")
    assert len(png) > 3000
    rows = list(csv.reader(io.StringIO(taken("CSV")[0].decode())))
    np.testing.assert_allclose([[float(one) for one in row[1:]] for row in rows[1:]], weights, rtol=1e-6)
    np.testing.assert_allclose(json.loads(taken("JSON")[0])["values"], weights, rtol=1e-6)
    html, name = taken("All as HTML")
    assert name == "explained.html"
    assert trace.text in html.decode()
    bar.get_by_text("Copy as NumPy").click()
    expect(bar).to_contain_text("✓ Copied")
    line = page.evaluate("navigator.clipboard.readText()")
    np.testing.assert_array_equal(eval(line, {"np": np}), weights)
