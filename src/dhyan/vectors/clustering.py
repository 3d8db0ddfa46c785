"""Texts gathered into clusters by their vectors, and named by the words that set each cluster apart."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.text.words import words_of
from dhyan.vectors.arrays import Vectors, row_products
from dhyan.vectors.k_means import SEED, k_means, silhouette, squared_distances

MOST_CLUSTERS = 20  # tried when --clusters is not given; more would be hard to read
SAMPLE = 2000  # texts that the number of clusters is judged by: a silhouette compares each with every other
WORDS = 6
NAMED_BY = 3
COMMON = 0.03  # a word that a larger share of the other clusters' texts holds does not set this one apart


@dataclass(frozen=True, slots=True)
class Cluster:
    """Texts that lie together. `members` are their indices in the list of texts, nearest to the centre first."""

    members: list[int]
    words: list[str]

    @property
    def name(self) -> str:
        return ", ".join(self.words[:NAMED_BY]) or "no distinctive words"


@dataclass(frozen=True, slots=True)
class Clustering:
    """The clusters, largest first, and how clear they are: see `silhouette`."""

    clusters: list[Cluster]
    silhouette: float | None  # None where every text is a cluster of its own


def find_clusters(texts: Sequence[str], vectors: Vectors, count: int | None = None) -> Clustering:
    """Cluster texts by k-means; when `count` is not given, it is the number with the best silhouette."""
    if count is not None and (not isinstance(count, int) or count < 2):
        raise DhyanError(f"{count!r} clusters: give at least 2, or leave the number out to have it found.")
    needed = count or 3  # to find a number, there must be one that is more than 1 and less than all
    if len(texts) < needed:
        wanted = f"{count} clusters" if count else "clusters to be found in them"
        raise DhyanError(f"{len(texts)} texts are too few for {wanted}: give at least {needed}.")
    some = sample(len(texts), SAMPLE)
    if count is None:
        count = _best_count(vectors[some])
    cluster_ids, centres = k_means(vectors, count)
    sizes = np.bincount(cluster_ids, minlength=count)
    if not sizes.all():
        raise DhyanError(
            f"the model sees only {np.count_nonzero(sizes)} different texts here: ask for that many clusters at most."
        )
    distances = squared_distances(vectors, row_products(vectors, vectors), centres)  # (texts, clusters)
    largest_first = np.argsort(-sizes, kind="stable")
    members = [
        sorted(np.flatnonzero(cluster_ids == number).tolist(), key=distances[:, number].__getitem__)
        for number in largest_first
    ]
    words = distinctive_words([[texts[index] for index in indices] for indices in members])
    clusters = [Cluster(indices, of_them) for indices, of_them in zip(members, words, strict=True)]
    return Clustering(clusters, silhouette(vectors[some], cluster_ids[some]))


def distinctive_words(groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """For each group of texts the words that set it apart from the others, the most distinctive first.

    With p the share of a group's texts that hold a word and q the share of the other texts that do, the score is
    p · log(p / q) · idf: frequent inside, rare outside, and rare in all. Words that are common in the other groups
    too are left out, so no list of stop words is needed, in any language.
    """
    inside = [Counter(word for text in group for word in set(words_of(text))) for group in groups]
    everywhere = Counter[str]()
    for counts in inside:
        everywhere.update(counts)
    total = sum(map(len, groups))

    def score(word: str, found: int, size: int) -> float:
        outside, others = everywhere[word] - found, total - size
        if outside > max(1, COMMON * others):
            return 0.0
        p, q = (found + 0.5) / (size + 1), (outside + 0.5) / (others + 1)  # smoothed, so that no share is 0
        return p * math.log(p / q) * math.log(1 + total / everywhere[word])

    best = []
    for group, counts in zip(groups, inside, strict=True):
        scores = {word: score(word, found, len(group)) for word, found in counts.items()}
        ranked = sorted((word for word in scores if scores[word] > 0), key=lambda word: (-scores[word], word))
        best.append(ranked[:WORDS])
    return best


def _best_count(vectors: Vectors) -> int:
    scores: dict[int, float] = {}
    # Many more clusters than there are texts in one would be pairs and left-overs.
    for count in range(2, min(MOST_CLUSTERS, math.isqrt(2 * vectors.shape[0])) + 1):
        score = silhouette(vectors, k_means(vectors, count)[0])
        if score is not None:
            scores[count] = score
    if not scores:
        raise DhyanError("the model sees no difference between these texts: there are no clusters to find.")
    return max(scores, key=scores.__getitem__)


def sample(count: int, most: int) -> NDArray[np.intp]:
    """Indices of at most so many of `count` texts, in order."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(SEED).choice(count, most, replace=False))
