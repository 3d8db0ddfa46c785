"""The shipped translators in the browser say what Python says, with its notes: everyday sentences, awkward ones."""

from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

import dhyan
from support.javascript import call_javascript
from support.packaged import folder_of

MODELS = "../../../../tests/support/browser_models.mjs"
SHIPPED = Path(__file__).parents[2] / "shipped"
LEAST_EQUAL = 0.9  # the two engines round int8 products in their own ways: near ties may go the other way


def first_column(name, step):
    lines = (SHIPPED / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[0] for line in lines if "\t" in line][::step]


TEXTS = {
    "en-hi": [
        *first_column("everyday.tsv", 8),
        *first_column("hard.tsv", 12),
        "# NEWS\n\n- Visit https://example.org/a?b=1 at 9 a.m.\n- Pay ₹500 to {name}, not 5 kg.\n",
        "Press **Save** before you close the [new window](a.md).",
        "Bonjour tout le monde, comment allez-vous aujourd'hui? Thank you.",
        "नमस्ते दुनिया। Good morning 😀",
    ],
    "hi-en": [*first_column("everyday-hi-en.tsv", 4), "AAP KAISE HO?", "<b>नमस्ते</b> दुनिया, कीमत ₹1,50,000 है।"],
}


@cache
def said_in_the_browser():
    asked = [[str(folder_of(name)), texts] for name, texts in TEXTS.items()]
    return dict(zip(TEXTS, call_javascript(MODELS, "translate", asked), strict=True))


@pytest.fixture(scope="module", params=TEXTS)
def both(request):
    """For each text what Python said, and the browser."""
    here = dhyan.load(request.param, threads=1).translate(TEXTS[request.param])
    return list(zip([asdict(one) for one in here], said_in_the_browser()[request.param], strict=True))


def test_most_are_translated_word_for_word_the_same(both):
    different = [(here["text"], there["text"]) for here, there in both if here["text"] != there["text"]]
    assert len(different) <= (1 - LEAST_EQUAL) * len(both), different


def test_where_they_are_the_notes_are_too(both):
    for here, there in both:
        if here["text"] == there["text"]:
            assert list(here["notes"]) == there["notes"]
            assert here["confidence"] == pytest.approx(there["confidence"], abs=0.05)


def test_other_ways_to_say_it_and_to_go_on():
    folder = str(folder_of("en-hi"))
    sentence, prefix = "The children are playing in the garden.", "बच्चे"
    model = dhyan.load("en-hi", threads=1)
    [[there]] = call_javascript(
        MODELS, "translate", [[folder, [sentence], {"alternatives": 2, "formality": "formal"}]]
    )
    assert there["text"] == model(sentence)
    assert len(there["alternatives"]) == 2
    [on] = call_javascript(MODELS, "continuations", [[folder, sentence, prefix, 3]])
    assert [one["word"] for one in on] == [one.word for one in model.continuations(sentence, prefix, 3)]
