"""Occlusion: hide a word of the given text and see what it costs. Attention weights only say where a model looks.

A hidden word is treated as padding is: no attention may look at it, and it is left out of a sentence's mean. Sixteen
at a time go through the model together, one row per hidden word.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dhyan.explain.beam_trace import log_probabilities
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array, cosine
from dhyan.explain.numpy_model import UNRECORDED, Mask, NumpyTransformer
from dhyan.explain.token_view import merge_columns
from dhyan.explain.trace import Trace

BATCH = 16  # hidden words per run of the model: more would only fill the memory


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


def occlude(explanation: Explanation, progress: Callable[[int], object] = lambda done: None) -> Occlusion:
    """progress: called with the number of words that have been hidden so far."""
    words = [word for word in explanation.source.words if not word.special]
    source = tuple(word.text for word in words)
    shift = 0 if explanation.architecture.has_encoder else 1  # behind the start mark
    visible = np.ones((len(words), len(explanation.source) + shift + _written_after(explanation)), dtype=bool)
    for row, word in enumerate(words):
        visible[row, word.start + shift : word.end + shift] = False
    parts = [visible[begin : begin + BATCH] for begin in range(0, len(words), BATCH)]
    if explanation.architecture.has_decoder:
        found = []
        for number, part in enumerate(parts, start=1):
            found.append(written_log_probabilities(explanation, explanation.model, part))
            progress(min(number * BATCH, len(words)))
        hidden = np.concatenate(found)  # (source words, pieces)
        rows = explanation.first_row + np.arange(len(explanation.written))
        whole = explanation.array("dec.out.logprobs")[rows, explanation.written.ids]
        tokens = np.asarray(hidden - whole).T
        change = merge_columns(tokens.T, explanation.written.words).T
        target = tuple(word.text for word in explanation.written.words)
        return Occlusion(source, target, change, tokens, "change of log-probability")
    change, target, measure = _of_encoder(explanation, parts)
    return Occlusion(source, target, change, change, measure)


def _written_after(explanation: Explanation) -> int:
    """A decoder alone reads what it has written, too; that is never hidden."""
    return 0 if explanation.architecture.has_encoder else len(explanation.target) - 1 - len(explanation.source)


def written_log_probabilities(
    explanation: Explanation, model: NumpyTransformer, visible: Mask | None = None
) -> Array:
    """(…, pieces): of each written token, were it written all the same by a changed model, or with words hidden."""
    memory = None
    if explanation.architecture.has_cross:
        memory = model.encode(UNRECORDED, explanation.source.ids, visible)  # (…, positions, d_model)
    x = model.embed(UNRECORDED, "dec", explanation.target.ids, model.embedding)
    mask, source_mask = model.masks(x.shape[-2], visible, has_source=memory is not None)
    x = model.through_decoder(UNRECORDED, x, memory, mask, source_mask)[..., explanation.first_row :, :]
    logprobs = log_probabilities(model.logits(x))  # (…, pieces, vocabulary)
    return np.asarray(logprobs[..., np.arange(len(explanation.written)), explanation.written.ids])


def likelihood(explanation: Explanation, model: NumpyTransformer) -> float:
    """How much a changed model still says what was said: the sum of log-probabilities; an embedder's is a cosine."""
    if explanation.architecture.has_decoder:
        return float(written_log_probabilities(explanation, model).sum())
    found = Trace()
    model.heads_on_top(found, model.encode(UNRECORDED, explanation.source.ids))
    if explanation.architecture.labels:
        return float(np.log(found.array("cls.probs")[int(explanation.array("cls.probs").argmax())]))
    return cosine(found.array("pool"), explanation.array("pool"))


def _of_encoder(explanation: Explanation, parts: list[Mask]) -> tuple[Array, tuple[str, ...], str]:
    found = []
    for visible in parts:
        hidden = Trace()
        explanation.model.heads_on_top(
            hidden, explanation.model.encode(UNRECORDED, explanation.source.ids, visible), visible
        )
        found.append(hidden)
    if explanation.architecture.labels:
        logs = np.log(np.concatenate([hidden.array("cls.probs") for hidden in found]))  # (hidden words, labels)
        change = np.asarray(logs - np.log(explanation.array("cls.probs"))).T
        return change, tuple(explanation.labels), "change of log-probability"
    vectors = np.concatenate([hidden.array("pool") for hidden in found])  # (hidden words, d_model)
    whole = explanation.array("pool")
    cosine = vectors @ whole / np.linalg.norm(vectors, axis=1) / np.linalg.norm(whole)
    return np.asarray(cosine - 1)[None], ("the sentence's vector",), "cosine with the whole sentence's vector, less 1"
