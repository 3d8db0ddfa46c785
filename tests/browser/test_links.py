"""Every parameter of every view: what a link counts or names that is not there is answered in words."""

import re

import pytest
from playwright.sync_api import expect

from support.browsing import SENTENCE, settled

TWO = {"text": SENTENCE, "text2": "the money bank grows"}
# view → what a link asks for, and what is said of it; what follows an arrow is what is shown instead
WRONG = {
    "bench": (
        {"text": SENTENCE, "head": 99, "token": 999, "open": "enc.7,dec.0", "via": "nobody", "sentence": 5},
        ["head=99 out of range -> 2", "token=999 out of range", "open=enc.7,dec.0 not known", "via=nobody not known"],
    ),
    "follow": (
        {"text": SENTENCE, "card": 999, "layer": 9, "column": 999, "flow": "yes", "open": "attic"},
        [
            "card=999 out of range",
            "layer=9 out of range -> 1",
            "column=999 out of range -> 15",
            "flow=yes not known",
            "open=attic not written like enc.3,dec.0",
        ],
    ),
    "write": (
        {"text": "the river", "model": "author", "layer": 9, "p": "1.5", "words": "yes", "k": 999},
        [
            "layer=9 out of range -> 1",
            "p=1.5 not written like 0.9",
            "words=yes not known",
            "k=999 out of range -> 50",
        ],
    ),
    "compare": (
        {**TWO, "step": 99, "card": 999, "zoom": "cards", "off2": "foo", "sort": "foo", "beam2": "x"},
        [
            "step=99 out of range",
            "card=999 out of range",
            "off=foo not a head",
            "sort=foo not known",
            "beam2=x not a whole",
        ],
    ),
    "space": (
        {**TWO, "model": "moods", "token": 999, "token2": 998, "stage": 77, "look": "there", "map": "flat"},
        [
            "token=999 out of range",
            "token2=998 out of range",
            "stage=77 out of range -> 3",
            "look=there not written like",
            "map=flat not known",
        ],
    ),
    "learn": (
        {
            "text": SENTENCE,
            "chapter": 99,
            "part": 9,
            "look": 999,
            "step": 999,
            "d": 5,
            "pe": 3,
            "head": "enc.9.self.h0",
        },
        [
            "chapter=99 out of range -> 12",
            "part=9 out of range",
            "look=999 out of range",
            "d=5 not known",
            "pe=3 not known",
            "head=enc.9.self.h0 not known",
            "step=999 out of range",
        ],
    ),
    "labs": (
        {"lab": "sqrt-dk", "kept": "yesterday", "seed": "none"},
        ["kept=yesterday not known", "seed=none not a whole number"],
    ),
    "translate": (
        {"text": SENTENCE, "said": "nonsense", "formality": "rude", "present": "nothing"},
        ["said=nonsense not written like", "formality=rude not known", "no part nothing"],
    ),
}


@pytest.mark.parametrize("view", WRONG)
def test_what_a_link_asks_for_and_is_not_there_is_said(open_page, view):
    asked, wanted = WRONG[view]
    page = open_page(view, **asked)
    remarks = page.locator(".remarks")
    for one in wanted:
        begins, _, shown = one.partition(" -> ")
        pattern = ".*".join(re.escape(word) for word in begins.split(" "))
        if shown:
            pattern += rf"[^;]*; shown is {shown}\."
        expect(remarks).to_contain_text(re.compile(pattern))
    expect(page.locator("main > .problem:visible")).to_have_count(0)
    settled(page)
    for name, value in asked.items():
        assert name in ("text", "text2", "model", "zoom", "lab", "sentence") or f"{name}={value}" not in page.url


def test_a_question_in_a_link_that_was_written_by_hand(open_page):
    page = open_page("translate")
    page.goto(f"{open_page.address}/#/translate?text=Where is the river?&formality=formal")
    expect(page.get_by_label("Your text")).to_have_value("Where is the river?")


def test_what_is_opened_in_the_picture_and_is_not_there_is_said(open_page):
    page = open_page("bench", text=SENTENCE, peek="nonsense")
    expect(page.locator(".flow-peek")).to_contain_text("nonsense")
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".flow-peek")).to_be_hidden()


def test_what_the_server_says_is_in_hindi_too(open_page):
    page = open_page("bench", language="hi", text=SENTENCE, off="enc.99.self.h0")
    expect(page.locator(".remarks")).to_contain_text("इस मॉडल में 'enc.99.self.h0' नहीं है; उसके अटेंशन enc.0.self से")
    page = open_page("space", language="hi", model="moods", **TWO, map="between", across="elephantine")
    expect(page.locator("main .problem:visible")).to_contain_text("'elephantine'")
    expect(page.locator("main .problem:visible")).to_contain_text("शब्दों के मानचित्र पर नहीं है")
