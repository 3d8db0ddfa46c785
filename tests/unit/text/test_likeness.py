"""How alike two texts are, in steps that count like words."""

import pytest

from dhyan.text.likeness import STEPS, Likeness, on_one_line
from dhyan.text.words import words_of

KNOWN = Likeness({"a": 1.0, "man": 2.0, "guitar": 4.0, "घर": 3.0})


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("A man, a guitar", "the guitar of a man", (1 + 4 + 16) / ((1 + 4 + 16) * (1 + 4 + 16 + 16 + 16)) ** 0.5),
        ("मेरा घर", "घर", 3 / 5),  # a word that is not known is as rare as the rarest
        ("a man", "A MAN!", 1.0),
        ("a man", "guitar", 0.0),
        ("?", "?", 0.0),
    ],
)
def test_it_is_the_cosine_of_the_words_by_their_rarity(first, second, alike):
    assert KNOWN.of(first, second) == KNOWN.of(second, first) == pytest.approx(alike)


def test_steps_are_those_that_a_pair_has_reached():
    assert KNOWN.steps("a man\ta man") == list(STEPS)
    assert KNOWN.steps("a man\tguitar") == []
    assert KNOWN.steps("मेरा घर\tघर") == list(STEPS[:12])  # over 0, 5, … 55 %; 60 % itself is not over 60
    assert KNOWN.steps("a man") == KNOWN.steps("a\tman\tguitar") == []


def test_no_word_is_written_like_a_step():
    assert not set(STEPS) & set(words_of(" ".join(STEPS)))


def test_on_one_line_there_is_one_tab_between_two_texts():
    assert on_one_line(["a\tman", "guitar"]) == "a man\tguitar"
    assert on_one_line(["a\tman"]) == "a man"
