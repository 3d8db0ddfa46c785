"""A words head fitted: TF-IDF with whatever linear model the answers ask for."""

from collections.abc import Sequence

import numpy as np

from dhyan.pack.words_head import WordsHead
from dhyan.vectors.baselines import BagOfWords
from dhyan.vectors.linear_fit import Fit, Targets

MOST_WORDS = 60_000  # that a head learns: the most frequent ones
LONGEST = 2  # words in a row that count as one


def fit_words_head(texts: Sequence[str], targets: Targets, fit: Fit, longest: int) -> WordsHead:
    """targets: a row for each text, as `fit` takes them."""
    bag = BagOfWords("tf-idf", texts, longest, fewest=1 if longest == 1 else 2)
    if bag.width > MOST_WORDS:
        rarest = sorted(bag.column, key=lambda word: (bag.idf[word], word))[MOST_WORDS:]
        for word in rarest:
            del bag.column[word]
        bag.column = {word: number for number, word in enumerate(bag.column)}
    found = fit(bag(texts), targets)
    return WordsHead(
        longest,
        bag.column,
        np.array([bag.idf[word] for word in bag.column], dtype=np.float32),
        found.weights.astype(np.float32, order="C"),
        found.bias.astype(np.float32),
    )
