"""The English encoder that comes with Dhyan: sentences that mean the same are near, and a word knows its context."""

import json

import numpy as np
import pytest

import dhyan
from dhyan.pack.pack import open_pack
from dhyan.vectors.word_embedder import WordEmbedder
from support.commands import dhyan as command
from support.packaged import folder_of, rows_of, size_of, told_by

ALIKE = rows_of("alike.tsv")  # a text, one that means the same, one that does not
BANKS = rows_of("banks.tsv")  # the sense of *bank*, a sentence
LEAST_NEARER, LEAST_FOUND, LEAST_SENSES = 0.85, 0.85, 0.9  # it had 22 and 23 of 24, and all 16
MOST_BYTES = 11_000_000


@pytest.fixture(scope="module")
def embed(alone):
    return dhyan.load("english", threads=1)


def test_what_means_the_same_is_nearer_than_what_does_not(embed):
    text, same, other = (embed([row[column] for row in ALIKE]) for column in range(3))  # (rows, d_model) each
    nearer = (text * same).sum(axis=1) > (text * other).sum(axis=1)
    assert nearer.mean() >= LEAST_NEARER, [ALIKE[row] for row in np.flatnonzero(~nearer)]
    found = (text @ same.T).argmax(axis=1) == np.arange(len(ALIKE))  # among the partners of all
    assert found.mean() >= LEAST_FOUND, [ALIKE[row] for row in np.flatnonzero(~found)]


def test_a_bank_is_told_from_a_bank(alone):
    """The nearest other sentence has the word in the same sense. Without context all of them are the same."""
    senses = np.array([sense for sense, _ in BANKS])
    texts = [text for _, text in BANKS]
    places = [(text.index("bank"), text.index("bank") + 4) for text in texts]

    def right(layer):
        vectors = WordEmbedder(open_pack(folder_of("english")), layer, "int8", threads=1)(texts, places)
        likeness = vectors @ vectors.T
        np.fill_diagonal(likeness, -np.inf)
        return (senses[likeness.argmax(axis=1)] == senses).mean()

    assert right(0) <= 0.6
    assert right(4) >= LEAST_SENSES


def test_it_is_small_and_its_card_says_what_it_is():
    assert size_of("english") <= MOST_BYTES
    manifest, card = told_by("english")
    assert manifest.licence == "CC BY-NC-SA 4.0"
    for words in ("STS-B", "CoarseWSD-20", "captions", "masked", "non-commercial", "bad at", "TF-IDF"):
        assert words in card, words
    assert any(name.startswith("STS-B") for name in manifest.metrics)


def test_it_is_the_one_that_is_used_by_default(alone, tmp_path):
    query = ["similar", "a dog is running", "--among", "texts.txt", "--json"]
    (tmp_path / "texts.txt").write_text("a cat sleeps\nthe dog runs quickly\nshares fell on Monday\n")
    first = json.loads(command(*query, folder=tmp_path).stdout.splitlines()[0])
    assert "the dog runs quickly" in json.dumps(first)
