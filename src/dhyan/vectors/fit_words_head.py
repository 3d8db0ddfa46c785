"""A words head fitted: TF-IDF with whatever linear model the answers ask for."""

from collections.abc import Callable, Sequence

import numpy as np

from dhyan.pack.words_head import WordsHead
from dhyan.text.likeness import BETWEEN
from dhyan.vectors.arrays import SparseMatrix
from dhyan.vectors.baselines import BagOfWords
from dhyan.vectors.linear_fit import Fit, Targets

MOST_WORDS = 60_000  # that a head learns: the most frequent ones
MOST_WEIGHTS = 3_000_000  # fewer words, where there are many labels
LONGEST = 2  # words in a row that count as one


def fit_words_head(
    texts: Sequence[str],
    targets: Targets,
    fit: Fit,
    longest: int,
    outputs: int = 1,
    matrix: Callable[[SparseMatrix], SparseMatrix] = lambda vectors: vectors,
) -> WordsHead:
    """targets: a row for each text, as `fit` takes them. outputs: labels. matrix: a kind with faster products."""
    bag = BagOfWords("tf-idf", texts, longest, fewest=1 if longest == 1 else 2)
    most = min(MOST_WORDS, MOST_WEIGHTS // outputs)
    if bag.width > most:
        rarest = sorted(bag.column, key=lambda word: (bag.idf[word], word))[most:]
        for word in rarest:
            del bag.column[word]
        bag.column = {word: number for number, word in enumerate(bag.column)}
    if all(BETWEEN in text for text in texts):
        bag.learn_likeness()
    found = fit(matrix(bag(texts)), targets)
    return WordsHead(
        longest,
        bag.column,
        np.array([bag.idf[word] for word in bag.column], dtype=np.float32),
        found.weights.astype(np.float32, order="C"),
        found.bias.astype(np.float32),
    )
