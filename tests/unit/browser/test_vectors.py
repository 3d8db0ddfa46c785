"""Vectors and labels in a tab are those of Dhyan, as far as int8 tells."""

import numpy as np
import pytest
from fastapi.testclient import TestClient
from tests.support.javascript import call_javascript

from dhyan.core.label_kind import joined_labels, label_probabilities
from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.pack.pack import find_pack
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from dhyan.vectors.answers import answers
from dhyan.vectors.classifier import Classifier
from dhyan.vectors.embedder import Embedder
from support.packs import random_pack

MODELS = "../../../../tests/support/vectors.mjs"  # from the browser's modules
TEXTS = ["The river bank was flooded.", "Money in the bank", "", "word " * 700]  # the last one is read in windows
REVIEWS = ["A wonderful film, not boring at all.", "What a waste of time.", "It was fine, I suppose."]


def test_vectors_point_where_those_of_dhyan_do():
    (found,) = call_javascript(MODELS, "embedded", [[str(find_pack("english")), TEXTS]])
    vectors = np.array(found["data"], dtype=np.float32).reshape(found["shape"])
    expected = Embedder.load("english")(TEXTS)
    assert vectors.shape == expected.shape
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors * expected).sum(axis=1).min() > 0.998
    assert np.allclose(vectors @ vectors.T, expected @ expected.T, atol=0.02)


def test_a_words_head_counts_in_a_tab_as_it_does_in_dhyan(tmp_path):
    pack = random_pack(tmp_path / "worded", "encoder", positions="rotary", words=True)
    texts = ["The river's bank, the BANK!", "नदी का घर, और पैसे का घर", "half ½, Straße, İstanbul", "?"]
    (found,) = call_javascript(MODELS, "classified", [[str(pack.folder), texts]])
    for one, other in zip(found, Classifier(pack, NumpyEngine(pack)).classify(texts), strict=True):
        assert one["probabilities"] == pytest.approx(
            other.probabilities, abs=0.02
        )  # the Transformer's are int8 there
    (logits,) = call_javascript(MODELS, "wordsLogits", [[str(pack.folder), texts]])
    assert np.allclose(logits, pack.words_head.logits(texts), atol=1e-4)


def test_labels_and_their_probabilities():
    (found,) = call_javascript(MODELS, "classified", [[str(find_pack("sentiment")), REVIEWS]])
    for one, other in zip(found, Classifier.load("sentiment").classify(REVIEWS), strict=True):
        assert one["label"] == other.label
        assert list(one["probabilities"]) == list(other.probabilities)
        for label, probability in other.probabilities.items():
            assert abs(one["probabilities"][label] - probability) < 0.03


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("kind", ["several", "number"])
def test_several_labels_and_numbers_are_those_of_dhyan(tmp_path, kind, words):
    pack = random_pack(tmp_path / "other", "encoder", positions="rotary", words=words, label_kind=kind)
    texts = ["The river's bank, the BANK!", "नदी का घर, और पैसे का घर", "half ½, Straße, İstanbul", "?"]
    folder = str(pack.folder)
    (found,) = call_javascript(MODELS, "classified", [[folder, texts]])
    for one, other in zip(found, Classifier(pack, NumpyEngine(pack)).classify(texts), strict=True):
        assert one["labels"] == list(other.labels)
        assert one["probabilities"] == pytest.approx(other.probabilities, abs=0.02)  # int8 in a tab
        assert one["value"] == (None if kind == "several" else pytest.approx(other.value, abs=0.05))
        assert one["label"] == (other.label if kind == "several" else f"{one['value']:.6g}")

    (told,) = call_javascript(MODELS, "answered", [[folder, texts]])
    with TestClient(create_app(ServedPacks({"other": pack.folder})), base_url="http://127.0.0.1") as client:
        expected = client.post("/api/v1/classify", json={"texts": texts, "model": "other"}).json()
    assert [one.keys() for one in told] == [one.keys() for one in expected]
    assert [one.get("labels") for one in told] == [one.get("labels") for one in expected]
    assert told == [{name: one[name] for name in expected[0]} for one in found]


def test_labels_hold_from_the_same_probability_on():
    rows = np.array([[0, -1e-6, 1e-6], [-200, 200, 0.5], [-3, -2, -1], [1, 1, 1]], dtype=np.float32)
    names = ["a", "10", "9"]
    for kind in ("one", "several"):
        found = call_javascript("core/label-kind.js", "labelProbabilities", [[row.tolist(), kind] for row in rows])
        assert np.allclose(found, [label_probabilities(row, kind) for row in rows], atol=1e-7)
        (said,) = call_javascript("vectors/answers.js", "answers", [[kind, names, rows.tolist()]])
        assert [one["labels"] for one in said] == [list(one.labels) for one in answers(kind, names, rows)]
    several = [[], ["a"], ["a", "b"]]
    assert call_javascript("core/label-kind.js", "joinedLabels", [[one] for one in several]) == [
        joined_labels(one) for one in several
    ]
