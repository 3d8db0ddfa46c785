"""The browser finds the same spans as Python does, in every text."""

from itertools import pairwise

from dhyan.translation.foreign_scripts import Scripts
from dhyan.translation.protected_spans import (
    blank_out,
    keeps_literals,
    protected_spans,
    symbol_spans,
    watched_spans,
)
from support.javascript import call_javascript
from support.texts import in_units, texts_of_tests, varied_texts

HELPER = "../../../../tests/support/care_for_text.mjs"


def in_javascript(text, spans):
    return [
        [in_units(text, span.start), in_units(text, span.end), span.kind.name, span.replacement] for span in spans
    ]


def spans_of(text):
    return {
        "protected": in_javascript(text, protected_spans(text)),
        "watched": in_javascript(text, watched_spans(text)),
        "symbols": in_javascript(text, symbol_spans(text)),
        "foreign": [
            in_javascript(text, Scripts(frozenset({script})).foreign_spans(text))
            for script in ("Latin", "Devanagari")
        ],
    }


def test_the_same_spans_in_many_texts():
    texts = [*texts_of_tests(), *varied_texts(800)]
    answers = call_javascript(HELPER, "spans", [[text] for text in texts])
    for text, answer in zip(texts, answers, strict=True):
        blanked = answer.pop("blanked")
        assert answer == spans_of(text), text
        if max(text, default="") <= "\uffff":
            assert blanked == blank_out(text, protected_spans(text), "x")


def test_literals_are_kept_or_not():
    texts = [text for text in texts_of_tests() if watched_spans(text)][:200]
    outputs = [text.replace("5", "50", 1).replace(" ", "\u00a0", 1) for text in texts]
    pairs = [*zip(texts, outputs, strict=True), *zip(texts, texts, strict=True), *pairwise(texts)]
    expected = [keeps_literals(watched_spans(source), source, output) for source, output in pairs]
    assert call_javascript(HELPER, "keeps", pairs) == expected
    assert len(set(expected)) == 2
