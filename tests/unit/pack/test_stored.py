"""Packs of format 1, written by the first release, load for ever: the same words, the same numbers.

They were trained by `dhyan train` of Dhyan 0.1.0 and are never written again. Between them they have all three
shapes, storages, kinds of pieces and positions, both places of the norm and all three activations.
"""

from pathlib import Path

import numpy as np
import pytest

import dhyan
from dhyan.explain.explainer import Explainer
from dhyan.pack.pack import read_pack
from dhyan.training.recipe import read_recipe

STORED = Path(__file__).parents[2] / "stored" / "pack-format-1"

# pack, text, address → the last row's first numbers, as Dhyan 0.1.0 computed them
NUMBERS = [
    ("translator", "Thank you", "enc.0.self.h0.weights", [0.0600009, 0.011249, 0.430977, 0.0104799]),
    ("translator", "Thank you", "enc.output", [-0.537511, -2.1469, -0.0648635, 0.891947]),
    ("translator", "Thank you", "dec.0.cross.h1.weights", [0.0238124, 0.0376462, 0.867629, 0.0671649]),
    ("translator", "Thank you", "dec.out.logits", [-2.1296, -2.62396, 0.0756618, 12.8294]),
    ("classifier", "a good film", "enc.0.self.h1.weights", [0.0111081, 0.0150507, 0.0250775, 0.113143]),
    ("classifier", "a good film", "enc.output", [0.625118, -1.13854, 0.921779, -0.472913]),
    ("classifier", "a good film", "cls.logits", [-4.014476, 3.6711853]),
    ("writer", "the river", "dec.0.self.h0.weights", [0.0105382, 0.0102521, 0.0313984, 5.28207e-05]),
    ("writer", "the river", "dec.out.logits", [-1.65343, -3.51272, 0.0888622, -5.04159]),
]


@pytest.mark.parametrize(("pack", "text", "address", "expected"), NUMBERS)
def test_the_numbers_are_the_same(pack, text, address, expected):
    explanation = Explainer(read_pack(STORED / pack)).explain(text)
    last_row = np.atleast_2d(explanation[address])[-1]
    np.testing.assert_allclose(last_row[: len(expected)], expected, rtol=2e-5)


@pytest.mark.parametrize("storage", ["float32", "bfloat16", "int8"])
def test_every_storage_is_among_them(storage):
    assert storage in {read_pack(folder).manifest.storage for folder in STORED.iterdir()}


def test_the_translator_translates():
    translator = dhyan.load(STORED / "translator")
    texts = ["How are you?", "Congratulations", "Thank you", "I am fine"]
    assert [translator(text) for text in texts] == ["आप कैसे हैं", "बधाई हो", "धन्यवाद", "मैं बढ़िया हूँ"]


def test_the_classifier_classifies():
    assert dhyan.load(STORED / "classifier")(["a good film", "what a bad film"]) == ["good", "bad"]


def test_the_writer_writes():
    assert dhyan.load(STORED / "writer")("the river", sample=False, max_length=20) == " is long and the roa"


@pytest.mark.parametrize("pack", ["translator", "classifier", "writer"])
def test_their_recipes_can_be_read(pack):
    assert read_recipe(STORED / pack / "recipe.toml")["task"] == read_pack(STORED / pack).manifest.task
