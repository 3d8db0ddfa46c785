"""Weights for another vocabulary: known pieces keep their rows, new ones are the mean of what spells them."""

import numpy as np
import pytest

from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from dhyan.training.transfer_vocabulary import in_old_tokens, spell, transfer_vocabulary

TEXTS = ["the water is cold", "the winter is colder", "water the garden", "पानी ठंडा है", "सर्दी है"] * 3


def learn(texts, vocabulary, pieces="bpe"):
    return Tokenizer.train(texts, TextSettings(pieces=pieces), vocabulary, exact=False)


@pytest.fixture(scope="module")
def theirs():
    return learn(TEXTS, 460)


def test_the_longest_known_beginning_comes_first():
    known = {" wa": 7, " w": 1, "a": 2, "ter": 3, "t": 4, "e": 5, "r": 6}
    assert spell(" water", known) == [7, 3]
    assert spell(" wet", known) == [1, 5, 4]


def test_a_character_that_is_not_known_is_spelt_in_bytes():
    known = {"a": 9} | {f"<0x{byte:02X}>": byte for byte in range(256)}
    assert spell("aé", known) == [9, 0xC3, 0xA9]


@pytest.mark.parametrize("mine", [learn(TEXTS, 400), learn([*TEXTS, "snow ❄ falls in December"], 480),
                                  learn(TEXTS, 999, "characters")])  # fmt: skip
def test_every_piece_is_spelt_as_it_is(theirs, mine):
    spellings = in_old_tokens(theirs, mine)
    assert len(spellings) == mine.size
    assert spellings[:5] == [[0], [1], [2], [3], [4]]  # <pad>, <start> and the like
    for number in range(mine.first_learned, mine.size):
        assert theirs.decode(spellings[number]).lstrip(" ") == mine.piece(number).lstrip(" ")


def test_known_pieces_keep_their_rows_and_new_ones_get_the_mean(theirs):
    mine = learn([*TEXTS, "snow falls in December"] * 2, 480)
    rows = np.random.default_rng(1).normal(size=(theirs.size, 4)).astype(np.float32)
    weights = {"enc.E": rows, "mlm.b": rows[:, 0], "enc.norm.gamma": np.ones(4, np.float32)}
    changed = transfer_vocabulary(weights, {"source": theirs}, {"source": mine})
    assert changed["enc.E"].shape == (mine.size, 4)
    assert changed["enc.E"].dtype == np.float32
    assert changed["mlm.b"].shape == (mine.size,)
    assert changed["enc.norm.gamma"] is weights["enc.norm.gamma"]
    spellings = in_old_tokens(theirs, mine)
    assert {len(ids) > 1 for ids in spellings} == {False, True}
    for number, ids in enumerate(spellings):
        np.testing.assert_allclose(changed["enc.E"][number], rows[ids].mean(0), rtol=1e-5, atol=1e-6)


def test_the_same_vocabulary_changes_nothing(theirs):
    rows = np.zeros((theirs.size, 4), np.float32)
    same = Tokenizer.from_json(theirs.to_json())
    assert transfer_vocabulary({"dec.E": rows}, {"target": theirs}, {"target": same})["dec.E"] is rows


def test_a_side_that_only_one_has_stays(theirs):
    rows = np.zeros((theirs.size, 4), np.float32)
    found = transfer_vocabulary(
        {"enc.E": rows, "dec.E": rows}, {"source": theirs, "target": theirs}, {"source": theirs}
    )
    assert found["dec.E"] is rows
