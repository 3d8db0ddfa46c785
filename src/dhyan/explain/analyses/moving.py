"""What gives a word its meaning in this sentence: hide the others, one by one, and see how far its vector moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dhyan.explain.analyses.word_in_context import find_word
from dhyan.explain.formulas import Array, cosine
from dhyan.explain.numpy_model import UNRECORDED
from dhyan.explain.trace import Trace

if TYPE_CHECKING:
    from dhyan.explain.explanation import Explanation


def moved_by(trace: Explanation, word: str) -> list[tuple[str, float]]:
    """Each other word, and 1 − the cosine of `word`'s last vector with and without it in sight."""
    here = find_word(trace, word)
    others = [one for one in trace.source.words if not one.special and one != here]
    if not others:
        return []
    visible = np.ones((len(others), len(trace.source)), dtype=bool)
    for row, one in enumerate(others):
        visible[row, one.start : one.end] = False
    hidden = trace.model.encode(UNRECORDED, trace.source.ids, visible)  # (hidings, positions, d_model)
    before = trace.whole("enc.output")[here.start : here.end].mean(axis=0)
    after = hidden[:, here.start : here.end].mean(axis=1)  # (hidings, d_model)
    return [(one.text, 1 - cosine(before, vector)) for one, vector in zip(others, after, strict=True)]


def plane(vectors: Sequence[Array]) -> Array:
    """(points, 2): the two directions in which the vectors differ most (principal components)."""
    points = np.stack([vector / max(1e-12, float(np.linalg.norm(vector))) for vector in vectors])
    centred = points - points.mean(axis=0)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    found = np.zeros((len(points), 2), dtype=np.float32)
    found[:, : min(2, len(directions))] = centred @ directions[:2].T
    return found


def with_words_hidden(trace: Explanation, hidden: Sequence[int]) -> tuple[dict[str, float], float]:
    """An encoder's labels, and the cosine of the sentence's vector with the whole one's, when words are hidden.

    hidden: numbers of the given text's words, special ones not counted.
    """
    words = [word for word in trace.source.words if not word.special]
    visible = np.ones(len(trace.source), dtype=bool)
    for number in hidden:
        visible[words[number].start : words[number].end] = False
    found = Trace()
    model = trace.model
    model.heads_on_top(found, model.encode(UNRECORDED, trace.source.ids, visible), visible)
    names = trace.explainer.pack.manifest.labels
    labels = dict(zip(names, map(float, found.whole("cls.probs")), strict=True)) if names else {}
    return labels, cosine(found.whole("pool"), trace.whole("pool"))
