"""Symbols, formulas, prices, foreign words come through exactly, alone and in sentences, whatever the model does."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhyan.translation import TextPipeline
from dhyan.translation.letter_case import Case
from dhyan.translation.protected_spans import Kind, Span, blank_out, protected_spans, watched_spans
from dhyan.translation.segments import Sentence
from support.kept_spans import EVERY, sentences
from support.translators import HOSTILE, Dictionary

SENTENCES = sentences(1000, seed=1)


def pipeline_with(raw):
    return TextPipeline(raw, target_script="Devanagari", source_scripts=frozenset({"Latin"}))


@pytest.mark.parametrize(("number", "name"), list(enumerate(HOSTILE)))
def test_none_of_a_thousand_sentences_loses_anything(number, name):
    """Each goes through one of the translators that break what they touch."""
    some = SENTENCES[number :: len(HOSTILE)]
    results = pipeline_with(HOSTILE[name]).translate([text for text, _ in some])
    altered = [
        (text, span, result.text)
        for (text, spans), result in zip(some, results, strict=True)
        for span in spans
        if result.text.count(span) != text.count(span)
    ]
    assert altered == []


def test_every_kind_is_in_the_thousand():
    seen = Counter(span for _, spans in SENTENCES for span in spans)
    assert set(seen) == set(EVERY)


@pytest.mark.parametrize("name", ["drops what is not a letter", "says the same"])
def test_alone_they_are_as_they_were(name):
    results = pipeline_with(HOSTILE[name]).translate(EVERY)
    assert [result.text for result in results] == EVERY


@given(st.lists(st.sampled_from(EVERY), min_size=1, max_size=5, unique=True), st.sampled_from(sorted(HOSTILE)))
def test_any_of_them_together_come_through(spans, name):
    text = "hello " + " and the river ".join(spans) + " is good."
    result = pipeline_with(HOSTILE[name]).translate([text])[0].text
    assert {span: result.count(span) for span in spans} == {span: text.count(span) for span in spans}


def test_a_clause_keeps_what_is_in_it():
    text = "the bank is open, and the river is €5 or 10 km/h now, hello {x} and good morning"
    ends = [Span(at, at + 1, Kind.FIXED, ",") for at, one in enumerate(text) if one == ","]
    hidden = protected_spans(text)
    spans = hidden, watched_spans(blank_out(text, hidden))
    whole = Sentence(text, text, Case.ORDINARY, *map(tuple, spans))
    parts = [part for part in whole.fragments(ends) if isinstance(part, Sentence)]
    kept = [[span.replacement for span in (*part.hidden, *part.watched)] for part in parts]
    assert kept == [[], ["€5", "10 km/h"], ["{x}"]]
    for part in parts:
        for span in (*part.hidden, *part.watched):
            assert part.source[span.start : span.end] == span.replacement


@pytest.mark.parametrize(
    "text",
    ["hello Привет 😀 мир now", "hello Привет🎉мир now", "open Привет **мир** now", "hello «je ne sais 😀 quoi» now"],
)
def test_what_stands_between_foreign_words_stays_there(text):
    phrase = text.removeprefix("hello ").removeprefix("open ").removesuffix(" now")
    assert phrase in pipeline_with(Dictionary()).translate([text])[0].text


@pytest.mark.parametrize("text", ["पिता/पति का नाम", "मैं घोषणा करता/करती हूँ", "वह आज घर पर|कल आएगा", "@राम। चलो"])
def test_words_in_devanagari_are_no_paths(text):
    """A vowel sign is no letter, and | stands for a danda; half a word came out in Devanagari: "the/करतi"."""
    assert [span.replacement for span in protected_spans(text)] == (["@राम"] if "@" in text else [])
