"""The pack that comes with Dhyan, in the page: it must be quick, and right to the last number."""

import time

import pytest
from playwright.sync_api import expect

from dhyan.explain.explainer import Explainer
from dhyan.pack.pack import BUILT_IN, read_pack
from support.browsing import crowded, serving, settled
from support.recomputing import WORK, addresses

SHIPPED = BUILT_IN / "en-hi"
FIFTEEN = "The old man sat on the river bank and watched the boats slowly pass by"
TWENTY_FIVE = (
    "The old man who lives near the river bank said that he would go to the city bank tomorrow morning to get some"
    " more money"
)

pytestmark = pytest.mark.skipif(not SHIPPED.exists(), reason=f"the English→Hindi pack is not there: no {SHIPPED}")


@pytest.fixture(scope="module")
def address():
    server, address = serving("--model", SHIPPED)
    yield address
    server.terminate()
    server.wait(10)


def test_a_translation_is_shown_soon_after_typing_stops(open_page):
    page = open_page("translate", text="Good morning.")  # the engine is awake
    expect(page.locator("#translation")).not_to_be_empty()
    took = []
    for number in range(3):
        box, before = page.get_by_label("Your text"), page.locator("#translation").inner_text()
        box.fill(f"{FIFTEEN} {number}")
        started = time.perf_counter()
        expect(page.locator("#translation")).not_to_have_text(before)
        took.append(time.perf_counter() - started)
        settled(page)
    assert min(took) < 0.3 * crowded()


def test_attention_comes_soon_and_is_small(open_page):
    page = open_page("bench", text="Good morning.")
    ask = """async (text) => {
      const started = performance.now();
      const asked = new URLSearchParams({ text });
      await (await fetch(`/api/v1/explain?${asked}`)).json();
      const weights = await (await fetch(`/api/v1/attention?${asked}`)).arrayBuffer();
      return [performance.now() - started, weights.byteLength];
    }"""
    found = [page.evaluate(ask, f"{TWENTY_FIVE} {number}.") for number in range(5)]
    assert min(milliseconds for milliseconds, _ in found) < 500 * crowded()
    assert max(size for _, size in found) < 300_000


def test_every_stage_is_right(open_page):
    trace = Explainer(read_pack(SHIPPED)).explain(TWENTY_FIVE)
    asked = addresses(trace, layers=(1, 5))
    page = open_page("bench", text=TWENTY_FIVE)
    for address, shown, result, ok, delta in page.evaluate(WORK, ["en-hi", TWENTY_FIVE, asked]):
        assert ok, (address, shown, result, delta)
        assert result == pytest.approx(shown, rel=1e-5, abs=1e-5), address


def test_forty_words_stay_on_the_screen(open_page):
    text = f"{TWENTY_FIVE}, because his youngest daughter wants to study medicine at a good university in Delhi"
    for width, zoom in ((1366, "atlas"), (390, "atlas"), (390, "head"), (390, "alignment")):
        page = open_page("bench", width=width, text=text, zoom=zoom)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        expect(page.locator(".stage canvas, .stage .linkword").first).to_be_visible()
