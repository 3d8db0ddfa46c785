"""Occlusion: hide a word of the given text and see what it costs. Attention weights only say where a model looks.

A hidden word is treated as padding is: no attention may look at it, and it is left out of a sentence's mean; a words
head does not count it, nor the pairs that it is part of. A few
words at a time go through the model together, one row per hidden word; what was found stays, so that whoever wants to
show it as it arrives can ask for some words first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array, cosine
from dhyan.explain.known_words import label_logits
from dhyan.explain.label_scores import answer_likelihood, label_scores, measure_of
from dhyan.explain.numpy_model import Mask, NumpyTransformer
from dhyan.explain.pictures import matrix
from dhyan.explain.token_view import merge_columns
from dhyan.explain.trace import UNRECORDED, Trace
from dhyan.model.architecture import Architecture

BATCH = 8  # hidden words per run of the model: enough for its matrix products, few enough to show progress


@dataclass(frozen=True)
class Occlusion:
    """change[i, j]: what hiding source word j changes about target word i, measured as `measure` says.

    Negative: the model needs the word. `tokens` is the same with one row per piece.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    change: Array  # (target words, source words)
    tokens: Array  # (target pieces, source words)
    measure: str

    def _repr_svg_(self) -> str:
        return matrix(self.change, self.target, self.source, f"occlusion: {self.measure}")


def occlude(explanation: Explanation, progress: Callable[[int], object] = lambda done: None) -> Occlusion:
    """progress: called with the number of words that have been hidden so far."""
    source = tuple(word.text for word in explanation.source.words if not word.special)
    for end in range(BATCH, len(source) + BATCH, BATCH):
        hide_each(explanation, range(end - BATCH, min(end, len(source))))
        progress(min(end, len(source)))
    tokens = hide_each(explanation, range(len(source))).T  # (target pieces, source words)
    if explanation.architecture.has_decoder:
        target = tuple(word.text for word in explanation.written.words)
        return Occlusion(source, target, by_target_words(explanation, tokens), tokens, "change of log-probability")
    if explanation.architecture.labels:
        measure = f"change of {measure_of(explanation.label_kind)}"
        return Occlusion(source, tuple(explanation.labels), tokens, tokens, measure)
    said = "cosine with the whole sentence's vector, less 1"
    return Occlusion(source, ("the sentence's vector",), tokens, tokens, said)


def can_hide(architecture: Architecture) -> bool:
    """Whether words of the given text can be hidden: attention can leave one out, a recurrent unit reads them all."""
    return architecture.has_encoder or architecture.decoder_self == "attention"


def check_can_hide(architecture: Architecture) -> None:
    if not can_hide(architecture):
        raise DhyanError("no word can be hidden from this model: its recurrent unit reads every token of the text.")


def hide_each(explanation: Explanation, numbers: Sequence[int]) -> Array:
    """(hidden words, pieces): what hiding each of these source words, alone, changes about each target piece.

    Of a classifier the columns are its labels, of an embedder the sentence's vector. numbers: special words are not
    counted. What was computed before is not computed again.
    """
    check_can_hide(explanation.architecture)
    known = explanation.once(_known)
    words = [word for word in explanation.source.words if not word.special]
    missing = [number for number in numbers if number not in known]
    if missing:
        shift = explanation.first_source_row
        visible = np.ones((len(missing), len(explanation.source) + shift + _written_after(explanation)), dtype=bool)
        for row, number in enumerate(missing):
            visible[row, words[number].start + shift : words[number].end + shift] = False
        known.update(zip(missing, _change(explanation, visible), strict=True))
    columns = (
        len(explanation.written) if explanation.architecture.has_decoder else explanation.architecture.labels or 1
    )
    return np.stack([known[number] for number in numbers]) if numbers else np.zeros((0, columns), dtype=np.float32)


def by_target_words(explanation: Explanation, tokens: Array) -> Array:
    """(target pieces, source words) → (target words, source words): log-probabilities of a word's pieces add up."""
    return merge_columns(tokens.T, explanation.written.words).T


def _known(_: Explanation) -> dict[int, Array]:
    """Number of a hidden word → what hiding it changes; filled as words are asked for."""
    return {}


def _written_after(explanation: Explanation) -> int:
    """A decoder alone reads what it has written, too; that is never hidden."""
    given = explanation.first_source_row + len(explanation.source)
    return 0 if explanation.architecture.has_encoder else len(explanation.target) - given


def _change(explanation: Explanation, visible: Mask) -> Array:
    """(hidden words, pieces), as `hide_each` gives it. visible: a row per hidden word."""
    if explanation.architecture.has_decoder:
        rows = explanation.first_row + np.arange(len(explanation.written))
        whole = explanation.array("dec.out.logprobs")[rows, explanation.written.ids]
        return np.asarray(written_log_probabilities(explanation, explanation.model, visible) - whole)
    hidden, model = Trace(), explanation.model
    model.heads_on_top(hidden, model.encode(UNRECORDED, explanation.source.ids, visible), visible)
    if explanation.architecture.labels:
        scores = [label_scores(explanation.label_kind, label_logits(one)) for one in (hidden, explanation.trace)]
        return np.asarray(scores[0] - scores[1])
    vectors, vector = hidden.array("pool"), explanation.array("pool")
    alike = vectors @ vector / np.linalg.norm(vectors, axis=1) / np.linalg.norm(vector)
    return np.asarray(alike - 1)[:, None]


def written_log_probabilities(
    explanation: Explanation, model: NumpyTransformer, visible: Mask | None = None
) -> Array:
    """(…, pieces): of each written token, were it written all the same by a changed model, or with words hidden."""
    memory = None
    if explanation.architecture.has_cross:
        memory = model.encode(UNRECORDED, explanation.source.ids, visible)  # (…, positions, d_model)
    x = model.decode_without_logits(UNRECORDED, explanation.target.ids, memory, visible)
    return log_probabilities_of(
        explanation.written.ids, model, x[..., explanation.first_row :, :], explanation.first_row
    )


def log_probabilities_of(ids: Sequence[int], model: NumpyTransformer, x: Array, first_row: int) -> Array:
    """(…, pieces, d_model) → (…, pieces): of one token each; those of all the others are never written down."""
    rows = x.reshape(-1, x.shape[-1])  # one matrix product, not one for each row of a batch
    logits = model.logits(rows).reshape(*x.shape[:-1], -1)
    logits = model.out(UNRECORDED, logits, first_row).reshape(len(rows), -1)  # (all pieces, vocabulary)
    logits[:, list(model.architecture.special.never_written)] = -np.inf
    logits -= logits.max(axis=-1, keepdims=True)
    chosen = logits[np.arange(len(rows)), np.resize(np.asarray(ids, dtype=np.intp), len(rows))]
    powers = np.exp(logits, out=logits)
    return np.asarray(chosen - np.log(powers.sum(axis=-1))).reshape(x.shape[:-1])


def likelihood(explanation: Explanation, model: NumpyTransformer) -> Array:
    """(…): how much a changed model still says what was said: log-probabilities added up; an embedder's is a cosine.

    One number, or one for each row of a model that has several (`NumpyTransformer.without_each_head`).
    """
    if explanation.architecture.has_decoder:
        return np.asarray(written_log_probabilities(explanation, model).sum(axis=-1))
    found = Trace()
    model.heads_on_top(found, model.encode(UNRECORDED, explanation.source.ids))
    if explanation.architecture.labels:
        own, changed = label_logits(explanation.trace), label_logits(found)
        return answer_likelihood(explanation.label_kind, own, changed)
    vectors, whole = found.array("pool"), explanation.array("pool")
    if vectors.ndim == 1:
        return np.asarray(cosine(vectors, whole))
    return np.asarray([cosine(vector, whole) for vector in vectors])
