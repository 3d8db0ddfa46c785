"""Ids that come one by one become the same text as all at once, and no character is given out in halves."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhyan.text.incremental_decoder import IncrementalDecoder, whole_characters
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer

TEXTS = ["the river bank flows", "नदी का किनारा और क्षेत्र", "2 + 2 = 4"]
TOKENIZERS = {
    pieces: Tokenizer.train(TEXTS, TextSettings(pieces=pieces), 450, exact=False) for pieces in ("characters", "bpe")
}


def pieces_of(tokenizer, ids, before=()):
    decoder = IncrementalDecoder(tokenizer, before)
    return [*map(decoder.add, ids), decoder.end()]


@pytest.mark.parametrize("kind", TOKENIZERS)
@settings(max_examples=60, deadline=None)
@given(before=st.sampled_from(["", "the ", "नदी", "क", "é"]), text=st.text(max_size=20))
def test_pieces_joined_are_the_text(kind, before, text):
    tokenizer = TOKENIZERS[kind]
    ids = tokenizer.encode(before + text)
    for cut in range(0, len(ids), 3):
        front = tokenizer.decode(ids[:cut])
        if tokenizer.decode(ids).startswith(front):  # else the cut is inside a character
            assert front + "".join(pieces_of(tokenizer, ids[cut:], ids[:cut])) == tokenizer.decode(ids)


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_no_piece_begins_inside_a_character(kind):
    """Letters that the tokenizer knows, and letters of which it writes the bytes."""
    tokenizer = TOKENIZERS[kind]
    text = "क्षेत्र की नदियाँ हिंदी में। ज्ञान, தமிழ் 🙂 done"
    pieces = [piece for piece in pieces_of(tokenizer, tokenizer.encode(text)) if piece]
    assert "".join(pieces) == text
    assert len(pieces) > 8
    assert not [piece for piece in pieces if unicodedata.category(piece[0]).startswith("M") or "\ufffd" in piece]


def test_bytes_that_never_become_a_character_do_not_spoil_their_neighbours():
    tokenizer = TOKENIZERS["characters"]
    half = tokenizer.encode("ஐ")[:2]  # of three bytes
    whole, word = tokenizer.encode("ஜ"), tokenizer.encode("the")
    assert "".join(pieces_of(tokenizer, [*half, *word], before=whole)) == "\ufffd\ufffdthe"
    assert "".join(pieces_of(tokenizer, [*word, *half])) == "the\ufffd\ufffd"


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("", ""),
        ("the", "the"),
        ("नदी", "न"),
        ("नदी ", "नदी "),
        ("नदी।", "नदी।"),
        ("स्", ""),
        ("अस्त", "अ"),
        ("e\u0301", ""),
    ],
)
def test_what_may_be_joined_waits(text, certain):
    assert text[: whole_characters(text)] == certain
