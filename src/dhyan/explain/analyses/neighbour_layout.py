"""A flat map on which near means alike: t-SNE (van der Maaten and Hinton, 2008), exact, in NumPy."""

import numpy as np

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.explain.formulas import Array

PERPLEXITY = 12  # about how many neighbours a point holds on to
STEPS = 350
EARLY = 100  # steps in which neighbours pull harder, so that groups find together first
PULL = 8.0
SEARCHES = 25  # halvings until a point's neighbourhood has the size that is wanted


def neighbour_layout(alike: Array, start: Array) -> Array:
    """alike: (points, points) cosines. start: (points, 2), where to begin. → (points, 2) within [−1, 1].

    Nothing is drawn by lot: the same points always give the same map.
    """
    points = len(alike)
    if points < 4:
        return _within_bounds(start)
    pull = _neighbourhoods(1 - alike, min(PERPLEXITY, (points - 1) / 3))
    place = (start / max(1e-12, float(start[:, 0].std())) * 1e-2).astype(np.float32)
    speed, gain = np.zeros_like(place), np.ones_like(place)
    rate = max(50.0, points / PULL)
    for step in range(STEPS):
        stop_if_cancelled()
        squares = (place * place).sum(axis=1)
        near = 1 / (1 + np.maximum(0, squares[:, None] + squares[None, :] - 2 * place @ place.T))
        np.fill_diagonal(near, 0)
        force = ((PULL if step < EARLY else 1.0) * pull - near / near.sum()) * near
        slope = 4 * (force.sum(axis=1)[:, None] * place - force @ place)
        gain = np.maximum(0.01, np.where(np.sign(slope) == np.sign(speed), gain * 0.8, gain + 0.2))
        speed = (0.5 if step < EARLY else 0.8) * speed - rate * gain * slope
        place = place + speed
        place -= place.mean(axis=0)
    return _within_bounds(place)


def _neighbourhoods(distance: Array, perplexity: float) -> Array:
    """(points, points): how strongly two points hold on to each other; all of it sums to 1.

    Each point's own precision is found by halving, so that all have as many neighbours, dense or sparse.
    """
    points = len(distance)
    others = distance.astype(np.float64) + np.where(np.eye(points, dtype=bool), np.inf, 0)
    low, high = np.zeros((points, 1)), np.full((points, 1), 1e4)
    nearest = others.min(axis=1, keepdims=True)
    for _ in range(SEARCHES):
        middle = (low + high) / 2
        power = np.exp(-middle * (others - nearest))
        share = power / power.sum(axis=1, keepdims=True)
        entropy = -(share * np.log(np.maximum(share, 1e-300))).sum(axis=1, keepdims=True)
        too_broad = entropy > np.log(perplexity)
        low, high = np.where(too_broad, middle, low), np.where(too_broad, high, middle)
    return np.asarray((share + share.T) / (2 * points), dtype=np.float32)


def _within_bounds(place: Array) -> Array:
    centred = place - (place.max(axis=0) + place.min(axis=0)) / 2
    return np.asarray(centred / np.maximum(1e-12, np.abs(centred).max(axis=0)), dtype=np.float32)


def neighbours_kept(alike: Array, place: Array, count: int = 10) -> float:
    """The share of each point's nearest that are still among its nearest on the map: 1 is a perfect map."""
    count = min(count, len(alike) - 1)
    if count < 1:
        return 1.0
    own = np.where(np.eye(len(alike), dtype=bool), -np.inf, 0)
    apart = ((place[:, None] - place[None]) ** 2).sum(axis=-1)
    true = np.argsort(-(alike + own), axis=1, kind="stable")[:, :count]
    drawn = np.argsort(apart - own, axis=1, kind="stable")[:, :count]
    return float(np.mean([len(set(a) & set(b)) / count for a, b in zip(true.tolist(), drawn.tolist(), strict=True)]))
