"""A words head fitted: TF-IDF with logistic regression."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dhyan.pack.words_head import WordsHead
from dhyan.vectors.baselines import BagOfWords
from dhyan.vectors.logistic_regression import LogisticRegression

MOST_WORDS = 60_000  # that a head learns: the most frequent ones
LONGEST = 2  # words in a row that count as one


def fit_words_head(texts: Sequence[str], labels: NDArray[np.intp], count: int, longest: int) -> WordsHead:
    """labels: (texts,), numbers below `count`."""
    bag = BagOfWords("tf-idf", texts, longest, fewest=1 if longest == 1 else 2)
    if bag.width > MOST_WORDS:
        rarest = sorted(bag.column, key=lambda word: (bag.idf[word], word))[MOST_WORDS:]
        for word in rarest:
            del bag.column[word]
        bag.column = {word: number for number, word in enumerate(bag.column)}
    found = LogisticRegression(bag(texts), labels, count)
    return WordsHead(
        longest,
        bag.column,
        np.array([bag.idf[word] for word in bag.column], dtype=np.float32),
        _one_each(found.weights).astype(np.float32),
        _one_each(found.bias).astype(np.float32),
    )


def _one_each(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two labels share one column in a logistic regression: half of it for the second, half against the first."""
    last = values.shape[-1]
    return np.concatenate([-values / 2, values / 2], axis=-1) if last == 1 else values
