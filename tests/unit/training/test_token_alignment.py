"""Which tokens translate each other, from pairs alone."""

import random

import pytest

from dhyan.training import token_alignment
from dhyan.training.token_alignment import token_translations

WORDS = 30


def shuffled_pairs(count, seed=0):
    """Word n is word 100 + n of the other language, where words stand in another order; 7 is often added there."""
    draw = random.Random(seed)
    for _ in range(count):
        ids = draw.sample(range(WORDS), 6)
        theirs = [100 + one for one in ids]
        draw.shuffle(theirs)
        yield ids, [*theirs, *([7] if draw.random() < 0.5 else [])]


def test_words_find_their_translations_in_any_order():
    found = token_translations(shuffled_pairs(400), WORDS)
    best = {}
    for token, theirs, probability in zip(*found, strict=True):
        best[token] = max(best.get(token, (0.0, 0)), (probability, theirs))
    assert {token: theirs for token, (_, theirs) in best.items()} == {one: 100 + one for one in range(WORDS)}
    assert min(probability for probability, _ in best.values()) > 0.6


def test_probabilities_of_a_token_are_a_distribution():
    found = token_translations(shuffled_pairs(50), WORDS)
    for token in range(WORDS):
        assert 0 < found.probabilities[found.tokens == token].sum() <= 1 + 1e-9


def test_too_many_pairs_are_cut_and_none_are_none(monkeypatch):
    assert [len(part) for part in token_translations([], WORDS)] == [0, 0, 0]
    assert [len(part) for part in token_translations([([1, 2], [])], WORDS)] == [0, 0, 0]
    monkeypatch.setattr(token_alignment, "MOST_LINKS", 50)  # of the first pair alone
    found = token_translations([([1], [101] * 20), ([2], [102] * 20)], WORDS)
    assert set(found.tokens.tolist()) == {1}


@pytest.mark.parametrize("pairs", [[([3], [103])], [([3, 3], [103])]])
def test_a_single_pair_is_enough(pairs):
    found = token_translations(pairs, WORDS)
    assert (found.tokens.tolist(), found.theirs.tolist(), found.probabilities.tolist()) == ([3], [103], [1.0])
