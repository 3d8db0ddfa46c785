"""`dhyan.load` gives what a pack was trained for, and it does that."""

import numpy as np
import pytest

import dhyan
from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.loading import load
from support.packs import TEXT, random_pack


@pytest.fixture(autouse=True)
def own_places(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DHYAN_HOME", str(tmp_path / "home"))


def test_a_classifier_labels_with_probabilities(tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder")
    classify = dhyan.load(tmp_path / "pack", compute="float32", threads=1)
    found = classify.classify(TEXT)
    reference = NumpyTransformer(pack.manifest.architecture, pack.weights)
    for text, one in zip(TEXT, found, strict=True):
        expected = reference.trace(source=[*pack.tokenizer.encode(text), END])["cls.probs"]
        assert one.label == pack.manifest.labels[int(expected.argmax())]
        assert [one.probabilities[label] for label in pack.manifest.labels] == pytest.approx(expected, abs=1e-3)
        assert list(one.probabilities.values()) == sorted(one.probabilities.values(), reverse=True)
    assert classify(TEXT[0]) == found[0].label
    assert classify([]) == []


def test_an_embedder_gives_unit_vectors_and_reads_long_texts_whole(tmp_path):
    random_pack(tmp_path / "pack", "encoder", max_positions=32)
    embed = load(tmp_path / "pack", task="embed", threads=1)
    vectors = embed(TEXT)
    assert vectors.shape == (3, 48)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embed(TEXT[0]).shape == (48,)
    long = " ".join(TEXT * 20)
    assert abs(embed(long) - embed(long[:40])).max() > 1e-3  # the end counts too
    np.testing.assert_allclose(embed([TEXT[1], long])[1], embed(long), atol=1e-4)


def test_a_writer_streams_and_a_seed_writes_the_same(tmp_path):
    random_pack(tmp_path / "pack", "decoder")
    write = dhyan.load(tmp_path / "pack", threads=1)
    settings = {"max_length": 12, "sample": True, "temperature": 1.5}
    assert write("the bank", seed=3, **settings) == write("the bank", seed=3, **settings)
    assert len({write("the bank", seed=seed, **settings) for seed in range(6)}) > 1
    assert "".join(write.stream("the bank", seed=3, **settings)) == write("the bank", seed=3, **settings)
    greedy = {"max_length": 12, "sample": False}
    assert write("the bank", seed=1, **greedy) == write("the bank", seed=2, **greedy)
    with pytest.raises(DhyanError, match="temperature"):
        write("the bank", temperature=-1)
    with pytest.raises(DhyanError, match="top_p"):  # float32 has no such number
        write("the bank", top_p=1e-300)


def test_packs_are_found_by_name(tmp_path):
    random_pack(tmp_path / "home" / "packs" / "my-writer", "decoder")
    assert dhyan.load("my-writer", threads=1).pack.manifest.task == "write"
    with pytest.raises(DhyanError, match="did you mean 'my-writer'"):
        dhyan.load("my-wirter")
    with pytest.raises(DhyanError, match="a pack for `dhyan write`, not for `dhyan translate`"):
        load("my-writer", task="translate")
