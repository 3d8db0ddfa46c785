"""The words head beside a classifier, number by number: tf-idf · weight for each word that it knows of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from dhyan.explain.formulas import Array
from dhyan.explain.token_view import Tokens
from dhyan.explain.trace import Trace
from dhyan.pack.words_head import IDF, B, W, WordsHead
from dhyan.text.words import run_spans, words_of


@dataclass(frozen=True)
class KnownWords:
    """Of one text the words that a words head knows (words in a row count as one), and where its tokens stand."""

    words: tuple[str, ...]
    rows: NDArray[np.intp]  # (words,): of each the row of `cls.words.W`
    word: NDArray[np.intp]  # (occurrences,): each is an occurrence of one of the words
    made_of: NDArray[np.bool_]  # (occurrences, tokens)

    @classmethod
    def of(cls, head: WordsHead, text: str, tokens: Tokens) -> KnownWords:
        every = words_of(text)
        tokens_of = _tokens_of_words(every, tokens)  # (words of the text, tokens)
        number: dict[str, int] = {}
        word, made_of = [], []
        for begin, end in run_spans(len(every), head.longest):
            run = " ".join(every[begin:end])
            if run in head.column:
                word.append(number.setdefault(run, len(number)))
                made_of.append(tokens_of[begin:end].any(axis=0))
        for step in head.steps(text):  # of the pair as it stands, whatever is hidden of it
            word.append(number.setdefault(step, len(number)))
            made_of.append(np.zeros(len(tokens), dtype=bool))
        rows = np.array([head.column[run] for run in number], dtype=np.intp)
        there = np.array(made_of, dtype=bool).reshape(-1, len(tokens))
        return cls(tuple(number), rows, np.array(word, dtype=np.intp), there)

    def counts(self, visible: NDArray[np.bool_] | None = None) -> Array:
        """(…, words): how often each is there. visible: (…, tokens), False for one that nobody may look at."""
        which = np.eye(len(self.words), dtype=np.float32)[self.word]  # (occurrences, words)
        if visible is None:
            return np.asarray(which.sum(axis=0))
        hidden = (self.made_of & ~visible[..., None, :]).any(axis=-1)  # (…, occurrences)
        return np.asarray((~hidden).astype(np.float32) @ which)


def words_logits(
    trace: Trace, known: KnownWords, weights: Mapping[str, Array], visible: NDArray[np.bool_] | None = None
) -> Array:
    """(…, labels): what the words add to the Transformer's logits."""
    counts = trace.record("cls.words.counts", known.counts(visible))  # (…, words)
    weighted = np.where(counts > 0, (1 + np.log(np.maximum(counts, 1))) * weights[IDF][known.rows], np.float32(0))
    weighted = trace.record("cls.words.weighted", weighted)
    length = np.linalg.norm(weighted, axis=-1, keepdims=True)
    tf_idf = trace.record("cls.words.tf_idf", weighted / np.where(length > 0, length, np.float32(1)))
    parts = trace.record("cls.words.parts", tf_idf[..., None] * weights[W][known.rows])  # (…, words, labels)
    return trace.record("cls.words", parts.sum(axis=-2) + weights[B])


def label_logits(trace: Mapping[str, Array]) -> Array:
    """(…, labels): all that the softmax makes the labels' probabilities of."""
    return trace["cls.logits"] + trace["cls.words"] if "cls.words" in trace else trace["cls.logits"]


def _tokens_of_words(words: Sequence[str], tokens: Tokens) -> NDArray[np.bool_]:
    """(words, tokens): which tokens each word of the text is made of."""
    there = [(one, word) for word in tokens.words if not word.special for one in words_of(word.text)]
    found = np.zeros((len(words), len(tokens)), dtype=bool)
    matched = SequenceMatcher(None, words, [one for one, _ in there], autojunk=False)
    for kind, a, b, c, d in matched.get_opcodes():
        for at in range(a, b):  # some tokenizers write a word otherwise; its place is between its neighbours
            for _, word in there[c + at - a : c + at - a + 1] if kind == "equal" else there[c:d]:
                found[at, word.start : word.end] = True
    return found
