"""One word in two sentences: the same vector at the bottom, another one at the top. What lies between is context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.explain.analyses.logit_lens import streams
from dhyan.explain.formulas import Array, cosine
from dhyan.explain.token_view import Word, piece_of

if TYPE_CHECKING:
    from dhyan.explain.explanation import Explanation


@dataclass(frozen=True, slots=True)
class TwoContexts:
    """How alike a word's vectors are in two sentences, stage by stage: exactly 1 where only the word counts."""

    word: str
    stages: tuple[str, ...]  # embedded, input (with its position), enc.0, enc.1, …
    cosines: tuple[float, ...]


def compare_contexts(first: Explanation, second: Explanation, word: str) -> TwoContexts:
    """The cosine of a word's vectors in two sentences; a word of several pieces is the mean of them."""
    pairs = zip(word_vectors(first, word), word_vectors(second, word), strict=True)
    layers = (f"enc.{number}" for number in range(first.architecture.encoder_layers))
    return TwoContexts(word, ("embedded", "input", *layers), tuple(cosine(one, other) for one, other in pairs))


def word_vectors(trace: Explanation, word: str) -> list[Array]:
    """The vector (d_model,) of a word of the given text at each stage of the encoder."""
    if not trace.architecture.has_encoder:
        raise DhyanError("a decoder alone reads to the left only; words in context are for packs with an encoder.")
    found = find_word(trace, word)
    rows = slice(found.start, found.end)
    return [array[rows].mean(axis=0) for array in (trace.whole("enc.embedded"), *streams(trace, "enc"))]


def find_word(trace: Explanation, word: str) -> Word:
    words = [one for one in trace.source.words if not one.special]
    for one in words:
        if one.text.casefold() == word.strip().casefold():
            return one
    hint = did_you_mean(word, [one.text for one in words])
    raise DhyanError(f"'{word}' is not a word of '{trace.question.text}'{hint}.")


def neighbours(trace: Explanation, vector: Array, top: int = 8) -> list[tuple[str, float]]:
    """The pieces whose embeddings point most nearly where a vector does, with the cosine."""
    table = trace.whole("enc.E")
    lengths = np.maximum(np.linalg.norm(table, axis=1) * np.linalg.norm(vector), 1e-12)
    alike = table @ vector / lengths
    order: Sequence[int] = np.argsort(-alike, kind="stable")[:top].tolist()
    return [(piece_of(trace.explainer.tokenizer, number), float(alike[number])) for number in order]
