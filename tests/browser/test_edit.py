"""Any number can be written: in place, as a row, as zero, copied from another sentence; and what it did is shown."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from support.browsing import SENTENCE, settled

WEIGHTS = "enc.1.self.h2.weights"
OTHER = "the money bank grows"  # as many pieces: these packs have one for each letter


@pytest.fixture
def bench(open_page):
    """One head of the sentence, and its matrix."""

    def opened(address=WEIGHTS, **asked):
        page = open_page("bench", text=SENTENCE, zoom="head", at=address, **asked)
        return page, page.locator(f'.panel[data-address="{address}"]')

    return opened


def in_table(panel):
    """What the panel's table holds, and which cells it marks as set by hand."""
    panel.get_by_role("button", name="Table").click()
    cells = panel.locator("td[data-value]").evaluate_all(
        "all => all.map((c) => [c.dataset.address, Number(c.dataset.value), c.classList.contains('by-hand')])"
    )
    return {address: value for address, value, _ in cells}, [address for address, _, by_hand in cells if by_hand]


def said(page):
    return "".join(page.locator(".said .words").first.inner_text().split())


def test_a_cell_is_typed_over_as_in_a_spreadsheet(bench, trace):
    page, panel = bench()
    canvas = panel.locator("canvas")
    canvas.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "2", ".", "5", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".editor")).to_have_count(0)
    settled(page)
    assert f"set={WEIGHTS}[1,1]=2.5" in page.url
    changed = trace.setting({f"{WEIGHTS}[1,1]": 2.5})
    expect(panel.locator("canvas")).to_be_focused()  # and one stays where one was
    values, marked = in_table(panel)
    assert marked == [f"{WEIGHTS}[1,1]"]
    assert values[f"{WEIGHTS}[1,1]"] == 2.5
    assert said(page) == "".join(changed.text.split())
    panel.locator(f'td[data-address="{WEIGHTS}[0,2]"]').dblclick()
    expect(page.locator(".editor .where")).to_have_text(f"{WEIGHTS}[0,2]")
    page.keyboard.press("Escape")
    bar = page.locator(".consequence")
    expect(bar).to_contain_text(f"{WEIGHTS}[1,1] = 2.5")
    moved = float(page.locator("#delta").get_attribute("data-value"))
    assert moved == pytest.approx(changed.change.total, abs=1e-4)
    bar.get_by_role("button", name="Undo").click()
    settled(page)
    expect(bar).to_be_hidden()
    assert said(page) == "".join(trace.text.split())
    assert in_table(panel)[1] == []


def test_a_double_click_opens_the_box_and_a_click_or_enter_the_number(bench, trace):
    page, panel = bench()
    canvas = panel.locator("canvas")
    canvas.dblclick()
    value = page.get_by_role("dialog", name="Set by hand").get_by_label("Value")
    expect(value).to_be_focused()
    expect(value).not_to_have_value("")
    address = page.locator(".editor .where").inner_text()
    assert float(value.input_value()) == pytest.approx(float(trace[address]), rel=1e-6)
    page.keyboard.press("Escape")
    expect(page.locator(".editor")).to_have_count(0)
    assert "zoom=head" in page.url
    canvas.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator(".stage .badge")).to_contain_text("✓")
    assert "zoom=number" in page.url


def test_a_row_a_column_and_all_of_it(bench, trace):
    page, panel = bench("enc.0.ffn.output")
    panel.locator("canvas").dblclick()
    address = page.locator(".editor .where").inner_text()
    row, column = address[address.index("[") + 1 : -1].split(",")
    page.get_by_label("What").select_option(label="its row")
    expect(page.locator(".editor .where")).to_have_text(f"enc.0.ffn.output[{row}]")
    page.get_by_role("button", name="Zero").click()
    settled(page)
    assert page.url.count("set=") == 1
    panel.locator("canvas").dblclick()
    page.get_by_label("What").select_option(label="its column")
    page.get_by_role("textbox", name="Value").fill("−1.5")
    page.get_by_role("button", name="Set", exact=True).click()
    settled(page)
    values, marked = in_table(panel)
    changed = trace.setting({f"enc.0.ffn.output[{row}]": 0, f"enc.0.ffn.output[:,{column}]": -1.5})
    for cell, value in values.items():
        assert value == pytest.approx(float(changed[cell]), rel=1e-6)
    assert set(marked) == {cell for cell in values if f"[{row}," in cell or f",{column}]" in cell}
    assert said(page) == "".join(changed.text.split())


def test_a_row_of_attention_is_rewritten_in_the_inspector(open_page, trace):
    address = "dec.1.cross.h0.weights[1]"
    page = open_page("bench", text=SENTENCE, zoom="head", at=address)
    page.locator(".inspector").get_by_role("button", name="Set by hand").click()
    value = page.get_by_role("textbox", name="Value")
    expect(value).not_to_have_value("")  # the row stands there to be rewritten
    assert len(value.input_value().split(",")) == len(trace.source)
    row = np.eye(len(trace.source), dtype=np.float32)[3]
    value.fill(", ".join(map(str, row)))
    page.keyboard.press("Enter")
    expect(page.locator(".editor")).to_have_count(0)
    settled(page)
    changed = trace.setting({address: row})
    assert said(page) == "".join(changed.text.split())
    _, marked = in_table(page.locator('.panel[data-address="dec.1.cross.h0.weights"]'))
    assert marked == [f"dec.1.cross.h0.weights[1,{column}]" for column in range(len(trace.source))]


def test_what_was_set_is_not_said_to_be_computed(open_page, at, trace):
    address = f"{WEIGHTS}[2,1]"
    page = open_page("bench", text=SENTENCE, zoom="number", at=address, set=f"{address}=0.75")
    badge = page.locator(".stage .badge")
    expect(badge).to_contain_text("set by hand")
    expect(badge).not_to_contain_text("✓")
    assert float(badge.get_attribute("data-would-be")) == pytest.approx(float(trace[address]), abs=1e-6)
    assert at.number(page, address, ".stage") == 0.75
    # What comes of it is worked out again from what was set.
    page.goto(
        open_page.link("bench", text=SENTENCE, zoom="number", at="enc.1.self.h2.mixed[2,0]", set=f"{address}=0.75")
    )
    settled(page)
    expect(page.locator(".stage .badge")).to_contain_text("✓")
    changed = trace.setting({address: 0.75})
    assert at.same(at.number(page, "enc.1.self.h2.mixed[2,0]", ".stage"), changed["enc.1.self.h2.mixed[2,0]"])
    page.goto(open_page.link("bench", text=SENTENCE, zoom="number", at="enc.0.ffn.b_1[3]", set="enc.0.ffn.b_1[3]=0"))
    settled(page)
    expect(page.locator(".stage .badge")).to_have_text("✎ set by hand")  # a weight


def test_numbers_are_copied_from_another_sentence(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="head", at="enc.output")
    page.locator(".inspector").get_by_role("button", name="Set by hand").click()
    box = page.locator(".editor")
    box.get_by_text("Copy from another sentence").click()
    sentence = box.get_by_label("Sentence")
    sentence.fill("too short")
    box.get_by_role("button", name="Copy").click()
    expect(box.get_by_role("alert")).to_contain_text("do not fit into 'enc.output'")
    assert "set=" not in page.url
    sentence.fill(OTHER)
    page.keyboard.press("Enter")
    expect(box).to_have_count(0)
    settled(page)
    theirs = trace.ask(trace.question.__class__(OTHER, beam=trace.question.beam))
    assert said(page) == "".join(theirs.text.split())
    # A link re-creates it, from another address too.
    page.goto(
        open_page.link(
            "bench", text=SENTENCE, zoom="head", at="enc.output", set=f"enc.output[3]=enc.output[5]~{OTHER}"
        )
    )
    settled(page)
    values, marked = in_table(page.locator('.panel[data-address="enc.output"]'))
    assert {cell.split("[")[1].split(",")[0] for cell in marked} == {"3"}
    assert values["enc.output[3,7]"] == pytest.approx(float(theirs["enc.output[5,7]"]), rel=1e-6)


def test_it_is_taken_back_and_a_wrong_link_is_told(open_page, trace):
    page = open_page("bench", text=SENTENCE, zoom="number", at="enc.output[0,0]", set="enc.output[0,0]=3")
    page.locator(".stage").get_by_role("button", name="Set by hand").click()
    page.get_by_role("button", name="Take back").click()
    settled(page)
    assert "set=" not in page.url
    expect(page.locator(".stage .badge")).to_contain_text("✓")
    page = open_page("bench", text=SENTENCE, set="enc.output[0,0]")
    expect(page.locator(".remarks")).to_contain_text("is not an address and a number")
    page = open_page("bench", text=SENTENCE, set="enc.output[999]=0")
    expect(page.locator(".remarks")).to_contain_text("points outside of enc.output")


def test_a_hidden_word_is_known_to_the_check(open_page):
    page = open_page("bench", text=SENTENCE, zoom="number", at="enc.0.self.h1.masked[0,5]", hide="1")
    expect(page.locator(".stage .value")).to_have_text("−∞")
    expect(page.locator(".stage .badge")).to_contain_text("✓")
    page.goto(open_page.link("follow", text=SENTENCE, model="moods", hide="1", at="pool[3]"))
    settled(page)
    assert all("✓" in badge for badge in page.locator(".badge").all_inner_texts())


def test_in_the_other_views_too_and_nothing_serious_for_axe(open_page, explainers):
    page = open_page(
        "follow", text=SENTENCE, model="moods", at="enc.output[2,3]", width=390, language="hi", scheme="dark"
    )
    page.get_by_role("button", name="हाथ से रखें").first.click()
    expect(page.locator(".editor")).to_be_visible()
    page.locator(".editor summary").click()
    found = Axe().run(page)
    assert not [one for one in found.response["violations"] if one["impact"] in ("serious", "critical")]
    page.get_by_role("textbox", name="मान").fill("4")
    page.keyboard.press("Enter")
    settled(page)
    changed = explainers["moods"].explain(SENTENCE, set={"enc.output[2,3]": 4})
    assert float(page.locator('[data-address="enc.output[2,3]"][data-value]').first.get_attribute("data-value")) == 4
    bar = page.locator(".consequence")
    expect(bar).to_contain_text("enc.output[2,3] = 4")
    shown = float(bar.locator("[data-moved='good']").get_attribute("data-value"))
    assert shown == pytest.approx(
        float(changed.change.log_probability[changed.change.labels.index("good")]), abs=1e-4
    )
