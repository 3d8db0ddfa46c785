"""Two runs side by side in the flow picture, the links and the walk: they step together, and differ as they do."""

import numpy as np
import pytest
from playwright.sync_api import expect

from support.browsing import SENTENCE, settled, too_small

OTHER = "the money bank grows"
LONGER = "the old river bank flows"
HEAD = "dec.1.cross.h2"


def shown(page, where):
    return float(page.locator(where).first.get_attribute("data-value"))


def pane(page, side):
    return page.locator(f'[data-pane="{side}"]')


def written(page, side):
    """Which token a flow picture is writing."""
    return int(pane(page, side).locator("[data-written].now").get_attribute("data-written"))


def test_two_flow_pictures_step_and_play_together(open_page, explainers):
    page = open_page("compare", text=SENTENCE, text2=OTHER, zoom="flow", step=1)
    first, second = (explainers["to-hindi"].explain(text) for text in (SENTENCE, OTHER))
    expect(page.locator("svg.flow")).to_have_count(2)
    before = [written(page, side) for side in "ab"]
    page.locator("h1").click()
    page.keyboard.press("]")
    page.wait_for_url("**step=2*")
    settled(page)
    assert [written(page, side) for side in "ab"] == [number + 1 for number in before]
    boxes = [pane(page, side).bounding_box() for side in "ab"]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[1]["x"] >= boxes[0]["x"] + boxes[0]["width"]

    page.get_by_label("Thickness").select_option("2")  # one head for both
    settled(page)
    for side, trace in zip("ab", (first, second), strict=True):
        row = trace.steps[0].row
        slices = pane(page, side).locator(f'[data-address^="dec.1.self.h2.weights[{row}"]')
        assert float(slices.first.get_attribute("data-value")) == pytest.approx(1, abs=1e-6)  # it sees itself alone
    weights = [trace["enc.0.self.h2.weights"] for trace in (first, second)]
    figure = page.locator(".apart figure").filter(has_text="enc.0.self.h2.weights")
    figure.get_by_role("button", name="Table").click()
    cell = figure.locator("tbody tr").nth(3).locator("td").nth(5)
    apart = float(weights[1][3, 5] - weights[0][3, 5])
    assert float(cell.get_attribute("data-value")) == pytest.approx(apart, abs=1e-6)

    page.locator('[data-pane="b"] a.flow-block.attention').first.focus()
    page.keyboard.press("Enter")  # what a block holds is opened on both sides
    expect(page.locator(".flow-peek:visible")).to_have_count(2)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("svg.flow.playing")).to_have_count(2)
    page.wait_for_url("**step=3*")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("svg.flow.playing")).to_have_count(0)


def test_the_next_token_and_why_it_may_have_no_difference(open_page, explainers):
    page = open_page("compare", width=390, text=SENTENCE, off2=HEAD, zoom="flow")
    plain, changed = (explainers["to-hindi"].explain(SENTENCE, heads_off=off) for off in ([], [HEAD]))
    for guess in plain.steps[0].guesses:
        apart = float(changed[guess.address]) - float(plain[guess.address])
        assert shown(page, f'[data-token-difference="{guess.id}"]') == pytest.approx(apart, abs=1e-6)
    expect(page.locator(".apart")).to_contain_text("enc.0.self.weights: the same on both sides.")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert pane(page, "b").bounding_box()["y"] > pane(page, "a").bounding_box()["y"] + 200  # below each other
    assert not too_small(page)
    other = next(guess for guess in changed.steps[0].guesses if guess.id != changed.steps[0].chosen.id)
    page.locator(f'[data-pane="b"] a.flow-candidate:has-text("{other.text}")').first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**force2=0:{other.id}*")
    assert "force=" not in page.url
    page = open_page("compare", text=SENTENCE, model2="moods", zoom="flow")
    expect(page.locator("svg.flow")).to_have_count(2)
    expect(page.locator(".apart")).to_contain_text("enc.0.self.weights")


def test_the_walk_of_both(open_page, explainers):
    page = open_page("follow", text=SENTENCE, off=HEAD, layer=1, card=4)
    page.get_by_role("link", name="Compare with…").click()
    settled(page)
    assert "zoom=cards" in page.url
    assert "card=4" in page.url
    plain, changed = (explainers["to-hindi"].explain(SENTENCE, heads_off=off) for off in ([], [HEAD]))
    page.locator('select[data-key="card"]').select_option(
        value=page.locator('select[data-key="card"] option', has_text="dec.1.cross").last.get_attribute("value")
    )
    settled(page)
    address = pane(page, "a").locator(".worked [data-address]").first.get_attribute("data-address")
    values = [float(trace[address]) for trace in (plain, changed)]
    assert shown(page, "#card-difference") == pytest.approx(values[1] - values[0], abs=1e-6)
    for side, value in zip("ab", values, strict=True):
        assert shown(page, f'[data-pane="{side}"] [data-address="{address}"]') == pytest.approx(value, rel=1e-5)
    expect(page.locator(".badge.right")).to_have_count(2)
    number = int(page.locator('[data-key="card"]').input_value())
    page.locator("h1").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**card={number + 1}*")
    settled(page)
    page.get_by_role("link", name="Open it up").last.click()  # one of them alone, at the same card
    settled(page)
    assert "#/follow" in page.url
    assert f"off={HEAD}" in page.url
    assert f"card={number + 1}" in page.url
    page = open_page("compare", text=SENTENCE, model2="author", zoom="cards", card=2)
    expect(pane(page, "b")).to_contain_text("This pack has no such card.")
    expect(page.locator(".apart")).to_contain_text("no number on both sides")


def test_the_links_of_both(open_page):
    page = open_page("bench", text=SENTENCE, zoom="alignment", at=f"{HEAD}.weights", step=2)
    page.get_by_role("link", name="Compare with…").click()
    settled(page)
    page.locator("#text-1").fill(LONGER)
    page.locator("#text-1").press("Enter")
    page.wait_for_url("**text2=the+old*")
    settled(page)
    expect(page.locator("svg.links path")).not_to_have_count(0)
    rows = page.locator(".apart tbody tr")
    expect(rows).to_have_count(len(LONGER.split()))
    assert rows.nth(1).locator("td").first.inner_text() == "–"  # "old" is in B alone
    one, other = (float(rows.nth(0).locator("td").nth(n).get_attribute("data-value")) for n in (0, 1))
    assert shown(page, '[data-link-difference="the"]') == pytest.approx(other - one, abs=1e-6)
    for side, value in zip("ab", (one, other), strict=True):
        small = page.locator(f'[data-pane="{side}"] .linkword small').first
        assert np.float32(small.get_attribute("data-value")) == np.float32(value)
    page.locator('[data-pane="b"] .linkword button').nth(1).click()
    page.wait_for_url("**hide2=1*")
    assert "hide=" not in page.url
