"""BPE dropout: other pieces, the same text."""

import pytest

from dhyan.text.bpe_dropout import BpeDropout
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer

TEXTS = [
    "the river flows by the bank",
    "नदी किनारे के पास बहती है",
    "the banks of the rivers",
    "42 boats, 7 bridges!",
] * 5


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train(TEXTS, TextSettings(), 500, exact=False)


def test_nothing_left_out_is_the_tokenizer_itself(tokenizer):
    texts = [*TEXTS, "unseen Wörter 😀 and   blanks"]
    assert BpeDropout(tokenizer, 0.0, seed=1).encode_batch(texts) == tokenizer.encode_batch(texts)


def test_words_are_cut_in_several_ways_and_the_text_stays(tokenizer):
    dropout = BpeDropout(tokenizer, 0.3, seed=1)
    found = dropout.encode_batch(TEXTS)
    assert tokenizer.decode_batch(found) == TEXTS
    assert len({tuple(ids) for ids in found}) > len(set(TEXTS))  # the same text, cut differently
    assert sum(map(len, found)) > sum(map(len, tokenizer.encode_batch(TEXTS)))


def test_the_seed_decides(tokenizer):
    one, again, other = (BpeDropout(tokenizer, 0.3, seed).encode_batch(TEXTS) for seed in (1, 1, 2))
    assert one == again != other


def test_unigram_pieces_have_no_merges():
    unigram = Tokenizer.train(TEXTS, TextSettings(pieces="unigram"), 450, exact=False)
    with pytest.raises(ValueError, match="only BPE"):
        BpeDropout(unigram, 0.1, seed=1)
