"""The sentiment pack that comes with Dhyan: what it tells, how small it is, what its card says."""

from pathlib import Path

import pytest

import dhyan
from support.packaged import folder_of, rows_of, size_of, told_by

ROWS = rows_of("sentiment.tsv")  # label, text; written for this test
LEAST_RIGHT = 0.9  # it had 39 of 40
MOST_BYTES = 6_000_000


@pytest.fixture(scope="module")
def classify(alone):
    return dhyan.load("sentiment", threads=1)


def test_most_sentences_get_the_right_label(classify):
    found = classify([text for _, text in ROWS])
    missed = [(text, label) for (right, text), label in zip(ROWS, found, strict=True) if label != right]
    assert len(missed) <= (1 - LEAST_RIGHT) * len(ROWS), missed


def test_a_review_longer_than_the_window_is_read_to_its_end(classify):
    dull = "The plot makes no sense and the acting is terrible. " * 120
    assert classify(dull) == "negative"
    ends_well = classify.classify(f"{dull}{'A wonderful, charming and brilliant film that I loved. ' * 400}")
    assert ends_well.label == "positive"


def test_it_is_small_and_its_card_says_what_it_is():
    assert size_of("sentiment") <= MOST_BYTES
    manifest, card = told_by("sentiment")
    assert manifest.licence == "CC BY-NC-SA 4.0"
    for words in ("SST-2", "IMDB", "non-commercial", "bad at", "CNN", "TF-IDF"):
        assert words in card, words
    assert {"SST-2 test", "IMDB test"} <= set(manifest.metrics)


def test_it_is_the_one_that_is_used_by_default(alone, tmp_path):
    from support.commands import dhyan as command

    said = command("classify", "A warm and funny film.", folder=tmp_path).stdout
    assert said.startswith("positive")
    assert Path(folder_of("sentiment"), "recipe.toml").exists()
