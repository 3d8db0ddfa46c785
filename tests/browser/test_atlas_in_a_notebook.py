"""The head atlas as a notebook shows it: pointed at, clicked and read by keys, in light and dark, with no request."""

import re

import pytest


@pytest.fixture
def opened(browser, trace):
    """The atlas in an empty page, twice, as two cells of a notebook would have it."""
    contexts, heard = [], []

    def show(scheme="light"):
        context = browser.new_context(viewport={"width": 1000, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: heard.append(said.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: heard.append(request.url))
        page.set_content(
            f"<!doctype html><html lang='en'><title>x</title><main>{trace.atlas()}{trace.atlas('enc.0')}</main>"
        )
        return page

    yield show
    for context in contexts:
        context.close()
    assert not heard


def test_pointing_tells_the_weight_and_a_click_enlarges(opened, trace):
    page = opened()
    atlas = page.locator(".dhyan-atlas").first
    assert atlas.get_by_role("button").count() == len(trace.heads())
    weights = trace["dec.1.cross.h1.weights"]
    for row, column in ((0, 1), (2, 0)):
        atlas.get_by_role("button", name="enlarge dec.1.cross.h1").click()
        cells = atlas.locator("svg rect")
        assert cells.count() == weights.size
        cells.nth(row * weights.shape[1] + column).hover()
        pair = f"predicting “{trace.predicted[row].text}”, it looks at “{trace.source[column].text}”"
        assert atlas.locator(".said").text_content() == f"dec.1.cross.h1: {pair}: {weights[row, column]:.3f}"
    atlas.get_by_role("button", name="enlarge enc.0.self.h0").locator("canvas").hover(position={"x": 1, "y": 1})
    first, weight = trace.source[0].text, trace["enc.0.self.h0.weights"][0, 0]
    assert atlas.locator(".said").text_content() == f"enc.0.self.h0: “{first}” looks at “{first}”: {weight:.3f}"


def test_the_arrow_keys_read_it(opened, trace):
    page = opened()
    atlas = page.locator(".dhyan-atlas").nth(1)
    atlas.get_by_role("button").nth(1).press("Enter")
    atlas.locator("svg").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
    said = f"enc.0.self.h1: “{trace.source[2].text}” looks at “{trace.source[0].text}”: "
    assert atlas.locator(".said").text_content().startswith(said)


def test_it_follows_light_and_dark(opened):
    def colours(scheme):
        style = "(one) => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color]"
        return opened(scheme).locator(".dhyan-atlas").first.evaluate(style)

    light, dark = (
        [sum(map(int, re.findall(r"\d+", one))) for one in colours(scheme)] for scheme in ("light", "dark")
    )
    assert light[0] > 700 > 150 > light[1]
    assert dark[0] < 150 < 600 < dark[1]
