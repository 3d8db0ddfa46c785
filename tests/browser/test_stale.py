"""What belongs to another text than the one in the box is grey, from the first key on, in every view."""

import re

import pytest

from support.browsing import SENTENCE, settled

TWO = {"text": SENTENCE, "text2": "the money bank grows"}
# view → its link, the box, what is seen of it, and what is seen of something else
VIEWS = {
    "compare": (TWO, "#text-1", ".both-sides", ".compared-examples"),
    "space": ({**TWO, "model": "moods"}, "#second", "dhyan-map", ".space-examples"),
    "understand": ({"model": "moods", "text": SENTENCE}, "#text", "form:has(#text) + section", "#first"),
    "learn": ({"text": SENTENCE}, "#sentence", ".lesson-answer", ".telling p"),
    "labs": ({"lab": "positions"}, ".knob input[type=text]", ".figures", ".knob label"),
    "follow": ({"text": SENTENCE}, "#sentence", ".follow-walk", "h1"),
}
SEEN = """(where) => {
  let seen = 1;
  for (let one = document.querySelector(where); one; one = one.parentElement) seen *= getComputedStyle(one).opacity;
  return seen;
}"""


@pytest.mark.parametrize("view", VIEWS)
def test_what_belongs_to_another_text_is_grey(open_page, view):
    asked, box, result, other = VIEWS[view]
    page = open_page(view, **asked)
    box = page.locator(box).first
    assert page.evaluate(SEEN, result) == 1
    box.press("End")
    box.press_sequentially("s")
    assert page.evaluate(SEEN, result) < 0.5
    assert page.evaluate(SEEN, other) == 1
    box.press("Backspace")
    assert page.evaluate(SEEN, result) == 1
    box.press_sequentially("s")
    box.press("Enter")
    if view != "labs":
        page.wait_for_url("**s*")
    settled(page)
    page.wait_for_timeout(600 if view == "labs" else 0)  # it waits for the last key
    settled(page)
    assert page.evaluate(SEEN, result) == 1


def test_every_form_of_understand_has_its_own(open_page):
    page = open_page("understand", model="moods", text=SENTENCE)
    for box, result in (("#word", "form:has(#word) + section"), ("#query", "form:has(#query) + section")):
        if box == "#query":
            page.get_by_role("button", name="Sort by nearness").click()
            page.locator(f"{result} table").wait_for()
        page.locator(box).press_sequentially("s")
        assert page.evaluate(SEEN, result) < 0.5
        assert page.evaluate(SEEN, "form:has(#text) + section") == 1


@pytest.mark.parametrize("view", ["bench", "compare", "space", "translate"])
def test_what_takes_long_is_seen_to_be_under_way(open_page, view):
    page = open_page("labs")
    held = []
    page.route(re.compile("/api/v1/(explain|translate|space)"), lambda route: held.append(route))
    page.goto(open_page.link(view, **(TWO if view != "translate" else {"text": SENTENCE})))
    busy = page.locator(".sheet[aria-busy]" if view == "translate" else "main[aria-busy][data-busy='Computing…']")
    busy.wait_for()
    page.wait_for_function("(one) => getComputedStyle(one, '::before').opacity === '1'", arg=busy.element_handle())
    page.unroute_all()  # which answers those that are held
    busy.wait_for(state="detached")
