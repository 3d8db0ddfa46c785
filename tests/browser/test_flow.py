"""The flow picture: its ribbons are the model's attention, its blocks lead to their numbers; ▶ plays the decoding."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from support.browsing import SENTENCE, settled

LEAST = 0.006  # weaker slices are not drawn


def slices(page, part):
    """address → what the page says about each slice of a part."""
    found = page.locator(f'.flow [data-stage="{part}"] [data-address]')
    return {
        address: (float(value) if value else None, float(mean) if mean else None)
        for address, value, mean in found.evaluate_all(
            "all => all.map((one) => [one.dataset.address, one.dataset.value, one.dataset.mean])"
        )
    }


def wide(page, selector):
    return page.locator(selector).evaluate_all("all => all.map((one) => Number(one.getAttribute('stroke-width')))")


def test_slices_are_the_attention_of_all_heads_or_of_one(open_page, trace):
    page = open_page("bench", text=SENTENCE, step=2)
    weights = np.asarray(trace["enc.0.self.weights"], dtype=np.float64)
    found = slices(page, "enc.0.self")
    assert len(found) == (weights.mean(0) >= LEAST).sum()
    for address, (_, mean) in found.items():
        i, j = map(int, re.search(r"\[:,(\d+),(\d+)\]", address).groups())
        assert mean == pytest.approx(weights[:, i, j].mean(), abs=1e-6)
    page.get_by_label("Thickness").select_option("h1")
    expect(page.locator('.flow [data-address^="enc.0.self.h1.weights"]').first).to_be_attached()
    for address, (value, _) in slices(page, "enc.0.self").items():
        assert value == pytest.approx(float(trace[address]), abs=1e-7)
    assert "head=1" in page.url


def test_what_crosses_over_is_as_wide_as_its_weight_and_belongs_to_the_step(open_page, trace):
    page = open_page("bench", text=SENTENCE, head=0, step=1)
    ways = '.flow [data-stage="dec.1.cross"] .flow-way'
    addresses = page.locator(ways).evaluate_all("all => all.map((one) => one.dataset.address)")
    assert all(address.startswith("dec.1.cross.h0.weights[1,") for address in addresses)
    weights = [float(trace[address]) for address in addresses]
    widths = wide(page, ways)
    thick = [width / weight for width, weight in zip(widths, weights, strict=True) if width > 0.8]
    assert thick == pytest.approx([thick[0]] * len(thick), rel=1e-3)
    assert sum(weights) == pytest.approx(1, abs=0.02)
    page.keyboard.press("]")
    expect(page.locator(f'{ways}[data-address^="dec.1.cross.h0.weights[2,"]').first).to_be_attached()
    chosen = trace.steps[2].chosen
    shown = page.locator(f'.flow .taken [data-address="{chosen.address}"]')
    assert float(shown.get_attribute("data-value")) == pytest.approx(chosen.probability, rel=1e-6)


def test_a_block_is_opened_where_it_is_and_a_layer_unfolds(open_page, trace):
    page = open_page("bench", text=SENTENCE)
    page.locator('.flow-block[data-address="dec.1.cross.weights"]').click(position={"x": 8, "y": 8})
    expect(page.locator(".flow-peek")).to_be_visible()
    page.locator(".flow-peek").get_by_role("button", name="h2").click()
    expect(page.locator('.flow-peek .panel[data-address="dec.1.cross.h2.weights"]')).to_be_visible()
    page.locator(".flow-peek").get_by_role("button", name="Table").click()
    cell = page.locator('.flow-peek [data-address="dec.1.cross.h2.weights[0,1]"]')
    assert float(cell.get_attribute("data-value")) == pytest.approx(float(trace["dec.1.cross.h2.weights[0,1]"]))
    expect(page.locator(".crumbs")).to_have_text("dec › 1 › cross › h2 › weights")  # the inspector goes along
    again = open_page("bench", text=SENTENCE, peek="dec.1.cross.h2.weights")  # a link re-creates it
    expect(again.locator('.flow-peek .panel[data-address="dec.1.cross.h2.weights"]')).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".flow-peek")).to_be_hidden()
    again.goto(open_page.link("bench", text=SENTENCE, peek="dec.9.self.h0.weights"))
    expect(again.locator(".flow-peek .problem")).to_contain_text("did you mean")
    page.get_by_role("link", name="Unfold Layer 1, enc.1").click()
    expect(page.locator('.flow [data-stage="enc.1.self"] .flow-slice').first).to_be_attached()
    expect(page.locator('.flow [data-stage="enc.0.self"]')).to_have_count(0)


def test_a_slice_leads_to_its_number_and_a_candidate_is_forced(open_page, trace):
    page = open_page("bench", text=SENTENCE, head=1, step=2)
    address = "dec.1.self.h1.weights[2,0]"
    page.locator(f'.flow [data-address="{address}"]').dispatch_event("click")
    expect(page.locator(f'.stage .value[data-address="{address}"]')).to_be_visible()
    page.go_back()
    other = trace.steps[2].guesses[1]
    page.get_by_role("link", name=f"Force {other.text} ").first.click()
    expect(page.locator(".consequence")).to_be_visible()
    assert f"force=2:{other.id}" in page.url


def test_a_token_is_pointed_out(open_page):
    page = open_page("bench", text=SENTENCE)
    page.locator('.flow-token[data-row="enc:1"]').first.click()
    assert "token=1" in page.url
    lit = page.locator(".flow.focused .flow-row.focus").evaluate_all("all => all.map((one) => one.dataset.row)")
    assert set(lit) == {"enc:1"}


def test_the_picture_is_one_stop_of_the_keyboard_and_arrows_walk_in_it(open_page):
    page = open_page("bench", text=SENTENCE)
    assert page.locator(".flow a[tabindex='0']").count() == 1
    page.locator(".flow a[tabindex='0']").focus()
    here = "document.activeElement.dataset.key"
    first = page.evaluate(here)
    page.keyboard.press("ArrowUp")
    above = page.evaluate(here)
    assert above != first
    page.keyboard.press("ArrowRight")
    assert "-dec" in page.evaluate(here)
    page.keyboard.press("ArrowLeft")
    assert "-enc" in page.evaluate(here)
    page.locator('[data-key="flow-enc.0.ffn-ffn"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator('.flow-peek .panel[data-address="enc.0.ffn.hidden"]')).to_be_visible()
    assert page.evaluate(here) == "flow-enc.0.ffn-ffn"


def test_the_picture_as_a_file_is_what_is_shown(open_page, trace):
    page = open_page("bench", text=SENTENCE, step=1)
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the picture as SVG").click()
    saved = download.value.path().read_text(encoding="utf-8")
    assert f">{trace.source[0].text}<" in saved
    assert trace.steps[1].chosen.address in saved
    assert "var(--" not in saved
    assert "href" not in saved
    page.set_content(saved)
    assert page.locator("svg .flow-slice").count() > 20
    assert page.locator("svg .flow-slice").first.evaluate("one => getComputedStyle(one).fill") != "rgb(0, 0, 0)"


def test_playing_writes_word_after_word_and_space_stops_it(open_page):
    page = open_page("bench", text=SENTENCE)
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="⏸ Pause")).to_be_visible()
    expect(page.locator(".flow.playing")).to_be_visible()
    assert page.locator('.flow [data-written="0"]').evaluate("one => getComputedStyle(one).visibility") == "hidden"
    page.get_by_label("Speed").select_option("4")
    expect(page.locator('.flow.playing [data-written="0"]')).to_have_css("visibility", "visible")
    expect(page.locator(".count")).to_have_text(re.compile(r"Step [2-9] /"))
    page.locator("h1").click()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="▶ Play")).to_be_visible()
    expect(page.locator(".flow.playing")).to_have_count(0)
    assert page.locator(".flow-motion > *").count() == 0
    page.get_by_role("button", name="▶ Play").click()
    expect(page.locator(".flow.playing")).to_be_visible()
    page.get_by_role("button", name="First step").click()  # whoever steps by hand takes over
    expect(page.get_by_role("button", name="▶ Play")).to_be_visible()
    expect(page.locator(".count")).to_contain_text("Step 1 /")
    page.get_by_role("button", name="Next word").click()
    expect(page.locator(".count")).to_contain_text("Step 2 /")
    page.get_by_role("button", name="Word before").click()
    expect(page.locator(".count")).to_contain_text("Step 1 /")


def late(page, milliseconds):
    """The share of frames that came more than 33 ms after the one before."""
    return page.evaluate(
        """(milliseconds) => new Promise((done) => {
          const gaps = [];
          let begun, before;
          const frame = (now) => {
            begun ??= now;
            if (before) gaps.push(now - before);
            before = now;
            if (now - begun < milliseconds) requestAnimationFrame(frame);
            else done(gaps.filter((gap) => gap > 33.4).length / gaps.length);
          };
          requestAnimationFrame(frame);
        })""",
        milliseconds,
    )


def test_playing_is_smooth(open_page):
    page = open_page("bench", text=SENTENCE)
    empty = page.context.new_page()
    empty.goto("about:blank")
    tried = []
    for _ in range(3):  # the machine may be busy with something else: then the empty page stumbles, too
        empty.bring_to_front()
        idle = late(empty, 800)
        page.bring_to_front()
        page.get_by_role("button", name="▶ Play").click()
        tried.append((late(page, 2500), idle))
        page.get_by_role("button", name="⏸ Pause").click()
        if tried[-1][0] <= 0.05 + 2 * idle:
            return
    raise AssertionError(f"late frames while playing, and on an empty page: {tried}")


def test_playing_is_quiet_where_less_motion_is_asked_for(open_page):
    page = open_page("bench", text=SENTENCE)
    page.emulate_media(reduced_motion="reduce")
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="▶ Play").click()
    expect(page.get_by_role("button", name="⏸ Pause")).to_be_visible()
    assert page.locator(".flow.playing").count() == 0
    expect(page.locator(".count")).to_have_text(re.compile(r"Step [3-9] /"))
    assert page.locator(".flow-motion > *").count() == 0


@pytest.mark.parametrize(("view", "model"), [("follow", "author"), ("follow", "moods"), ("write", "author")])
def test_all_shapes_flow(open_page, explainers, view, model):
    page = open_page(view, model=model, text=SENTENCE)
    page.locator(".flow-folded summary").click()
    expect(page.locator(".flow .flow-slice").first).to_be_attached()
    assert "flow=1" in page.url
    trace = explainers[model].explain(SENTENCE)
    part = "enc.0.self" if model == "moods" else "dec.1.self"
    weights = np.asarray(trace[f"{part}.weights"], dtype=np.float64).mean(0)
    shown = {address: mean for address, (_, mean) in slices(page, part).items()}
    for i, row in enumerate(weights[:4]):
        j = int(row.argmax())
        assert shown[f"{part}.weights[:,{i},{j}]"] == pytest.approx(row[j], abs=1e-6)
    if model == "moods":
        expect(page.get_by_role("button", name="▶ Play")).to_be_hidden()
        value = page.locator('.flow [data-address="cls.probs[1]"]').get_attribute("data-value")
        assert float(value) == pytest.approx(float(trace["cls.probs[1]"]), rel=1e-5)
    else:
        page.get_by_label("Speed").select_option("4")
        page.get_by_role("button", name="▶ Play").click()
        expect(page.locator(".flow.playing")).to_be_visible()
        expect(page).to_have_url(re.compile(r"\bstep=[1-9]"))


@pytest.mark.parametrize(
    ("model", "block", "card"),
    [
        ("to-hindi", "dec.1.cross", "dec.1.cross"),
        ("moods", "enc.1.ffn", "enc.1.ffn"),
        ("author", "dec.0.self", "dec.0.self"),
    ],
)
def test_follow_says_where_one_is_and_a_block_turns_to_its_card(open_page, model, block, card):
    page = open_page("follow", model=model, text=SENTENCE)
    here = page.locator(".here-picture [aria-current]")
    expect(here).to_have_attribute("data-block", "dec.input" if model == "author" else "enc.input")
    page.locator(f'.here-picture [data-block="{block}"]').click()
    expect(page.locator(".card h2")).to_contain_text(f"({card})")
    expect(here).to_have_attribute("data-block", block)
    number = page.locator(".card h2").inner_text().split(".")[0]
    expect(page.locator(".progress .count")).to_contain_text(f"Card {number} / ")
    page.get_by_role("button", name="Next card").click()
    expect(page.locator(".card h2")).to_contain_text(f"{int(number) + 1}. ")
    page.get_by_role("button", name="Previous card").click()
    expect(page.locator(".card h2")).to_contain_text(f"{number}. ")
    settled(page)
    groups = page.locator(".contents details")
    assert groups.count() > 2
    assert page.locator(".contents details[open]").count() == 1
    groups.first.locator("summary").click()
    page.get_by_role("button", name="Next card").click()
    expect(page.locator(".card h2")).to_contain_text(f"{int(number) + 1}. ")
    expect(page.locator(".contents details[open]")).to_have_count(2)  # what was opened stays open


@pytest.mark.parametrize("height", [900, 768])
def test_who_presents_sees_it_whole(open_page, height):
    page = open_page("bench", text=SENTENCE, present="stage", width=1366, height=height)
    expect(page.locator("svg.flow")).to_be_visible()
    whole = """() => {
      const { top, bottom } = document.querySelector("svg.flow").getBoundingClientRect();
      const { scrollWidth, clientWidth } = document.querySelector(".flow-scroll");
      const page = document.documentElement;
      return top >= 0 && bottom <= innerHeight && scrollWidth <= clientWidth && page.scrollHeight <= innerHeight;
    }"""
    assert page.evaluate(whole)
    page.keyboard.press("ArrowRight")  # still so one step on
    page.wait_for_url("**step=1*")
    settled(page)
    assert page.evaluate(whole)
