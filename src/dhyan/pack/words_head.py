"""The words head of a classifier: logits from which words a text has, added to those of the Transformer.

It is TF-IDF with logistic regression. Where labels hang on single words it knows more than a small Transformer does,
above all where labelled texts are few; how much each of the two counts is fitted on validation rows.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.core.json_object import read_json_object
from dhyan.pack.weights_file import Weights, load_weights, stored_shapes, to_safetensors
from dhyan.text.likeness import STEPS, Likeness
from dhyan.text.words import runs_of, words_of

WORDS, NUMBERS = "words.json", "words.safetensors"  # in the pack's folder
MOST_BYTES = 50_000_000  # of the words
MOST_IN_A_ROW = 5
IDF, W, B = "cls.words.idf", "cls.words.W", "cls.words.b"  # addresses of what was learnt


@dataclass(frozen=True)
class WordsHead:
    """logit = Σ over words of tf-idf · weight, plus a bias; the tf-idf of a text has length 1."""

    longest: int  # words in a row that count as one
    column: dict[str, int]
    idf: NDArray[np.float32]  # (words,)
    weights: NDArray[np.float32]  # (words, labels)
    bias: NDArray[np.float32]  # (labels,)

    def logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts, labels)"""
        return np.stack([self.parts(text)[1].sum(axis=0) + self.bias for text in texts])

    def parts(self, text: str) -> tuple[list[str], NDArray[np.float32]]:
        """The words that it knows of a text, and what each adds to the logits: (words, labels)."""
        counts: dict[str, int] = {}
        for word in [*runs_of(words_of(text), self.longest), *self.steps(text)]:
            if word in self.column:
                counts[word] = counts.get(word, 0) + 1
        columns = [self.column[word] for word in counts]
        values = (1 + np.log(np.array(list(counts.values()), dtype=np.float32))) * self.idf[columns]
        length = np.linalg.norm(values) or 1.0
        return list(counts), np.asarray((values / length)[:, None] * self.weights[columns], dtype=np.float32)

    def steps(self, text: str) -> list[str]:
        """How alike the two texts of a pair are, where the head has learnt from pairs; each step counts as a word."""
        return self._likeness.steps(text) if self._likeness else []

    @cached_property
    def _likeness(self) -> Likeness | None:
        if STEPS[0] not in self.column:
            return None
        return Likeness({word: float(self.idf[n]) for word, n in self.column.items() if word not in STEPS})

    def times(self, factor: float) -> "WordsHead":
        """The same, counting so much."""
        return replace(self, weights=self.weights * np.float32(factor), bias=self.bias * np.float32(factor))

    def plus(self, other: "WordsHead") -> "WordsHead":
        """Both added up, where they know the same words."""
        if (self.longest, self.column) != (other.longest, other.column) or not np.allclose(self.idf, other.idf):
            raise DhyanError("their words heads know different words and cannot be added up; take one of the packs.")
        return replace(self, weights=self.weights + other.weights, bias=self.bias + other.bias)

    def by_address(self) -> Weights:
        """What was learnt."""
        return {IDF: self.idf, W: self.weights, B: self.bias}

    def files(self) -> dict[str, bytes]:
        """What is stored of it in a pack's folder: in float32, whatever the Transformer is stored in."""
        described = {"longest": self.longest, "words": list(self.column)}
        arrays = {name: ("F32", np.ascontiguousarray(array)) for name, array in self.by_address().items()}
        return {WORDS: json.dumps(described, ensure_ascii=False).encode() + b"\n", NUMBERS: to_safetensors(arrays)}

    @classmethod
    def load(cls, folder: Path) -> "WordsHead":
        """Of a pack that was checked."""
        described, numbers = _described(folder), load_weights(folder / NUMBERS)
        column = {word: number for number, word in enumerate(described["words"])}
        return cls(described["longest"], column, numbers[IDF], numbers[W], numbers[B])


def words_head_problems(folder: Path, words: int, labels: int) -> list[str]:
    """What is wrong with the files of a head that is said to know so many words, before its numbers are read."""
    missing = [f"{name} is missing" for name in (WORDS, NUMBERS) if not (folder / name).is_file()]
    if missing:
        return missing
    try:
        known = len(_described(folder)["words"])
        shapes = stored_shapes(folder / NUMBERS)
    except DhyanError as error:
        return [str(error).rstrip(".")]
    if known != words:
        return [f"{WORDS} has {known} words where the description says {words}"]
    if shapes != {IDF: (words,), W: (words, labels), B: (labels,)}:
        return [f"{NUMBERS} does not hold numbers for {words} words and {labels} labels"]
    return []


def _described(folder: Path) -> dict[str, Any]:
    path = folder / WORDS
    try:
        found = read_json_object(path, MOST_BYTES)
    except (OSError, ValueError):
        found = {}
    words, longest = found.get("words"), found.get("longest")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise DhyanError(f"{path} has no list of words; copy the pack again.")
    if len(set(words)) < len(words):
        raise DhyanError(f"{path} has a word twice; copy the pack again.")
    if type(longest) is not int or not 1 <= longest <= MOST_IN_A_ROW:
        raise DhyanError(f"{path} does not say how many words in a row count as one; copy the pack again.")
    return found
