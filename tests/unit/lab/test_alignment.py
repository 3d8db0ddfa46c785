"""Alignments by hand, their error rate, and whether cross-attention comes near them."""

import numpy as np
import pytest

from dhyan.core.progress import Progress
from dhyan.lab.data.parallel_sentences import ALIGNED, PAIRS, Aligned
from dhyan.lab.experiments.alignment import EXPERIMENT, WAYS, AlignmentKnobs, Errors, diagonal, error_rate, strongest
from dhyan.lab.framework.inputs import open_translator
from dhyan.pack.pack import BUILT_IN

EN_HI = str(BUILT_IN / "en-hi")
needs_pack = pytest.mark.skipif(not (BUILT_IN / "en-hi").exists(), reason="the English→Hindi pack is not there")


@pytest.mark.parametrize("one", ALIGNED, ids=lambda one: one.english)
def test_links_by_hand_point_at_words(one):
    english, hindi = one.english.split(), one.hindi.split()
    assert len(one.links.split()) == len(hindi)
    assert all(0 <= source < len(english) and 0 <= target < len(hindi) for source, target in one.pairs(disputed=True))
    assert one.pairs(disputed=False) <= one.pairs(disputed=True)


def test_there_are_enough_sentences():
    assert len(ALIGNED) >= 15
    assert len(set(PAIRS)) == len(PAIRS) <= 40


def test_error_rate():
    gold = Aligned("a b c", "क ख ग", "1 2 2?")
    assert error_rate([Errors.of(gold, {(0, 0), (1, 1)})]) == 0
    assert error_rate([Errors.of(gold, {(0, 0), (1, 1), (1, 2)})]) == 0  # a disputed link neither helps nor hurts
    assert error_rate([Errors.of(gold, {(2, 0), (2, 1)})]) == 1
    assert error_rate([Errors.of(gold, {(0, 0), (2, 1)})]) == pytest.approx(0.5)


def test_links_go_to_the_largest_weight():
    assert strongest(np.array([[0.1, 0.9], [0.6, 0.4]])) == {(1, 0), (0, 1)}
    assert strongest(diagonal(3, 3)) == {(0, 0), (1, 1), (2, 2)}


@needs_pack
def test_cross_attention_finds_the_words():
    knobs = AlignmentKnobs(pack=EN_HI, sentences=5)
    found = EXPERIMENT.measure(knobs, "all", 0, Progress())
    assert set(found["errors"]) == set(WAYS)
    assert found["errors"]["chosen"] < found["errors"]["diagonal"]
    assert found["errors"]["occlusion"] < found["errors"]["diagonal"]
    result = EXPERIMENT.conclude(knobs, {"all": [found]})
    assert result.verdict != "did not hold"
    assert [plot.name for plot in result.plots] == ["chosen-head", "occlusion", "every-head", "error-rates"]


@needs_pack
def test_words_are_those_of_the_trace():
    one = ALIGNED[0]
    trace = open_translator(EN_HI).explain(one.english, target=one.hindi)
    assert list(trace.alignment.source) == one.english.split()
    assert list(trace.alignment.target) == one.hindi.split()
