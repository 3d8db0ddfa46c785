"""Occlusion: hide a word of the given text and see what it costs. Weights say where a model looks, this what counts.

A hidden word is treated as padding is: no attention may look at it, and it is left out of a sentence's mean. All
hidings go through the model together, each a row of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dhyan.explain.analyses.beam_trace import log_probabilities
from dhyan.explain.formulas import Array, cosine
from dhyan.explain.numpy_model import UNRECORDED, Mask, NumpyTransformer
from dhyan.explain.token_view import merge_columns
from dhyan.explain.trace import Trace

if TYPE_CHECKING:
    from dhyan.explain.explanation import Explanation

AT_ONCE = 16  # hidings that go through together: more would only fill the memory


@dataclass(frozen=True)
class Occlusion:
    """change[i, j]: what hiding source word j changes about target word i, measured as `measure` says.

    Negative: the model needs the word. `tokens` is the same with a row a piece.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    change: Array  # (target words, source words)
    tokens: Array  # (target pieces, source words)
    measure: str


def occlude(trace: Explanation, progress: Callable[[int], object] = lambda done: None) -> Occlusion:
    """progress: is told how many words have been hidden so far."""
    words = [word for word in trace.source.words if not word.special]
    source = tuple(word.text for word in words)
    shift = 0 if trace.architecture.has_encoder else 1  # behind the start mark
    visible = np.ones((len(words), len(trace.source) + shift + _written_after(trace)), dtype=bool)
    for row, word in enumerate(words):
        visible[row, word.start + shift : word.end + shift] = False
    parts = [visible[begin : begin + AT_ONCE] for begin in range(0, len(words), AT_ONCE)]
    if trace.architecture.has_decoder:
        found = []
        for number, part in enumerate(parts, start=1):
            found.append(written_log_probabilities(trace, trace.model, part))
            progress(min(number * AT_ONCE, len(words)))
        hidden = np.concatenate(found)  # (source words, pieces)
        rows = trace.first_row + np.arange(len(trace.written))
        whole = trace.whole("dec.out.logprobs")[rows, trace.written.ids]
        tokens = np.asarray(hidden - whole).T
        change = merge_columns(tokens.T, trace.written.words).T
        target = tuple(word.text for word in trace.written.words)
        return Occlusion(source, target, change, tokens, "change of log-probability")
    change, target, measure = _of_encoder(trace, parts)
    return Occlusion(source, target, change, change, measure)


def _written_after(trace: Explanation) -> int:
    """A decoder alone reads what it has written, too; that is never hidden."""
    return 0 if trace.architecture.has_encoder else len(trace.target) - 1 - len(trace.source)


def written_log_probabilities(trace: Explanation, model: NumpyTransformer, visible: Mask | None = None) -> Array:
    """(…, pieces): of each written token, were it written all the same by a changed model, or with words hidden."""
    memory = None
    if trace.architecture.has_cross:
        memory = model.encode(UNRECORDED, trace.source.ids, visible)  # (…, positions, d_model)
    x = model.embed(UNRECORDED, "dec", trace.target.ids, model.embedding)
    mask, source_mask = model.masks(x.shape[-2], visible, has_source=memory is not None)
    x = model.through_decoder(UNRECORDED, x, memory, mask, source_mask)[..., trace.first_row :, :]
    logprobs = log_probabilities(model.logits(x))  # (…, pieces, vocabulary)
    return np.asarray(logprobs[..., np.arange(len(trace.written)), trace.written.ids])


def likelihood(trace: Explanation, model: NumpyTransformer) -> float:
    """How much a changed model still says what was said: the sum of log-probabilities; an embedder's is a cosine."""
    if trace.architecture.has_decoder:
        return float(written_log_probabilities(trace, model).sum())
    found = Trace()
    model.heads_on_top(found, model.encode(UNRECORDED, trace.source.ids))
    if trace.architecture.labels:
        return float(np.log(found.whole("cls.probs")[int(trace.whole("cls.probs").argmax())]))
    return cosine(found.whole("pool"), trace.whole("pool"))


def _of_encoder(trace: Explanation, parts: list[Mask]) -> tuple[Array, tuple[str, ...], str]:
    found = []
    for visible in parts:
        hidden = Trace()
        trace.model.heads_on_top(hidden, trace.model.encode(UNRECORDED, trace.source.ids, visible), visible)
        found.append(hidden)
    if trace.architecture.labels:
        logs = np.log(np.concatenate([hidden.whole("cls.probs") for hidden in found]))  # (hidings, labels)
        change = np.asarray(logs - np.log(trace.whole("cls.probs"))).T
        return change, tuple(trace.labels), "change of log-probability"
    vectors = np.concatenate([hidden.whole("pool") for hidden in found])  # (hidings, d_model)
    whole = trace.whole("pool")
    cosine = vectors @ whole / np.linalg.norm(vectors, axis=1) / np.linalg.norm(whole)
    return np.asarray(cosine - 1)[None], ("the sentence's vector",), "cosine with the whole sentence's vector, less 1"
