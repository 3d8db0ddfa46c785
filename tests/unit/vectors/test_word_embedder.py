"""A word's vector is the reference's, at every layer, for an encoder alone and for a translator's."""

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.text.words import find_word
from dhyan.vectors.word_embedder import WordEmbedder, encoder_of, pieces_at, window_around
from support.packs import random_pack

SENTENCE = "the river bank flows"


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


def embedded(embedder, text, word="bank"):
    return embedder([text], [find_word(word, text)[0]])[0]


@pytest.mark.parametrize("shape", ["encoder", "encoder-decoder"])
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("layer", [1, 2, None])
def test_each_layer_is_the_references(tmp_path, shape, norm, layer):
    pack = random_pack(tmp_path / "pack", shape, norm=norm)
    found = embedded(WordEmbedder(pack, layer, threads=1), SENTENCE)
    model = NumpyTransformer(pack.manifest.architecture, pack.weights)
    trace = model.trace(source=[*pack.source_tokenizer.encode(SENTENCE), END])
    part = f"enc.{(layer or 2) - 1}.ffn"
    stream = trace[f"{part}.added" if norm == "pre" else f"{part}.normed"]
    begin = SENTENCE.index("bank")  # pieces are characters here
    expected = model.settled("enc", stream)[begin : begin + 4].mean(axis=0)
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-4)


def test_layer_0_knows_no_context_and_the_others_do(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder-decoder")
    for layer, same in ((0, True), (1, False)):
        embedder = WordEmbedder(pack, layer, threads=1)
        first, second = (embedded(embedder, text) for text in ("the river bank", "the money bank"))
        assert np.allclose(first, second, atol=1e-6) == same


def test_a_word_far_beyond_the_window_is_read_with_what_stands_around_it(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder", max_positions=32)
    embedder = WordEmbedder(pack, threads=1)
    long = "the river flows and " * 20 + "the money bank grows" + " and the river flows" * 20
    found = embedded(embedder, long)
    ids, place = pieces_at(pack.tokenizer, long, find_word("bank", long)[0])
    first, last = window_around(len(ids), place, 31)
    assert first < place[0] < place[1] < last
    model = NumpyTransformer(pack.manifest.architecture, pack.weights)
    near = model.trace(source=[*ids[first:last], END])["enc.output"]
    expected = near[place[0] - first : place[1] - first].mean(axis=0)
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-4)
    assert not np.allclose(found, embedded(embedder, long.replace("money", "river")), atol=1e-3)  # context counts


def test_the_sentence_can_stand_beside_the_word(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder")
    both = WordEmbedder(pack, threads=1, with_sentence=True)
    found = embedded(both, SENTENCE)
    assert found.shape == (both.width,) == (96,)
    word, sentence = found[:48] * np.sqrt(2), found[48:] * np.sqrt(2)
    np.testing.assert_allclose(word, embedded(WordEmbedder(pack, threads=1), SENTENCE), atol=1e-5)
    model = NumpyTransformer(pack.manifest.architecture, pack.weights)
    pooled = model.trace(source=[*pack.tokenizer.encode(SENTENCE), END])["pool"]
    np.testing.assert_allclose(sentence, pooled / np.linalg.norm(pooled), atol=1e-4)


@pytest.mark.parametrize(
    ("length", "place", "window"), [(9, (4, 5), (0, 9)), (50, (0, 1), (0, 10)), (50, (49, 50), (40, 50))]
)
def test_windows_stay_inside_the_text(length, place, window):
    assert window_around(length, place, 10) == window


def test_what_has_no_such_layer_says_so(tmp_path):
    with pytest.raises(DhyanError, match="has no encoder"):
        encoder_of(random_pack(tmp_path / "decoder", "decoder"))
    with pytest.raises(DhyanError, match="layers 1 to 2"):
        encoder_of(random_pack(tmp_path / "encoder", "encoder"), 3)
