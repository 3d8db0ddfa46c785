"""Sparse products by PyTorch are NumPy's, and so is what is fitted with them."""

import numpy as np

from dhyan.training.assessment.sparse_products import FastSparseMatrix
from dhyan.vectors.baselines import BagOfWords
from dhyan.vectors.label_ratios import label_ratios
from dhyan.vectors.logistic_regression import LogisticRegression

TEXTS = ["a good film", "a bad film", "good good acting", "bad", "nothing here", "?", "a long film with good parts"]
LABELS = np.array([1, 0, 1, 0, 2, 2, 1])


def test_products_are_the_same():
    slow = BagOfWords("tf-idf", TEXTS)([*TEXTS, "unknown"])
    fast, draw = FastSparseMatrix.of(slow), np.random.default_rng(0)
    for one, other in ((slow, fast), (slow.T, fast.T), (slow[np.array([4, 0])], fast[np.array([4, 0])])):
        numbers = draw.normal(size=(one.shape[1], 3))
        np.testing.assert_allclose(other @ numbers, one @ numbers, atol=1e-12)


def test_a_word_of_one_label_has_the_largest_ratio():
    bag = BagOfWords("tf-idf", TEXTS)
    ratios = label_ratios(FastSparseMatrix.of(bag(TEXTS)), LABELS, 3)
    by_word = {word: ratios[column] for word, column in bag.column.items()}
    assert max(by_word, key=lambda word: by_word[word][0]) == "bad"
    assert by_word["a"][1] < by_word["good"][1]


def test_weights_on_a_larger_scale_grow_further():
    vectors = np.eye(2, dtype=np.float32)[[0, 1, 0, 1]]
    labels = np.array([0, 1, 0, 1])
    plain = LogisticRegression(vectors, labels, 2)
    scaled = LogisticRegression(vectors, labels, 2, scales=np.array([[3.0, 3.0], [1.0, 1.0]]))
    assert abs(scaled.weights[0, 0]) > abs(plain.weights[0, 0])
    assert abs(scaled.weights[0, 0]) > abs(scaled.weights[1, 0])
