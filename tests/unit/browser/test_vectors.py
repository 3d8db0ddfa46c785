"""Vectors and labels in a tab are those of Dhyan, as far as int8 tells."""

import numpy as np
import pytest
from tests.support.javascript import call_javascript

from dhyan.engines.numpy_engine import NumpyEngine
from dhyan.pack.pack import find_pack
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
