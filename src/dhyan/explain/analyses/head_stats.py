"""What a head does, in a few numbers, by which heads can be sorted."""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from dhyan.explain.analyses.head_alignment import agreement
from dhyan.explain.analyses.occlusion import likelihood
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array


@dataclass(frozen=True, slots=True)
class HeadStats:
    """itself, previous, next: mean weight on the token itself, the one before, the one after (self-attention only).

    broad: 0 where every query looks at one key alone, 1 where it looks at all alike (entropy over its maximum).
    aligns: agreement with occlusion (cross-attention only). matters: what switching the head off does to the written
    text's log-probability (a classifier: its label's; an embedder: cosine less 1); negative where the head is needed.
    """

    itself: float | None
    previous: float | None
    next: float | None
    broad: float
    aligns: float | None
    matters: float


def head_stats(explanation: Explanation, kind: str = "") -> dict[str, HeadStats]:
    """Of every head, or of those of one kind or part; the model is run once more for each part."""
    found, before = {}, float(likelihood(explanation, explanation.model))
    for part, addresses in groupby(explanation.trace.heads(kind), lambda address: address.split(".h")[0]):
        matters = likelihood_without_each(explanation, part) - before  # (heads,)
        for address, matter in zip(addresses, matters, strict=True):
            name, weights = address.removesuffix(".weights"), explanation[address]
            cross = ".cross." in name
            itself, previous, following = (None if cross else diagonal(weights, shift) for shift in (0, -1, 1))
            aligns = agreement(explanation, name) if cross else None
            found[name] = HeadStats(itself, previous, following, normalised_entropy(weights), aligns, float(matter))
    return found


def diagonal(weights: Array, shift: int) -> float:
    """The mean weight on the key that stands `shift` positions from the query, over the queries that have one."""
    values = np.diagonal(weights, shift)
    return float(values.mean()) if values.size else 0.0


def normalised_entropy(weights: Array) -> float:
    """Entropy over the largest that there can be, averaged over the queries that have a choice."""
    reach = (weights > 0).sum(axis=-1)  # a masked cell is exactly 0
    choice = reach > 1
    if not choice.any():
        return 0.0
    logs = np.log(np.where(weights > 0, weights, 1))
    entropy = -(weights * logs).sum(axis=-1)
    return float((entropy[choice] / np.log(reach[choice])).mean())


def likelihood_without_each(explanation: Explanation, part: str) -> Array:
    """(heads,): how likely everything that was said still is when one more head of a part is off, each in turn."""
    return likelihood(explanation, explanation.model.without_each_head(part))
