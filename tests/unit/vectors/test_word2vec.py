"""Words that keep the same company get vectors that lie together."""

import random

import numpy as np
import torch

from dhyan.core.progress import Progress
from dhyan.vectors.word2vec_training import WINDOW, _pairs, train_word2vec

CIRCLES = [["boat", "river", "fish", "water"], ["bread", "oven", "flour", "cake"]]


def test_words_of_one_circle_lie_together():
    draw = random.Random(1)
    sentences = [[draw.choice(circle) for _ in range(8)] for _ in range(300) for circle in CIRCLES]
    words, vectors = train_word2vec(sentences, Progress(), torch.device("cpu"))
    assert sorted(words) == sorted(CIRCLES[0] + CIRCLES[1])
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    together = np.array([[any({a, b} <= set(circle) for circle in CIRCLES) for b in words] for a in words])
    own = np.eye(len(words), dtype=bool)
    assert cosine[together & ~own].mean() > cosine[~together].mean() + 0.5
    again = train_word2vec(sentences, Progress(), torch.device("cpu"))
    np.testing.assert_array_equal(again[1], vectors)


def test_pairs_stay_in_their_sentence_and_window():
    text = np.arange(40, dtype=np.int32)
    sentence = np.repeat([0, 1], [25, 15]).astype(np.int32)
    pairs = _pairs(text, sentence, np.random.default_rng(0))
    distance = np.abs(pairs[:, 0] - pairs[:, 1])
    assert distance.min() == 1
    assert distance.max() == WINDOW
    assert (sentence[pairs[:, 0]] == sentence[pairs[:, 1]]).all()
    assert {(i, i + 1) for i in range(24)} <= set(map(tuple, pairs.tolist()))  # the next word always counts
