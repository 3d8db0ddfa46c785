"""One vector per word against one per sentence: the measures, the sentences, and the direction of the effect."""

import numpy as np
import pytest

from dhyan.core.progress import Progress
from dhyan.lab.data.senses import WORDS
from dhyan.lab.experiments.static_vs_context import (
    EXPERIMENT,
    StaticVsContextKnobs,
    alike_by_sense,
    average_meaning,
    nearest_sense,
)
from dhyan.pack.pack import BUILT_IN

EN_HI = str(BUILT_IN / "en-hi")
needs_pack = pytest.mark.skipif(not (BUILT_IN / "en-hi").exists(), reason="the English→Hindi pack is not there")


@pytest.mark.parametrize("two", WORDS, ids=lambda two: two.word)
def test_the_word_is_spelt_alike_in_every_sentence(two):
    sentences = [sentence for of_sense in two.senses.values() for sentence in of_sense]
    assert len(set(sentences)) == len(sentences) >= 24
    spelt = {word for sentence in sentences for word in sentence.split() if word.casefold().strip(".,") == two.word}
    assert len(spelt) == 1


def test_one_vector_for_all_is_chance():
    labels = np.array(["money"] * 4 + ["river"] * 4)
    assert nearest_sense(np.ones((8, 3)), labels) == pytest.approx(3 / 7)
    apart = np.array([[1.0, 0.1 * i] for i in range(4)] + [[0.1 * i, 1.0] for i in range(4)])
    assert nearest_sense(apart, labels) == 1
    same, other = alike_by_sense(apart, labels)
    assert same > other


def test_the_average_apple_is_that_of_the_notes():
    found = average_meaning(0)
    assert found["static"] == pytest.approx([0.9, 0.1], abs=0.01)
    assert found["sweet"][0] > found["static"][0] > found["phone"][0]


@needs_pack
def test_context_tells_the_sense():
    knobs = StaticVsContextKnobs(pack=EN_HI, per_sense=12)
    measured = {case: [EXPERIMENT.measure(knobs, case, 0, Progress())] for case in EXPERIMENT.cases(knobs)}
    for two in WORDS:
        (found,) = measured[two.word]
        assert found["accuracy"][0] == pytest.approx(11 / 23)
        assert found["same"][0] == pytest.approx(1)
        assert found["accuracy"][-1] > 0.65
        assert found["same"][-1] > found["other"][-1]
    assert EXPERIMENT.conclude(knobs, measured).verdict == "held"
