"""The consequence bar: whatever is changed, what came of it is in view, can be taken back, and can be shared."""

import pytest
from playwright.sync_api import expect

from support.browsing import SENTENCE, settled

IN_VIEW = """one => {
  const box = one.getBoundingClientRect();
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
}"""


@pytest.fixture
def bar():
    return lambda page: page.locator(".consequence")


def words(page, kind):
    return page.locator(f".consequence .{kind} .difference > *").all_inner_texts()


def wanted(change, kind):
    return [word for what, word in change.words if what in ("same", kind)]


@pytest.mark.parametrize("height", [900, 500])
def test_it_stays_in_view_when_a_head_is_switched_off(open_page, trace, bar, height):
    page = open_page("bench", text=SENTENCE, zoom="atlas", height=height)
    expect(bar(page)).to_be_hidden()
    page.get_by_role("switch", name="enc.1.self.h2 on").click()
    settled(page)
    off = trace.without("enc.1.self.h2")
    assert bar(page).evaluate(IN_VIEW)
    page.mouse.wheel(0, 5000)
    page.wait_for_timeout(100)
    assert bar(page).evaluate(IN_VIEW)
    assert words(page, "gone") == wanted(off.change, "gone")
    assert words(page, "new") == wanted(off.change, "new")
    delta, score = (float(page.locator(f"#{name}").get_attribute("data-value")) for name in ("delta", "score-change"))
    assert delta == pytest.approx(off.change.total, abs=1e-4)
    assert score == pytest.approx(off.score - trace.score, abs=1e-4)
    expect(bar(page)).to_contain_text("Log-probability")


def test_a_word_is_hidden_and_each_step_is_taken_back(open_page, trace, bar):
    page = open_page("bench", text=SENTENCE, zoom="alignment")
    page.get_by_role("button", name="river").click()
    expect(bar(page)).to_contain_text("“river” hidden")
    settled(page)
    hidden = trace.hiding(1)
    assert words(page, "new") == wanted(hidden.change, "new")
    assert float(page.locator("#delta").get_attribute("data-value")) == pytest.approx(hidden.change.total, abs=1e-4)
    assert "hide=1" in page.url
    page.get_by_role("button", name="Head atlas").click()
    page.get_by_role("switch", name="dec.0.cross.h1 on").click()
    expect(bar(page)).to_contain_text("dec.0.cross.h1 off")
    settled(page)
    page.get_by_role("button", name="Undo").click()
    expect(bar(page)).not_to_contain_text("dec.0.cross.h1")
    expect(bar(page)).to_contain_text("“river” hidden")
    settled(page)
    page.get_by_role("button", name="Undo").click()
    expect(bar(page)).to_be_hidden()
    assert "hide" not in page.url


def test_a_word_of_the_source_is_hidden_in_every_zoom(open_page, bar):
    page = open_page("bench", text=SENTENCE)
    words = page.get_by_role("group", name="Words of the source")
    words.get_by_role("button", name="bank").click()
    expect(bar(page)).to_contain_text("“bank” hidden")
    expect(words.get_by_role("button", name="bank")).to_have_attribute("aria-pressed", "true")
    words.get_by_role("button", name="bank").click()
    expect(bar(page)).to_be_hidden()


def test_one_of_several_changes_is_taken_back_or_all(open_page, bar):
    asked = {"text": SENTENCE, "off": ["enc.0.self.h1", "dec.0.self.h0"], "hide": [0, 2]}
    page = open_page("bench", **asked)
    expect(bar(page).locator(".what > .chip")).to_have_count(4)
    page.get_by_role("button", name="Remove this change: dec.0.self.h0").click()
    expect(bar(page).locator(".what > .chip")).to_have_count(3)
    settled(page)
    page.get_by_role("button", name="Undo").click()  # what was taken back comes again
    expect(bar(page).locator(".what > .chip")).to_have_count(4)
    settled(page)
    page.get_by_role("button", name="As it was").click()
    expect(bar(page)).to_be_hidden()
    fresh = open_page("bench", **asked)  # after a link there is no past: undo drops the last of the changes
    fresh.get_by_role("button", name="Undo").click()
    expect(bar(fresh).locator(".what > .chip")).to_have_count(3)


def test_a_link_to_it_is_copied_and_the_button_says_so(open_page, bar):
    page = open_page("bench", text=SENTENCE, hide=[1])
    page.get_by_role("button", name="Share").click()
    expect(bar(page).locator('[data-key="share"]')).to_have_text("✓ Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    expect(bar(page).locator('[data-key="share"]')).to_have_text("Share")


def test_a_forced_token_of_a_writer(open_page, explainers, bar):
    trace = explainers["author"].explain("the river")
    page = open_page("write", text="the river")
    expect(bar(page)).to_be_hidden()
    page.locator(f'.tape [data-address="{trace.steps[1].guesses[2].address}"]').click()
    expect(bar(page)).to_contain_text("Forced 2:")
    settled(page)
    forced = trace.forcing(1, trace.steps[1].guesses[2].id)
    score = float(page.locator("#score-change").get_attribute("data-value"))
    assert score == pytest.approx(forced.score - trace.score, abs=1e-4)
    expect(page.locator("#delta")).to_have_count(0)  # the model is the same: it thinks of the old words as before


def test_a_hidden_word_and_the_label(open_page, explainers, bar):
    trace = explainers["moods"].explain(SENTENCE)
    page = open_page("understand", model="moods", text=SENTENCE)
    page.get_by_role("button", name="bank").click()
    expect(bar(page)).to_contain_text("“bank” hidden")
    settled(page)
    moved = page.locator("[data-moved]").evaluate_all(
        "all => all.map((one) => [one.dataset.moved, Number(one.dataset.value)])"
    )
    change = trace.hiding(2).change
    assert dict(moved) == pytest.approx(
        dict(zip(change.labels, change.log_probability.tolist(), strict=True)), abs=1e-4
    )
    page.goto(open_page.link("understand", model="moods", text=SENTENCE, hidden="1,2"))  # as it was once written
    expect(bar(page).locator(".what > .chip")).to_have_count(2)


def test_a_prompt_and_what_follows_are_joined_as_they_are_written(open_page, explainers):
    trace = explainers["author"].explain("the river")
    page = open_page("write", text="the river")
    whole = trace.target_tokenizer.decode([*trace.source.ids, *trace.written.ids])
    assert page.locator(".words").first.evaluate("one => one.textContent") == whole
