"""Of several encoders the one whose vectors tell the labels apart best, as a linear probe of each says."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.engines.base import start_engine
from dhyan.pack.pack import Pack
from dhyan.training.assessment.cross_validation import folds_of
from dhyan.training.assessment.experts import ProbeHead
from dhyan.vectors.arrays import Vectors
from dhyan.vectors.embedder import text_vectors
from dhyan.vectors.linear_fit import Linear
from dhyan.vectors.logistic_regression import Array, LogisticRegression

LOOKED_AT, ROWS = 20_000, 300  # the first of a corpus, and how many of these, drawn at random, the probes see
FEWEST_PER_LABEL = 5
FOLDS = 3
WORDS = 100  # of each text
ENOUGH = 1e-3  # which ends the fit long before its last digits
BY_CHANCE = 1.5  # standard errors: another encoder than the first must be better by more


def labelled_sample(rows: Iterable[Sequence[str]]) -> list[tuple[str, str]]:
    """Label and text; empty where they are no labels to choose between."""
    some = [(row[0], row[1]) for row in islice(rows, LOOKED_AT) if len(row) == 2]
    drawn = random.Random(0).sample(some, min(ROWS, len(some)))
    often = {label for label, count in Counter(label for label, _ in drawn).items() if count >= FEWEST_PER_LABEL}
    kept = [row for row in drawn if row[0] in often]
    return kept if len(often) > 1 and 2 * len(kept) > len(drawn) else []


def best_encoder(packs: Sequence[Pack], sample: Sequence[tuple[str, str]]) -> tuple[int, list[float]]:
    """Which of them, the first unless another one is clearly better; and the accuracy of each."""
    names = sorted({label for label, _ in sample})
    labels = np.array([names.index(label) for label, _ in sample], dtype=np.intp)
    texts = [" ".join(text.split()[:WORDS]) for _, text in sample]
    found = [_accuracy(pack, texts, labels, names) for pack in packs]
    best = int(np.argmax(found))
    error = (2 * found[0] * (1 - found[0]) / len(sample)) ** 0.5
    return (best if found[best] > found[0] + BY_CHANCE * error else 0), found


def _accuracy(pack: Pack, texts: Sequence[str], labels: NDArray[np.intp], names: Sequence[str]) -> float:
    try:
        vectors = text_vectors(pack, start_engine(pack), texts)
    except DhyanError:  # the training itself would say it, if this pack were the only one
        return 0.0
    right = np.zeros(len(labels), dtype=bool)
    for learn, judge in folds_of(labels, FOLDS):
        probe = ProbeHead.fit(vectors[learn], labels[learn], lambda v, t: _quickly(v, t, len(names)))
        right[judge] = probe.logits(vectors[judge]).argmax(axis=1) == labels[judge]
    return float(right.mean())


def _quickly(vectors: Vectors | Array, labels: NDArray[np.intp], count: int) -> Linear:
    return LogisticRegression(vectors, labels, count, ENOUGH).one_each
