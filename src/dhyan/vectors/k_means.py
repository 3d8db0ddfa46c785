"""k-means: vectors in a given number of clusters, each around the mean of its members; and how clear they are."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.vectors.arrays import Vectors, dense, row_products

SEED = 0  # the same vectors give the same clusters
RESTARTS = 4  # the best of so many is kept: a bad start leads to a bad end
MOST_STEPS = 300
ENOUGH = 1e-4  # how far the centres move in the last step, against the vectors' variance
SAME = 1e-6  # squared distance below which two vectors are one: as near as float32 can tell

Array = NDArray[np.float64]
ClusterIds = NDArray[np.intp]  # (texts,): the number of each one's cluster


def k_means(vectors: Vectors, count: int) -> tuple[ClusterIds, Array]:
    """The cluster of each vector, and the centres: (clusters, width). Some are empty where vectors are too few."""
    random = np.random.default_rng(SEED)
    squared = row_products(vectors, vectors)  # (texts,): squared lengths
    tries = [_lloyd(vectors, squared, _plus_plus(vectors, squared, count, random)) for _ in range(RESTARTS)]
    cluster_ids, centres, _ = min(tries, key=lambda found: found[2])
    return cluster_ids, centres


def squared_distances(vectors: Vectors, squared: Array, points: NDArray[np.floating[Any]]) -> Array:
    """(texts, points), from ‖x − c‖² = ‖x‖² − 2 x·c + ‖c‖²; zero where rounding is all there is."""
    products = vectors @ points.T.astype(np.float32)  # float64 would have all the vectors copied, every time
    found = squared[:, None] - 2 * products + (points.astype(np.float64) ** 2).sum(axis=1)
    return np.where(found < SAME, 0.0, found)


def _plus_plus(vectors: Vectors, squared: Array, count: int, random: np.random.Generator) -> Array:
    """k-means++: each centre is drawn with a probability that grows with its squared distance to those before it.

    Of a few draws the one is taken that leaves the least distance.
    """
    draws = 2 + int(math.log(count))
    chosen = [int(random.integers(len(squared)))]
    nearest = squared_distances(vectors, squared, dense(vectors[np.array(chosen)]))[:, 0]  # (texts,)
    while len(chosen) < count:
        total = nearest.sum()
        if total == 0:  # no different vector is left
            chosen.append(chosen[0])
            continue
        drawn = random.choice(len(squared), draws, p=nearest / total)
        unique = np.unique(drawn)
        after = np.minimum(nearest[:, None], squared_distances(vectors, squared, dense(vectors[unique])))
        best = int(after.sum(axis=0).argmin())
        chosen.append(int(unique[best]))
        nearest = after[:, best]
    centres: Array = np.stack([dense(vectors[np.array([one])])[0] for one in chosen]).astype(np.float64)
    return centres


def _lloyd(vectors: Vectors, squared: Array, centres: Array) -> tuple[ClusterIds, Array, float]:
    """Each vector to its nearest centre, each centre to the mean of its vectors, until nothing moves."""
    count, width = centres.shape
    mean = np.asarray(vectors.T @ np.full((len(squared), 1), 1 / len(squared), dtype=np.float32))
    variance = (squared.mean() - (mean**2).sum()) / width
    cluster_ids = np.full(len(squared), -1)
    for _ in range(MOST_STEPS):
        distances = squared_distances(vectors, squared, centres)
        before, cluster_ids = cluster_ids, distances.argmin(axis=1)
        if (before == cluster_ids).all():
            break
        _fill_empty(cluster_ids, distances)
        members = np.eye(count, dtype=np.float32)[cluster_ids]  # (texts, clusters): 1 where it belongs
        sizes = members.sum(axis=0)[:, None]
        moved = np.where(sizes, np.asarray(vectors.T @ members, dtype=np.float64).T / np.maximum(sizes, 1), centres)
        shift = ((moved - centres) ** 2).sum()
        centres = moved
        if shift <= ENOUGH * variance:
            cluster_ids = squared_distances(vectors, squared, centres).argmin(axis=1)
            break
    distances = squared_distances(vectors, squared, centres)
    return cluster_ids, centres, float(distances[np.arange(len(squared)), cluster_ids].sum())


def _fill_empty(cluster_ids: ClusterIds, distances: Array) -> None:
    """An empty cluster gets the vector that lies farthest from its centre, unless it lies on it."""
    sizes = np.bincount(cluster_ids, minlength=distances.shape[1])
    own = distances[np.arange(len(cluster_ids)), cluster_ids]  # (texts,)
    for empty in np.flatnonzero(sizes == 0):
        farthest = int(own.argmax())
        if own[farthest] == 0:
            return
        cluster_ids[farthest], own[farthest] = empty, 0.0


def silhouette(vectors: Vectors, cluster_ids: ClusterIds) -> float | None:
    """The mean over texts of (b − a) / max(a, b): a is its mean distance to its own cluster, b to the nearest other.

    1: clusters lie far apart; 0: they run together. None where there is one cluster, or each text is its own.
    """
    names, numbers, sizes = np.unique(cluster_ids, return_inverse=True, return_counts=True)
    if not 2 <= len(names) < len(numbers):
        return None
    squared = row_products(vectors, vectors)
    members = np.eye(len(names), dtype=np.float32)[numbers]  # (texts, clusters)
    found = np.zeros(len(numbers))
    chunk = 256  # texts that are compared with all at a time
    for begin in range(0, len(numbers), chunk):
        some = np.arange(begin, min(begin + chunk, len(numbers)))
        own = numbers[some]
        distances = np.sqrt(squared_distances(vectors, squared, dense(vectors[some]))).T  # (some, texts)
        total = distances @ members  # (some, clusters)
        here = np.arange(len(some))
        a = total[here, own] / np.maximum(sizes[own] - 1, 1)
        others = total / sizes
        others[here, own] = np.inf
        b = others.min(axis=1)
        found[some] = np.where(sizes[own] > 1, (b - a) / np.maximum(np.maximum(a, b), 1e-12), 0.0)
    return float(found.mean())
