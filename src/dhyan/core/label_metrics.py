"""Scores of answers that are not one label: several labels per text, and numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dhyan.core.metrics import pearson, spearman


def several_label_scores(found: NDArray[np.bool_], right: NDArray[np.bool_], labels: Sequence[str]) -> dict[str, Any]:
    """Micro and macro F1, how many rows have exactly their labels, and precision, recall and F1 of each label.

    found, right: (rows, labels).
    """
    hits, said, there = (found & right).sum(axis=0), found.sum(axis=0), right.sum(axis=0)  # (labels,)
    by_label: dict[str, dict[str, float]] = {}
    for label, *counts in zip(labels, hits.tolist(), said.tolist(), there.tolist(), strict=True):
        hit, predicted, true = counts
        if predicted or true:
            precision, recall = hit / predicted if predicted else 0.0, hit / true if true else 0.0
            by_label[label] = {
                "precision": precision,
                "recall": recall,
                "f1": _f1(hit, predicted, true),
                "rows": true,
            }
    macro = float(np.mean([one["f1"] for one in by_label.values()])) if by_label else 1.0
    return {
        "micro_f1": _f1(int(hits.sum()), int(said.sum()), int(there.sum())),
        "f1": macro,
        "exact_match": float((found == right).all(axis=1).mean()),
        "labels": by_label,
    }


def number_scores(found: ArrayLike, right: ArrayLike) -> dict[str, float]:
    """Correlations, the mean absolute error in the numbers' own unit, and R², the part of their variance explained.

    Where all of one side are the same there is no correlation: 0.
    """
    said, true = np.asarray(found, dtype=float), np.asarray(right, dtype=float)
    varies = bool(np.ptp(said) > 0 and np.ptp(true) > 0)
    spread = float(((true - true.mean()) ** 2).sum())
    return {
        "pearson": pearson(said, true) if varies else 0.0,
        "spearman": spearman(said, true) if varies else 0.0,
        "mae": float(np.abs(said - true).mean()),
        "r2": 1 - float(((said - true) ** 2).sum()) / spread if spread else 0.0,
    }


def _f1(hits: int, said: int, there: int) -> float:
    """Of two counts that are both 0 nothing was missed."""
    return 2 * hits / (said + there) if said + there else 1.0
