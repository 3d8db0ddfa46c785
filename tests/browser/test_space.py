"""Space: the map, the tokens' way over it, and the true numbers beside it."""

import numpy as np
import pytest
from playwright.sync_api import expect

from dhyan.explain.analyses.meaning_map import meaning_map, paths
from support.browsing import SENTENCE, flows, settled

TWO = {"text": SENTENCE, "text2": "the money bank grows"}


def cosine(one, other):
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def test_the_cosines_are_those_of_the_vectors(open_page, explainers):
    page = open_page("space", model="moods", **TWO, token=10, token2=10)
    first, second = (explainers["moods"].explain(TWO[name]) for name in ("text", "text2"))
    cells = page.locator(".cosines [data-stage]")
    shown = cells.evaluate_all("all => all.map((one) => [one.dataset.stage, Number(one.dataset.value)])")
    assert [name for name, _ in shown] == ["embedded", "input", "enc.0", "enc.1"]
    arrays = ["enc.embedded", "enc.input", "enc.0.ffn.added", "enc.1.ffn.added"]
    for (_, value), name in zip(shown, arrays, strict=True):
        assert value == pytest.approx(cosine(first[f"{name}[10]"], second[f"{name}[10]"]), abs=1e-5)
    page.locator('[data-key="token-1-4"]').click()
    expect(page.locator(".cosines [data-stage=embedded]")).not_to_have_text("1.000")
    page.get_by_role("button", name="enc.1.ffn.added[10]").first.click()
    expect(page.locator("main h1")).not_to_have_text("Space")


def test_a_pack_that_does_not_know_the_words_of_the_example_has_others(open_page):
    page = open_page("space", model="moods")
    assert "across=river" in page.url
    expect(page.locator("main .problem:visible")).to_have_count(0)
    expect(page.locator("dhyan-map canvas")).to_be_visible()
    across = page.locator('[data-key="across"]')
    expect(across).not_to_have_value("river")
    across.fill("nonsense")
    across.press("Enter")
    expect(page.locator("main > .problem")).to_contain_text("'nonsense' is not on the map")


def test_layer_by_layer(open_page):
    page = open_page("space", model="moods", **TWO, stage=0)
    at = "document.querySelector('dhyan-map').at"
    expect(page.locator(".stage-name")).to_have_text("static embedding")
    assert page.evaluate(at) == 0
    page.locator("dhyan-map canvas").focus()
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(page.locator(".stage-name")).to_have_text("after layer 1")
    assert "stage=2" in page.url
    page.keyboard.press("[")
    expect(page.locator(".stage-name")).to_have_text("with its position")
    page.get_by_role("slider").press("End")
    expect(page.locator(".stage-name")).to_have_text("after layer 2")
    expect(page.get_by_role("button", name="Next layer")).to_be_disabled()
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator(".stage-name")).to_have_text("with its position")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_timeout(1500)  # it goes no further
    expect(page.locator(".stage-name")).to_have_text("with its position")
    assert page.evaluate(at) == 1


def test_tokens_glide_unless_motion_is_unwanted(open_page):
    page = open_page("space", model="moods", **TWO, stage=0)
    seen = """() => new Promise((done) => {
      const [map, seen] = [document.querySelector("dhyan-map"), []];
      document.querySelector('[data-key="next"]').click();
      const look = () => (seen.push(map.at), map.at < 1 ? requestAnimationFrame(look) : done(seen));
      requestAnimationFrame(look);
    })"""
    assert len(set(page.evaluate(seen))) > 4
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="Previous layer").click()
    expect(page.locator(".stage-name")).to_have_text("static embedding")
    assert set(page.evaluate(seen)) <= {0, 1}


def test_playing_is_smooth(open_page):
    page = open_page("space", model="moods", **TWO, stage=0)

    def play(page):
        page.evaluate("location.hash = location.hash.replace(/stage=\\d/, 'stage=0')")
        page.evaluate("document.querySelector('[data-key=play]').click()")

    smooth, shares = flows(page, play)
    assert smooth, shares


def test_every_map_says_what_it_shows(open_page, explainers):
    found = meaning_map(explainers["moods"])
    page = open_page("space", model="moods", **TWO, map="near")
    assert float(page.locator("#kept").get_attribute("data-value")) == pytest.approx(found.kept)
    page.get_by_role("button", name="Greatest spread").click()
    assert float(page.locator("#share").get_attribute("data-value")) == pytest.approx(sum(found.share))
    page.get_by_role("button", name="Between two words").click()
    settled(page)
    page.get_by_label("across", exact=True).fill("r")
    page.get_by_label("across", exact=True).press("Enter")
    expect(page.locator(".space-stage > p")).to_contain_text("across with r, up with")
    page.get_by_label("across", exact=True).fill("zebra")
    page.get_by_label("across", exact=True).press("Enter")
    expect(page.locator("main > .problem")).to_contain_text("'zebra' is not on the map")


def test_the_map_is_also_a_table(open_page, explainers):
    page = open_page("space", model="author", text="the river")
    found = meaning_map(explainers["author"])
    ways = paths(found, explainers["author"].explain("the river"))
    page.get_by_text("The whole way as a table").click()
    rows = page.locator(".space-table tbody tr")
    expect(rows).to_have_count(len(ways))
    last = rows.nth(4).locator("td").last
    word, alike = ways[4].nearest[-1][0]
    expect(last).to_have_text(f"{word} {alike:.2f}".replace("-", "−"))
    assert last.get_attribute("data-address") == f"dec.1.ffn.added[{ways[4].row}]"
    expect(page.get_by_role("heading", name="Cosine with its own embedding")).to_be_visible()


def test_looking_closer_stands_in_the_link(open_page):
    page = open_page("space", model="moods", **TWO)
    page.get_by_role("button", name="To the word").click()
    page.wait_for_url("**look=*")
    look = "document.querySelector('dhyan-map').look"
    assert page.evaluate(look)["zoom"] > 1
    page.locator("dhyan-map canvas").press("-")
    page.locator("dhyan-map canvas").press("0")
    assert page.evaluate(look) == {"x": 0.5, "y": 0.5, "zoom": 1}
    assert "look=" not in page.url
