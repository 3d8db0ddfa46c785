"""Compare: two questions side by side. Every number is that of its side, and the difference is their difference."""

import numpy as np
import pytest
from playwright.sync_api import expect

from support.browsing import SENTENCE, settled

OTHER = "the money bank grows"
LONGER = "the old river bank flows"
HEAD = "dec.1.cross.h2"


def shown(page, where):
    return float(page.locator(where).get_attribute("data-value"))


def test_two_sentences(open_page, explainers):
    page = open_page("compare", text=SENTENCE, text2=OTHER)
    first, second = (explainers["to-hindi"].explain(text) for text in (SENTENCE, OTHER))
    expect(page.locator('[data-said="a"]')).to_have_text(first.text)
    expect(page.locator('[data-said="b"]')).to_have_text(second.text)
    only = set(first.text.split()) - set(second.text.split())
    assert only <= set(page.locator('[data-said="a"] mark').all_inner_texts())
    assert shown(page, '[data-score="a"]') == pytest.approx(first.score, rel=1e-6)
    assert shown(page, "#score-difference") == pytest.approx(second.score - first.score, rel=1e-5)
    step = second.steps[0]
    address = f"dec.out.logprobs[{step.row},{step.chosen.id}]"
    assert shown(page, f'[data-side="b"][data-address="{address}"]') == pytest.approx(step.log_probability, rel=1e-6)
    for guess in first.steps[1].guesses:
        cell = f'[data-side="a"][data-address="{guess.address}"]'
        assert shown(page, cell) == pytest.approx(guess.probability, rel=1e-6)


def test_another_candidate_on_one_side(open_page, explainers):
    page = open_page("compare", text=SENTENCE)
    plain = explainers["to-hindi"].explain(SENTENCE)
    other = plain.steps[1].guesses[2]
    page.locator(f'[data-side="b"][data-address="{other.address}"]').click()
    page.wait_for_url(f"**force2=1:{other.id}*")
    settled(page)
    assert "force=" not in page.url
    forced = plain.forcing(1, other.id)
    expect(page.locator('[data-said="a"]')).to_have_text(plain.text)
    expect(page.locator('[data-said="b"]')).to_have_text(forced.text)
    expect(page.locator('[data-key^="force-1"]')).to_contain_text(f"Forced 2: {other.text}")


def test_heads_on_and_off(open_page, explainers):
    page = open_page("compare", text=SENTENCE)
    expect(page.locator("#score-difference")).to_have_attribute("data-value", "0")
    page.locator('[data-key="off-1"]').select_option(HEAD)
    page.wait_for_url(f"**off2={HEAD}*")
    settled(page)
    plain, changed = (
        explainers["to-hindi"].explain(SENTENCE),
        explainers["to-hindi"].explain(SENTENCE, heads_off=[HEAD]),
    )
    assert shown(page, "#score-difference") == pytest.approx(changed.score - plain.score, rel=1e-4)
    page.get_by_role("button", name="Swap").click()
    settled(page)
    assert f"off={HEAD}" in page.url
    assert "off2" not in page.url
    assert shown(page, "#score-difference") == pytest.approx(plain.score - changed.score, rel=1e-4)
    page.get_by_role("button", name="Copy A to B").click()
    settled(page)
    assert shown(page, "#score-difference") == 0
    page.get_by_role("button", name=f"Take back: off {HEAD}").first.click()
    settled(page)
    assert shown(page, "#score-difference") == pytest.approx(changed.score - plain.score, rel=1e-4)


def test_all_heads_with_their_difference(open_page, explainers):
    page = open_page("compare", text=SENTENCE, text2=OTHER, zoom="heads")
    traces = [explainers["to-hindi"].explain(text) for text in (SENTENCE, OTHER)]
    head = "enc.1.self.h2"
    weights = [np.round(trace[f"{head}.weights"] * 255) / 255 for trace in traces]  # a first look: a byte each
    assert weights[0].shape == weights[1].shape
    assert shown(page, f'[data-size="{head}"]') == pytest.approx(np.abs(weights[1] - weights[0]).mean(), abs=1e-6)
    assert page.locator(".triple").count() == len(traces[0].heads())
    assert page.locator(".triple").first.locator("canvas").count() == 3
    page.get_by_label("Sort").select_option("difference")
    sizes = page.locator(".triples").first.locator("[data-size]")
    values = [float(one) for one in sizes.evaluate_all("all => all.map((one) => one.dataset.value)")]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 1
    page.get_by_role("button", name=f"Open {head}").click()
    expect(page.locator("dhyan-matrix")).to_have_count(3)


def test_one_head_and_one_number(open_page, explainers):
    page = open_page("compare", text=SENTENCE, text2=OTHER, zoom="at", at="enc.0.self.h1.weights")
    traces = [explainers["to-hindi"].explain(text) for text in (SENTENCE, OTHER)]
    page.locator("figure").last.get_by_role("button", name="Table").click()
    cell = page.locator("figure").last.locator("tbody tr").nth(3).locator("td").nth(5)
    first, second = (float(trace["enc.0.self.h1.weights[3,5]"]) for trace in traces)
    assert float(cell.get_attribute("data-value")) == pytest.approx(second - first, abs=1e-6)
    matrix = page.locator("dhyan-matrix canvas").last
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "Enter"):
        matrix.press(key)
    page.wait_for_url("**at=enc.0.self.h1.weights[1,1]*")
    values = [float(trace["enc.0.self.h1.weights[1,1]"]) for trace in traces]
    for side, value in zip("ab", values, strict=True):
        assert shown(page, f'.one-number [data-side="{side}"]') == pytest.approx(value, rel=1e-6)
    assert shown(page, "#number-difference") == pytest.approx(values[1] - values[0], abs=1e-7)
    page.get_by_role("button", name="The whole array").click()
    expect(page.locator("dhyan-matrix")).to_have_count(3)


def test_tokens_that_both_have_where_lengths_differ(open_page, explainers):
    page = open_page("compare", text=SENTENCE, text2=LONGER, zoom="at", at="enc.0.self.h0.weights")
    expect(page.locator("main")).to_contain_text("Compared where both have the token: 21 rows, 21 columns.")
    matrix = page.locator("dhyan-matrix canvas").last
    matrix.focus()
    for _ in range(21):
        matrix.press("ArrowDown")
    for _ in range(20):
        matrix.press("ArrowRight")
    matrix.press("Enter")
    page.wait_for_url("**at=enc.0.self.h0.weights[20,20]*at2=enc.0.self.h0.weights[24,24]*")
    first, second = (explainers["to-hindi"].explain(text) for text in (SENTENCE, LONGER))
    apart = float(second["enc.0.self.h0.weights[24,24]"]) - float(first["enc.0.self.h0.weights[20,20]"])
    assert shown(page, "#number-difference") == pytest.approx(apart, abs=1e-7)


def test_where_no_difference_can_be_it_says_why(open_page):
    page = open_page("compare", model="moods", model2="to-hindi", text=SENTENCE, zoom="at", at="enc.0.ffn.output")
    expect(page.locator("dhyan-matrix")).to_have_count(3)  # as wide as each other
    page = open_page("compare", text=SENTENCE, text2=LONGER, zoom="at", at="dec.0.self.weights")
    expect(page.locator("main")).to_contain_text("choose a head or a row")
    page = open_page(
        "compare", text=SENTENCE, zoom="at", at="enc.0.self.h0.key[0:2]", at2="enc.0.self.h0.key[0:2,0:5]"
    )
    expect(page.locator(".why")).to_contain_text("No difference is drawn: A has 2 × 16 numbers, B has 2 × 5")
    page = open_page("compare", text=SENTENCE, model2="author", zoom="at", at="enc.0.self.h0.weights")
    expect(page.locator(".problem").last).to_contain_text("B: ")


def test_encoders_and_decoders(open_page, explainers):
    page = open_page("compare", width=390, model="moods", text=SENTENCE, text2=OTHER)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for side, text in zip("ab", (SENTENCE, OTHER), strict=True):
        wanted = float(explainers["moods"].explain(text)["cls.probs[1]"])
        found = shown(page, f'[data-side="{side}"][data-address="cls.probs[1]"]')
        assert found == pytest.approx(wanted, rel=1e-5)
    expect(page.locator(".triple").first).to_be_visible()
    page.get_by_role("button", name="Steps").click()
    expect(page.locator("main")).to_contain_text("An encoder alone writes nothing")
    page = open_page("compare", model="author", text="the river", text2="the money", step=1)
    expect(page.locator(".compared-steps tr.here")).to_have_count(1)
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**step=2*")
    page.keyboard.press("t")
    for step in range(3, 9):
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**step={step}*")
    settled(page)
    expect(page.locator(".compared-steps tr.here")).to_be_in_viewport()


def test_from_the_bench(open_page, explainers):
    page = open_page("bench", text=SENTENCE, off=HEAD)
    page.get_by_role("link", name="Compare with…").click()
    settled(page)
    assert page.url.count(HEAD) == 1
    assert f"off2={HEAD}" in page.url
    plain, changed = (
        explainers["to-hindi"].explain(SENTENCE),
        explainers["to-hindi"].explain(SENTENCE, heads_off=[HEAD]),
    )
    assert shown(page, "#score-difference") == pytest.approx(changed.score - plain.score, rel=1e-4)
    page.get_by_role("link", name="Open it up").last.click()
    settled(page)
    assert f"off={HEAD}" in page.url


def test_what_is_wrong_says_on_which_side(open_page):
    page = open_page("compare", text=SENTENCE, model2="nobody")
    expect(page.locator("main > .problem")).to_contain_text("There is no pack nobody here.")
    page = open_page("compare", text=SENTENCE, off2="dec.7.cross.h0")
    expect(page.locator("main > .problem")).to_contain_text("B: ")


def test_a_number_set_by_hand_on_one_side(open_page, explainers):
    page = open_page("compare", text=SENTENCE, set2="enc.output[3]=0", zoom="at", at="enc.output[3,1]")
    plain = explainers["to-hindi"].explain(SENTENCE)
    assert shown(page, '.one-number [data-side="a"]') == pytest.approx(float(plain["enc.output[3,1]"]), rel=1e-6)
    assert shown(page, '.one-number [data-side="b"]') == 0
    page.get_by_role("button", name="Take back: set enc.output[3]=0").click()
    settled(page)
    assert shown(page, "#number-difference") == 0
    page.get_by_role("button", name="The whole array").click()
    settled(page)
    matrix = page.locator("figure.side-b dhyan-matrix canvas")
    matrix.focus()
    for key in ("ArrowDown", "7", "Enter"):  # what is set on a side is set on that side
        page.keyboard.press(key)
    page.wait_for_url("**set2=enc.output[0,0]=7*")
    assert "set=" not in page.url


def test_a_text_that_is_too_long_is_cut(open_page):
    page = open_page("compare", text=f"{SENTENCE}. " * 30, text2=OTHER, zoom="flow", sentence=1)
    choice = page.get_by_label("Too long to be opened up at once; shown is")
    expect(choice).to_have_count(1)
    expect(choice).to_have_value("1")
    expect(page.locator("svg.flow")).to_have_count(2)
    choice.select_option("0")
    page.wait_for_url("**sentence=0*")
    settled(page)
    expect(page.locator("main .problem:visible")).to_have_count(0)
