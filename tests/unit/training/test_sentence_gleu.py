"""The nearest of several translations, against a count by hand."""

from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dhyan.training.sentence_gleu import Sequences, closest_candidates, gleu

CPU = torch.device("cpu")
IDS = st.lists(st.integers(0, 5), max_size=9)


def by_hand(text, reference):
    def runs(ids):
        return Counter(tuple(ids[at : at + size]) for size in range(1, 5) for at in range(len(ids) - size + 1))

    ours, theirs = runs(text), runs(reference)
    return (ours & theirs).total() / max(ours.total(), theirs.total(), 1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(IDS, IDS), max_size=6))
def test_it_counts_the_runs_that_both_have(pairs):
    texts, references = (Sequences.of([pair[side] for pair in pairs], CPU) for side in (0, 1))
    found = gleu(texts, references)
    assert found.tolist() == pytest.approx([by_hand(*pair) for pair in pairs])


def test_the_nearest_is_chosen_and_the_first_of_equals(monkeypatch):
    monkeypatch.setattr("dhyan.training.sentence_gleu.SLICE", 2)
    candidates = [[[1, 2, 3], [1, 2, 4]], [[9], [8], [7]], [[5, 6], [6, 5], [5, 6, 7]]]
    assert closest_candidates(candidates, [[1, 2, 4, 4], [3], [5, 6, 7, 8]], CPU) == [1, 0, 2]
    assert closest_candidates([], [], CPU) == []


def test_texts_are_repeated_in_place():
    texts = Sequences.of([[1, 2], [], [3, 4, 5]], CPU).repeated(torch.tensor([2, 3, 1]))
    assert texts.ids.tolist() == [1, 2, 1, 2, 3, 4, 5]
    assert texts.lengths.tolist() == [2, 2, 0, 0, 0, 3]
