"""A language that a pack does not know: its tokens begin as what they stand for."""

import numpy as np
import pytest

from dhyan.core.special_tokens import SPECIAL
from dhyan.engines.base import start_engine
from dhyan.pack.pack import find_pack, read_pack
from dhyan.text.tokenizer import Tokenizer
from dhyan.training import new_vocabulary
from dhyan.training.new_vocabulary import new_embeddings
from dhyan.training.replay import general_text
from dhyan.translation.sentence_translator import SentenceTranslator

pytestmark = pytest.mark.long

SENTENCES = 300
OFTEN = 25  # times that a word stands in the text


def in_cipher(text):
    """A language nobody knows: every word of Hindi is written in other letters."""
    return " ".join("".join(chr(0x10D0 + ord(letter) % 33) for letter in word) for word in text.split())


@pytest.fixture(scope="module")
def translated():
    """(pack, sentences in the language that it reads, in the one that it writes)"""
    pack = read_pack(find_pack("en-hi"))
    sources = general_text("en", "hi").sources[:SENTENCES]
    return pack, sources, SentenceTranslator(pack, start_engine(pack))(sources)


def words_near_their_meaning(embeddings, old, old_tokenizer, tokenizer, hindi):
    """Of the frequent words that are one token on both sides: how many lie nearest to what they stand for."""
    words = " ".join(hindi).split()
    often = sorted({word for word in words if words.count(word) >= OFTEN})
    pairs = [(old_tokenizer.encode(word), tokenizer.encode(in_cipher(word))) for word in often]
    pairs = [(a[0], b[0]) for a, b in pairs if len(a) == len(b) == 1]
    assert len(pairs) > 10
    unit = old / np.linalg.norm(old, axis=1, keepdims=True)
    return np.mean([int((unit @ embeddings[new]).argmax()) == known for known, new in pairs])


@pytest.mark.parametrize("side", ["target", "source"])
def test_frequent_words_begin_as_what_they_stand_for(translated, side, monkeypatch):
    en_hi, english, hindi = translated
    cipher = [in_cipher(text) for text in hindi]
    pack = en_hi if side == "target" else read_pack(find_pack("hi-en"))
    pairs = list(zip(english, cipher, strict=True) if side == "target" else zip(cipher, english, strict=True))
    tokenizer = Tokenizer.train(cipher, pack.manifest.text, 1500, exact=False)
    found = new_embeddings(pack, side, tokenizer, pairs, seed=1)
    name = "dec.E" if side == "target" else "enc.E"
    assert found[name].shape == (tokenizer.size, pack.manifest.architecture.d_model)
    assert np.isfinite(found[name]).all()
    assert np.array_equal(found[name][: len(SPECIAL)], pack.weights[name][: len(SPECIAL)])
    near = words_near_their_meaning(found[name], pack.weights[name], pack.tokenizers[side], tokenizer, hindi)
    assert near > 0.6
    monkeypatch.setattr(new_vocabulary, "_ids_of_both", lambda *asked: iter(()))  # without it: by chance
    blind = new_embeddings(pack, side, tokenizer, pairs, seed=1)[name]
    assert words_near_their_meaning(blind, pack.weights[name], pack.tokenizers[side], tokenizer, hindi) < 0.2


def test_the_same_seed_gives_the_same_embeddings(translated):
    pack, english, hindi = translated
    pairs = [(one, in_cipher(other)) for one, other in zip(english[:40], hindi[:40], strict=True)]
    tokenizer = Tokenizer.train([text for _, text in pairs], pack.manifest.text, 700, exact=False)
    first, again, other = (new_embeddings(pack, "target", tokenizer, pairs, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["dec.E"], other["dec.E"])
