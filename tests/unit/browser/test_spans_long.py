"""Searches for spans and terms stay quick in long texts, in the browser too."""

import time

from support.javascript import call_javascript

HELPER = "../../../../tests/support/care_for_text.mjs"
LENGTH = 50_000
SECONDS = 30  # for all of them, on a busy machine; a search that backs up over what it has read takes hours


def test_long_texts_take_no_longer_than_their_length():
    pieces = [
        "a",
        "a ",
        "1.",
        "x=1 ",
        "(",
        "`",
        "<a ",
        "\\a{",
        "{",
        "$",
        "[",
        "*",
        "1,",
        "a_",
        "a-",
        "@a.",
        "/a",
        "की ",
    ]
    began = time.perf_counter()
    call_javascript(HELPER, "spans", [[(piece * LENGTH)[:LENGTH]] for piece in pieces])
    assert time.perf_counter() - began < SECONDS
