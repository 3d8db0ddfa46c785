"""Why √d_k, in NumPy: what the size of queries and keys does to their dot products, to softmax and its gradient."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from dhyan.explain.formulas import Array, softmax
from dhyan.lab.framework.experiment import Knobs

MOST_DRAWN = 40_000_000  # numbers: what a page can wait for


class ScoreKnobs(Knobs):
    sizes: list[int] = Field(
        [4, 16, 64, 256, 1024], min_length=1, max_length=12, description="d_k: numbers in a query and in a key"
    )
    keys: int = Field(32, ge=2, le=256, description="keys that a query looks at")
    variance: float = Field(1.0, gt=0, le=100, description="of each number in a query and in a key")
    queries: int = Field(100, ge=10, le=800, description="queries drawn for each size")

    @model_validator(mode="after")
    def _quick_enough(self) -> Self:
        if min(self.sizes) < 1:
            raise ValueError(f"sizes = {self.sizes}: a size is 1 or more")
        drawn = sum(self.sizes) * self.keys * self.queries
        if drawn > MOST_DRAWN:
            asked = f"sizes, keys and queries ask for {drawn:,} random numbers"
            raise ValueError(f"{asked}, more than {MOST_DRAWN:,}; make one of them smaller")
        return self


@dataclass(frozen=True, slots=True)
class Facts:
    """What softmax makes of scores, as means over the queries."""

    variance: float  # of the scores
    entropy: float  # of the weights, as a share of the most that there can be: 1 looks everywhere, 0 at one key
    largest: float  # weight
    gradient: float  # ‖∂ weights / ∂ scores‖: what learning has to work with


def facts(scores: Array) -> Facts:
    """scores: (queries, keys)."""
    weights = softmax(scores)
    logs = np.log(np.maximum(weights, 1e-300))
    square, cube = (weights**2).sum(axis=-1), (weights**3).sum(axis=-1)  # (queries,)
    # The Jacobian is diag(w) − w wᵀ; its Frobenius norm has no need of the matrix.
    jacobian = np.sqrt(np.maximum(square - 2 * cube + square**2, 0.0))
    return Facts(
        variance=float(scores.var()),
        entropy=float(-(weights * logs).sum(axis=-1).mean() / math.log(scores.shape[-1])),
        largest=float(weights.max(axis=-1).mean()),
        gradient=float(jacobian.mean()),
    )


def by_size(knobs: ScoreKnobs, seed: int) -> dict[int, tuple[Facts, Facts]]:
    """d_k → the facts of q·k, and of q·k / √d_k, for queries and keys of independent normal numbers."""
    draw = np.random.default_rng(seed)
    found = {}
    for size in knobs.sizes:
        query = draw.standard_normal((knobs.queries, size), dtype=np.float32)
        key = draw.standard_normal((knobs.queries, knobs.keys, size), dtype=np.float32)  # each query its own keys
        scores = np.einsum("qd,qkd->qk", query, key).astype(float) * knobs.variance  # (queries, keys)
        found[size] = facts(scores), facts(scores / math.sqrt(size))
    return found
