"""The static baselines give the numbers that their formulas say."""

import math

import numpy as np
import pytest

from dhyan.cli.options import BASELINES
from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.vectors.arrays import concatenated, dense
from dhyan.vectors.baselines import METHODS, BagOfWords, fitted_baseline
from dhyan.vectors.classifier import LinearProbe
from dhyan.vectors.word2vec import fitted_word2vec

TEXTS = ["the dog runs", "the cat sleeps", "नदी का किनारा", "the dog and the cat"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))


def test_the_commands_know_the_methods_by_the_same_names():
    assert tuple(BASELINES) == METHODS


def test_one_hot_is_one_where_a_word_is():
    embed = BagOfWords("one-hot", TEXTS)
    assert embed.width == 9
    vectors = dense(embed([*TEXTS, "unknown words"]))
    assert sorted(vectors[0][vectors[0] > 0]) == pytest.approx([1 / math.sqrt(3)] * 3)
    assert vectors[0] @ vectors[3] == pytest.approx(2 / math.sqrt(3 * 4))  # dog, the; "the" counts once
    assert not vectors[4].any()


def test_tf_idf_weighs_what_is_rare():
    embed = BagOfWords("tf-idf", TEXTS)
    row = dense(embed(["the runs"]))[0]
    column = embed.column
    idf = {word: math.log((1 + 4) / (1 + there)) + 1 for word, there in (("the", 3), ("runs", 1))}
    length = math.hypot(*idf.values())
    for word, weight in idf.items():
        assert row[column[word]] == pytest.approx(weight / length, abs=1e-6)


def test_batches_come_concatenated_whether_sparse_or_not():
    embed = BagOfWords("tf-idf", TEXTS)
    np.testing.assert_array_equal(dense(concatenated([embed(TEXTS[:1]), embed(TEXTS[1:])])), dense(embed(TEXTS)))
    np.testing.assert_array_equal(concatenated([np.ones((1, 2)), np.zeros((1, 2))]), [[1, 1], [0, 0]])


def test_texts_without_a_word_are_told():
    with pytest.raises(DhyanError, match="no word in these texts"):
        fitted_baseline("tf-idf", ["!!", "…"], Progress())


def test_word_vectors_are_learnt_once_and_kept(tmp_path, monkeypatch):
    first = fitted_word2vec(TEXTS, Progress())
    (file,) = (tmp_path / "cache").iterdir()
    monkeypatch.setattr("dhyan.vectors.word2vec._train", None)  # learning again would fail
    again = fitted_word2vec(TEXTS, Progress())
    assert again.words == first.words
    np.testing.assert_array_equal(again(TEXTS), first(TEXTS))
    np.testing.assert_allclose(np.linalg.norm(first([*TEXTS, "unknown"]), axis=1), [1, 1, 1, 1, 0], atol=1e-5)
    monkeypatch.undo()
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))
    file.write_bytes(file.read_bytes()[:50])  # a torn file is made anew
    np.testing.assert_allclose(fitted_word2vec(TEXTS, Progress())(TEXTS), first(TEXTS), atol=1e-5)


def test_a_probe_learns_labels_and_refuses_one_alone():
    texts = ["good fun", "bad plot", "good plot", "bad fun"] * 3
    labels = ["good", "bad"] * 6
    probe = LinearProbe(BagOfWords("tf-idf", texts), texts, labels)
    found = probe.classify(["a good one", "a bad one"])
    assert [one.label for one in found] == ["good", "bad"]
    assert sum(found[0].probabilities.values()) == pytest.approx(1)
    assert list(found[0].probabilities) == ["good", "bad"]
    with pytest.raises(DhyanError, match="every row has the label 'good'"):
        LinearProbe(BagOfWords("tf-idf", texts), texts, ["good"] * 12)
