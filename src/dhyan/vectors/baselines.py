"""Static baselines: one-hot, TF-IDF and Word2Vec, used like a pack, to compare with one.

A word has one number, or one vector, whatever stands around it. Each is fitted on the texts at hand, or on others.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeGuard, get_args

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress
from dhyan.text.likeness import STEPS, Likeness
from dhyan.text.words import runs_of, words_of
from dhyan.vectors.arrays import SparseMatrix
from dhyan.vectors.word2vec import Word2Vec, fitted_word2vec

Method = Literal["one-hot", "tf-idf", "word2vec"]
METHODS: tuple[str, ...] = get_args(Method)


class BagOfWords:
    """A column for each word of the texts: 1 where it occurs (one-hot), or the more the rarer it is (TF-IDF).

    TF-IDF of a word is (1 + ln count) · (1 + ln((1 + texts) / (1 + texts that hold it))). With `longest` 2, two words
    in a row count as a word, too. Words that fewer than `fewest` texts hold are left out.
    """

    def __init__(
        self, method: Literal["one-hot", "tf-idf"], texts: Sequence[str], longest: int = 1, fewest: int = 1
    ) -> None:
        self.method, self.longest = method, longest
        self.likeness: Likeness | None = None
        holding = Counter(word for text in texts for word in set(self.words(text)))
        kept = sorted(word for word, there in holding.items() if there >= fewest)
        if not kept:
            raise DhyanError(f"there is no word in these texts for {method} to learn; give others.")
        self.column = {word: number for number, word in enumerate(kept)}
        self.idf = {word: 1 + math.log((1 + len(texts)) / (1 + holding[word])) for word in kept}

    def words(self, text: str) -> list[str]:
        return [*runs_of(words_of(text), self.longest), *(self.likeness.steps(text) if self.likeness else [])]

    def learn_likeness(self) -> None:
        """Texts are pairs: from now on how alike they are counts, too, each step like the rarest word."""
        self.likeness = Likeness({word: self.idf[word] for word in self.column})
        for step in STEPS:
            self.column[step] = len(self.column)
            self.idf[step] = self.likeness.rarest

    @property
    def width(self) -> int:
        return len(self.column)

    def __call__(self, texts: Sequence[str]) -> SparseMatrix:
        """(texts, words), each row of length 1; zeros where no word is known."""
        rows: list[int] = []
        columns: list[int] = []
        values: list[float] = []
        for row, text in enumerate(texts):
            counts = Counter(word for word in self.words(text) if word in self.column)
            weights = {word: self._weight(word, count) for word, count in counts.items()}
            length = math.hypot(*weights.values())
            rows += [row] * len(weights)
            columns += [self.column[word] for word in weights]
            values += [weight / length for weight in weights.values()]
        shape = len(texts), self.width
        return SparseMatrix(shape, np.array(rows, np.intp), np.array(columns, np.intp), np.array(values, np.float32))

    def _weight(self, word: str, count: int) -> float:
        return (1 + math.log(count)) * self.idf[word] if self.method == "tf-idf" else 1.0


Baseline = BagOfWords | Word2Vec


def is_method(name: str | None) -> TypeGuard[Method]:
    return name in METHODS


def fitted_baseline(method: Method, texts: Sequence[str], progress: Progress) -> Baseline:
    """The method fitted on these texts."""
    return fitted_word2vec(texts, progress) if method == "word2vec" else BagOfWords(method, texts)
