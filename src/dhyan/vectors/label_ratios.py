"""How much a word tells labels apart: its share of a label's words against its share of the other labels' words."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dhyan.vectors.arrays import SparseMatrix

SMOOTHING = 1.0  # texts that each word is seen in besides


def label_ratios(vectors: SparseMatrix, labels: NDArray[np.intp], count: int) -> NDArray[np.float64]:
    """(words, count): |log ratio|, 0 where the word tells nothing. vectors: (texts, words). labels: (texts,)."""
    there = replace(vectors, values=np.ones_like(vectors.values))
    holding = there.T @ np.eye(count)[labels]  # (words, count): texts of the label that hold the word
    others = holding.sum(axis=1, keepdims=True) - holding + SMOOTHING
    holding = holding + SMOOTHING
    return np.asarray(np.abs(np.log(holding / holding.sum(axis=0)) - np.log(others / others.sum(axis=0))))
