"""A word in its context: how its vector changes by layer, between two sentences, and when other words are hidden."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.explain.analyses.logit_lens import residual_stream
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array, cosine
from dhyan.explain.label_scores import answer_address
from dhyan.explain.token_view import Word
from dhyan.explain.trace import UNRECORDED, Trace


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


def word_vectors(explanation: Explanation, word: str) -> list[Array]:
    """The vector (d_model,) of a word of the given text at each stage of the encoder."""
    if not explanation.architecture.has_encoder:
        raise DhyanError("a decoder alone reads to the left only; words in context are for packs with an encoder.")
    found = find_word(explanation, word)
    rows = slice(found.start, found.end)
    return [
        array[rows].mean(axis=0)
        for array in (explanation.array("enc.embedded"), *residual_stream(explanation, "enc"))
    ]


def find_word(explanation: Explanation, word: str) -> Word:
    words = [one for one in explanation.source.words if not one.special]
    for one in words:
        if one.text.casefold() == word.strip().casefold():
            return one
    hint = did_you_mean(word, [one.text for one in words])
    raise DhyanError(f"'{word}' is not a word of '{explanation.question.text}'{hint}.")


def neighbours(explanation: Explanation, vector: Array, top: int = 8) -> list[tuple[str, float]]:
    """The pieces whose embeddings point most nearly where a vector does, with the cosine; no marks, no bytes."""
    tokenizer = explanation.source_tokenizer
    first = tokenizer.first_learned
    table = explanation.array("enc.E")[first:]
    lengths = np.maximum(np.linalg.norm(table, axis=1) * np.linalg.norm(vector), 1e-12)
    alike = table @ vector / lengths
    alike[[number - first for number in tokenizer.special_ids if number >= first]] = -np.inf
    order: Sequence[int] = np.argsort(-alike, kind="stable")[:top].tolist()
    return [(explanation.source_piece(first + number), float(alike[number])) for number in order]


def moved_by(explanation: Explanation, word: str) -> list[tuple[str, float]]:
    """Each other word, and 1 − the cosine of `word`'s last vector with it and without it."""
    here = find_word(explanation, word)
    others = [one for one in explanation.source.words if not one.special and one != here]
    if not others:
        return []
    visible = np.ones((len(others), len(explanation.source)), dtype=bool)
    for row, one in enumerate(others):
        visible[row, one.start : one.end] = False
    hidden = explanation.model.encode(
        UNRECORDED, explanation.source.ids, visible
    )  # (hidden words, positions, d_model)
    before = explanation.array("enc.output")[here.start : here.end].mean(axis=0)
    after = hidden[:, here.start : here.end].mean(axis=1)  # (hidden words, d_model)
    return [(one.text, 1 - cosine(before, vector)) for one, vector in zip(others, after, strict=True)]


def principal_plane(vectors: Sequence[Array]) -> Array:
    """(points, 2): the vectors, made as long as 1, on their first two principal components."""
    points = np.stack([vector / max(1e-12, float(np.linalg.norm(vector))) for vector in vectors])
    centred = points - points.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    directions = directions[:2]
    farthest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    directions = np.where(farthest < 0, -directions, directions)  # one of two signs
    found = np.zeros((len(points), 2), dtype=np.float32)
    found[:, : len(directions)] = centred @ directions.T
    return found


def with_words_hidden(explanation: Explanation, hidden: Sequence[int]) -> tuple[dict[str, float], float]:
    """An encoder's labels, and the cosine of the sentence's vector with the whole one's, when words are hidden.

    hidden: numbers of the given text's words, special ones not counted.
    """
    words = [word for word in explanation.source.words if not word.special]
    visible = np.ones(len(explanation.source), dtype=bool)
    for number in hidden:
        visible[words[number].start : words[number].end] = False
    run = Trace()
    explanation.model.heads_on_top(
        run, explanation.model.encode(UNRECORDED, explanation.source.ids, visible), visible
    )
    names, address = explanation.pack.manifest.labels, answer_address(explanation.label_kind)
    labels = dict(zip(names, map(float, run.array(address)), strict=True)) if names else {}
    return labels, cosine(run.array("pool"), explanation.array("pool"))
