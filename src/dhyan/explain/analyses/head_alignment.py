"""Which given word a written word comes from: by the one cross-attention head that agrees best with occlusion.

Weights are not explanations. So the head is not chosen by looks: each is compared with what hiding words really does,
and the choice, its agreement and all the others' are told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dhyan.explain.formulas import Array
from dhyan.explain.token_view import merge_columns, merge_rows

if TYPE_CHECKING:
    from dhyan.explain.explanation import Explanation


@dataclass(frozen=True)
class HeadAlignment:
    """weights[i, j]: how much target word i looks at source word j through `head`; the rest went to the end mark."""

    head: str  # dec.1.cross.h3
    agreement: float  # with occlusion: mean correlation over target words, 1 at most
    ranking: tuple[tuple[str, float], ...]  # every cross-attention head with its agreement, best first
    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: Array  # (target words, source words)
    links: tuple[tuple[int, int], ...]  # (source word, target word): where each target word looks most
    said: str  # how the head was chosen, in words


def choose_head(trace: Explanation) -> HeadAlignment:
    heads = trace.heads("cross")
    ranking = sorted(((address, agreement(trace, address)) for address in heads), key=lambda one: -one[1])
    address, best = ranking[0]
    return align_by(trace, address, best, ranking)


def align_by(
    trace: Explanation, address: str, agreed: float | None = None, ranking: list[tuple[str, float]] | None = None
) -> HeadAlignment:
    """The alignment that any head draws; `address` is that of its weights."""
    weights = _word_weights(trace, address)
    agreed = agreement(trace, address) if agreed is None else agreed
    ranked = ranking or [(address, agreed)]
    head = address.removesuffix(".weights")
    said = f"{head} agrees best with occlusion (mean correlation {agreed:.2f}) of {len(ranked)} cross-attention heads"
    if ranking is None:
        said = f"{head} was asked for (mean correlation with occlusion {agreed:.2f})"
    return HeadAlignment(
        head,
        agreed,
        tuple((one.removesuffix(".weights"), value) for one, value in ranked),
        trace.occlusion.source,
        tuple(word.text for word in trace.written.words if not word.special),
        weights,
        tuple((int(row.argmax()), number) for number, row in enumerate(weights)),
        said,
    )


def agreement(trace: Explanation, address: str) -> float:
    """The mean, over target words, of the correlation between where they look and what hiding costs them."""
    seen = _word_weights(trace, address)  # (target words, source words)
    real = [number for number, word in enumerate(trace.written.words) if not word.special]
    cost = -trace.occlusion.change[real]
    found = [_correlation(looks, costs) for looks, costs in zip(seen, cost, strict=True)]
    return float(np.mean(found)) if found else 0.0


def _word_weights(trace: Explanation, address: str) -> Array:
    given = [word for word in trace.source.words if not word.special]
    said = [word for word in trace.written.words if not word.special]
    weights = trace[address][trace.first_row :]
    if not said:
        return np.zeros((0, len(given)), dtype=weights.dtype)
    return merge_rows(merge_columns(weights, given), said)


def _correlation(one: Array, other: Array) -> float:
    """Pearson's; 0 where one of them does not vary, for then it tells nothing."""
    first, second = one - one.mean(), other - other.mean()
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / size if size > 0 else 0.0
