"""Texts to numbers the old ways: one-hot, TF-IDF and Word2Vec, used like a pack, to compare with one.

A word has one number, or one vector, whatever stands around it. Each is fitted on the texts at hand, or on others.
"""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.text.words import words_of
from dhyan.vectors.arrays import Vectors
from dhyan.vectors.word2vec import WordVectors, learnt_from

Method = Literal["one-hot", "tf-idf", "word2vec"]
METHODS: tuple[str, ...] = get_args(Method)


class BagOfWords:
    """A column for each word of the texts: 1 where it occurs (one-hot), or the more the rarer it is (TF-IDF)."""

    def __init__(self, method: Literal["one-hot", "tf-idf"], texts: Sequence[str]) -> None:
        self.method = method
        weighed = method == "tf-idf"
        self.vectorizer = TfidfVectorizer(
            analyzer=words_of, binary=not weighed, use_idf=weighed, sublinear_tf=weighed, norm="l2", dtype=np.float32
        )
        try:
            self.vectorizer.fit(texts)
        except ValueError:  # scikit-learn found no word
            raise DhyanError(f"there is no word in these texts for {method} to learn; give others.") from None

    @property
    def width(self) -> int:
        return len(self.vectorizer.vocabulary_)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """(texts, words), sparse, each row of length 1; zeros where no word is known."""
        return self.vectorizer.transform(texts)


Static = BagOfWords | WordVectors


def static_embedder(method: Method, texts: Sequence[str], reporter: Progress) -> Static:
    """The method fitted on these texts."""
    return learnt_from(texts, reporter) if method == "word2vec" else BagOfWords(method, texts)
