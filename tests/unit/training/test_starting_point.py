"""Which pack a training starts from when nobody says."""

import pytest

from dhyan.core.errors import DhyanError
from dhyan.training.auto_config import draft
from dhyan.training.starting_point import starting_point
from dhyan.training.train import Draft

pytestmark = pytest.mark.long

ENGLISH = ["the weather was lovely all week", "she did not like the food at all", "we took the last train home"]
HINDI = ["मौसम पूरे सप्ताह अच्छा था", "उसे खाना बिल्कुल पसंद नहीं आया", "हमने घर के लिए आख़िरी ट्रेन ली"]
GERMAN = [
    "das Wetter war die ganze Woche schön",
    "ihr hat das Essen gar nicht geschmeckt",
    "wir nahmen den letzten Zug",
]
ROWS = 30


def chosen(tmp_path, task, rows, **more):
    file = tmp_path / ("text.txt" if task == "write" else "rows.tsv")
    file.write_text(
        "".join(f"{row} {number}\n" for number, row in enumerate(rows * max(1, ROWS // len(rows)))), "utf-8"
    )
    values = {"task": task, "out": "new", "data": {"train": [file]}} | more
    return starting_point(values, draft(values, "here"))


@pytest.mark.parametrize(
    ("task", "rows", "pack"),
    [
        ("classify", [f"good\t{text}" for text in ENGLISH], "english"),
        ("classify", [f"good\t{text}" for text in HINDI], "hi-en"),
        ("classify", [f"good\t{text}" for text in GERMAN], None),
        ("embed", [f"{text}\t{text} again" for text in ENGLISH], "english"),
        ("translate", [f"{a}\t{b}" for a, b in zip(ENGLISH, HINDI, strict=True)], "en-hi"),
        ("translate", [f"{b}\t{a}" for a, b in zip(ENGLISH, HINDI, strict=True)], "hi-en"),
        ("translate", [f"{a}\t{b}" for a, b in zip(ENGLISH, GERMAN, strict=True)], "en-hi"),
        ("translate", [f"{b}\t{a}" for a, b in zip(ENGLISH, GERMAN, strict=True)], "hi-en"),
        ("translate", [f"{a}\t{b}" for a, b in zip(GERMAN, GERMAN, strict=True)], None),
        ("write", ENGLISH, "writer"),
        ("write", GERMAN, None),
    ],
)
def test_the_pack_that_fits_task_and_language(tmp_path, task, rows, pack):
    found = chosen(tmp_path, task, rows)
    assert found.pack == pack
    start = f"the encoder of {pack}" if (task, pack) == ("classify", "hi-en") else pack
    assert (f"Starting from {start} (" if pack else "Starting from random weights") in found.said


@pytest.mark.parametrize(("flip", "new"), [(False, "target"), (True, "source")])
def test_a_pack_of_one_of_the_two_languages_lends_that_side(tmp_path, monkeypatch, flip, new):
    pairs = [pair[::-1] if flip else pair for pair in zip(ENGLISH, GERMAN, strict=True)]
    rows = ["\t".join(pair) for pair in pairs]
    found = chosen(tmp_path, "translate", rows)
    assert found.new_vocabulary == new
    assert f"what is new is the {new} side" in found.said
    assert "CC BY-SA 4.0" in found.said
    begun = Draft.of(
        {"task": "translate", "out": tmp_path / "new", "data": {"train": [tmp_path / "rows.tsv"]}}, "here"
    )
    assert begun.recipe.new_vocabulary == new
    monkeypatch.setattr("dhyan.training.starting_point.MOST_PAIRS", 100)  # then a model of the right size is better
    assert chosen(tmp_path, "translate", rows).pack is None


def test_a_pack_that_knows_both_languages_keeps_its_vocabularies(tmp_path):
    rows = [f"{a}\t{b}" for a, b in zip(ENGLISH, HINDI, strict=True)]
    assert chosen(tmp_path, "translate", rows).new_vocabulary is None


@pytest.mark.parametrize(
    "more",
    [
        {"from_scratch": True},
        {"start_from": "sentiment"},
        {"model": {"d_model": 64}},
        {"text": {"pieces": "unigram"}},
    ],
)
def test_who_has_decided_is_not_asked(tmp_path, more):
    assert chosen(tmp_path, "classify", [f"good\t{text}" for text in ENGLISH], **more) is None


def test_a_handful_of_rows_is_learnt_by_heart_from_scratch(tmp_path):
    file = tmp_path / "rows.tsv"
    file.write_text("good\ta warm film\nbad\ta dull film\n", encoding="utf-8")
    values = {"task": "classify", "out": "new", "data": {"train": [file]}}
    assert starting_point(values, draft(values, "here")) is None


def test_the_licence_goes_along(tmp_path):
    file = tmp_path / "rows.tsv"
    file.write_text("".join(f"{n % 2}\t{ENGLISH[n % 3]} {n}\n" for n in range(ROWS)), encoding="utf-8")
    begun = Draft.of({"task": "classify", "out": tmp_path / "new", "data": {"train": [file]}}, "here")
    assert begun.start_from.manifest.name == "english"
    assert "CC BY-NC-SA 4.0" in begun.said
    assert "for commercial use --start-from en-hi (CC BY-SA 4.0);" in begun.said


def test_from_scratch_contradicts_a_pack(tmp_path):
    with pytest.raises(DhyanError, match="leave one of them out"):
        chosen(tmp_path, "classify", ["good\tso it is"], from_scratch=True, start_from="english")


LIKED = """the actors make every minute count
you will leave the cinema smiling
it earns every one of its tears
a small story told with great care
the best thing its director has done in years
even the quiet scenes hold you
clever without showing off
its heart is in the right place
the ending stays with you for days
a feast for the eyes and ears
worth seeing twice
it never takes the easy way out
the whole cast is on fine form
a rare treat for grown-ups
smart writing and a lot of warmth
one of the finest debuts of the year"""
NOT = """you will want your two hours back
the jokes land with a thud
nobody in it seems to care
a good idea that goes nowhere
it looks like it was shot in an afternoon
the plot makes no sense at all
loud and hollow from the first scene
even the dog looks bored
a long way to go for so little
the sequel that nobody had asked for
it mistakes noise for feeling
the dialogue sounds like a bad translation
there is not one honest moment in it
you can see every twist coming
a waste of a talented cast
skip it and read the book"""


def test_opinions_start_from_the_classifier_of_opinions(tmp_path):
    """Its vectors tell them apart, and those of `english` do less; of other labels it is the other way."""
    rows = [f"{label}\t{text}" for label, some in (("liked", LIKED), ("not", NOT)) for text in some.splitlines()]
    found = chosen(tmp_path, "classify", rows)
    assert found.pack == "sentiment"
    assert "a linear probe of it is right in" in found.said
    assert "CC BY-NC-SA 4.0" in found.said
    topics = ["trains\twe took the last train home", "food\tshe did not like the food at all"]
    assert chosen(tmp_path, "classify", topics).pack == "english"
