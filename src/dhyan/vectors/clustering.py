"""Texts gathered into clusters by their vectors: found, named by the words that tell them apart, and drawn."""

import math
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import silhouette_score
from sklearn.metrics.pairwise import euclidean_distances

from dhyan.core.errors import DhyanError
from dhyan.text.words import words_of
from dhyan.vectors.arrays import Vectors, dense, is_sparse

SEED = 0  # the same texts give the same clusters
MOST_CLUSTERS = 20  # that are tried when nobody says how many; more than that a person does not take in
SAMPLE = 2000  # texts that the number of clusters is judged by: a silhouette compares each with every other
WORDS = 6
NAMED_BY = 3

# The map. Colours that colour-blind eyes tell apart; shapes for print in black and white, first full, then hollow;
# and a number above each centre, should there be more clusters than shapes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0487f", "#b8860b", "#2f9bd8", "#6a3d9a", "#4d4d4d")
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z",  # a disc
    "M0-6L5.5 4H-5.5Z",  # a triangle
    "M-4-4h8v8h-8Z",  # a square
    "M-1.6-5.5h3.2v3.9h3.9v3.2h-3.9v3.9h-3.2v-3.9h-3.9v-3.2h3.9Z",  # a plus
    "M0-6.5L4.5 0L0 6.5L-4.5 0Z",  # a diamond
    "M0 6L5.5-4H-5.5Z",  # a triangle on its tip
    "M0-6.5L1.6-2.2L6.2-2L2.6.8L3.8 5.3L0 2.7L-3.8 5.3L-2.6.8L-6.2-2L-1.6-2.2Z",  # a star
    "M-6-2.2h12v4.4h-12Z",  # a bar
    "M-2.3-4.8L0-2.5L2.3-4.8L4.8-2.3L2.5 0L4.8 2.3L2.3 4.8L0 2.5L-2.3 4.8L-4.8 2.3L-2.5 0L-4.8-2.3Z",  # a cross
    "M-2.2-6h4.4v12h-4.4Z",  # a pillar
)
FONTS = "'Noto Sans Devanagari','Nirmala UI','Kohinoor Devanagari',Mangal,'Lohit Devanagari',sans-serif"
MOST_POINTS = 5000  # more make a blot, and a file that browsers are slow to show
PLOT, MARGIN, LEGEND, LINE = 640, 24, 300, 22  # in pixels


@dataclass(frozen=True, slots=True)
class Cluster:
    """Texts that lie together. `members` are their places in the list of texts, nearest to the centre first."""

    members: list[int]
    words: list[str]

    @property
    def name(self) -> str:
        return ", ".join(self.words[:NAMED_BY]) or "no telling words"


@dataclass(frozen=True, slots=True)
class Clustering:
    """The clusters, largest first, and how clear they are: silhouette 1 lies far apart, 0 runs together."""

    clusters: list[Cluster]
    silhouette: float | None  # of every text a cluster of its own there is none


def find_clusters(texts: Sequence[str], vectors: Vectors, count: int | None = None) -> Clustering:
    """Gather texts by k-means; when `count` is not given, it is the number with the best silhouette."""
    if count is not None and count < 2:
        raise DhyanError(f"{count} clusters: give at least 2, or leave the number out to have it found.")
    needed = count or 3  # to find a number, there must be one that is more than 1 and less than all
    if len(texts) < needed:
        wanted = f"{count} clusters" if count else "clusters to be found in them"
        raise DhyanError(f"{len(texts)} texts are too few for {wanted}: give at least {needed}.")
    some = _sample(len(texts), SAMPLE)
    if count is None:
        count = _best_count(vectors[some])
    owners, centres = k_means(vectors, count)
    sizes = np.bincount(owners, minlength=count)
    if not sizes.all():
        raise DhyanError(
            f"the model sees only {np.count_nonzero(sizes)} different texts here: ask for that many clusters at most."
        )
    far = euclidean_distances(vectors, centres)[np.arange(len(owners)), owners]  # (texts,)
    order = np.argsort(-sizes, kind="stable")
    members = [sorted(np.flatnonzero(owners == owner).tolist(), key=far.__getitem__) for owner in order]
    words = telling_words([[texts[place] for place in places] for places in members])
    clusters = [Cluster(places, told) for places, told in zip(members, words, strict=True)]
    return Clustering(clusters, _silhouette(vectors[some], owners[some]))


def telling_words(groups: Sequence[Sequence[str]]) -> list[list[str]]:
    """For each group of texts the words that tell it from the others, the most telling first.

    With p the share of a group's texts that hold a word and q the share of the others' that do, the word tells
    p log(p / q): much when it is both frequent inside and rare outside. Words that are everywhere tell nothing, so
    no list of stop words is needed, in any language.
    """
    inside = [Counter(word for text in group for word in set(words_of(text))) for group in groups]
    everywhere = Counter[str]()
    for counts in inside:
        everywhere.update(counts)
    total = sum(map(len, groups))

    def tells(word: str, found: int, size: int) -> float:
        p = (found + 0.5) / (size + 1)  # a half more, so that nothing is never and nothing is always
        q = (everywhere[word] - found + 0.5) / (total - size + 1)
        return p * math.log(p / q)

    told = []
    for group, counts in zip(groups, inside, strict=True):
        scores = {word: tells(word, found, len(group)) for word, found in counts.items()}
        best = sorted((word for word in scores if scores[word] > 0), key=lambda word: (-scores[word], word))
        told.append(best[:WORDS])
    return told


def _best_count(vectors: Vectors) -> int:
    scores: dict[int, float] = {}
    # Many more clusters than there are texts in one would be pairs and left-overs.
    for count in range(2, min(MOST_CLUSTERS, math.isqrt(2 * vectors.shape[0])) + 1):
        owners, _ = k_means(vectors, count)
        score = _silhouette(vectors, owners)
        if score is not None:
            scores[count] = score
    if not scores:
        raise DhyanError("the model sees no difference between these texts: there are no clusters to find.")
    return max(scores, key=scores.__getitem__)


def k_means(vectors: Vectors, count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """(texts,) the number of each text's cluster, and (clusters, d_model) the centres."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different vectors than clusters: told by us
        fitted = KMeans(count, n_init=4, random_state=SEED).fit(vectors)
    return fitted.labels_.astype(np.int64), fitted.cluster_centers_


def _silhouette(vectors: Vectors, owners: NDArray[np.int64]) -> float | None:
    if not 2 <= len(np.unique(owners)) < len(owners):
        return None
    return float(silhouette_score(vectors, owners))


def _sample(count: int, most: int) -> NDArray[np.int64]:
    """Places of at most so many texts, in order."""
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(SEED).choice(count, most, replace=False))


def draw_map(texts: Sequence[str], vectors: Vectors, clusters: Sequence[Cluster]) -> str:
    """An SVG of the texts where their two principal components put them, coloured and shaped by cluster."""
    if is_sparse(vectors) and min(vectors.shape) <= 2:
        vectors = dense(vectors)
    pca = PCA(2, svd_solver="arpack" if is_sparse(vectors) else "auto", random_state=SEED)
    places = pca.fit_transform(vectors) * (1, -1)  # (texts, 2); down is up in SVG
    low, high = places.min(axis=0), places.max(axis=0)
    # One scale for both axes, or distances would lie.
    places = (places - (low + high) / 2) * (PLOT - 2 * MARGIN) / (high - low).max() + PLOT / 2
    drawn = set(_sample(len(texts), MOST_POINTS).tolist())
    points, numbers, legend = [], [], []
    for number, cluster in enumerate(clusters):
        look = _look(number)
        for member in cluster.members:
            if member in drawn:
                x, y = places[member]
                points.append(_mark(look, x, y, texts[member]))
        x, y = places[cluster.members].mean(axis=0)
        numbers.append(f'<text x="{x:.1f}" y="{y - 8:.1f}">{number + 1}</text>')
        legend.append(_legend_line(look, number, cluster))
    height = max(PLOT, MARGIN + LINE * len(clusters)) + 2 * LINE
    first, second = pca.explained_variance_ratio_
    of = "" if len(drawn) == len(texts) else f" {len(drawn):,} of {len(texts):,} texts are drawn."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PLOT + LEGEND} {height}" width="{PLOT + LEGEND}" '
        f'height="{height}" role="img" aria-label="{len(texts)} texts in {len(clusters)} clusters" '
        f'font-family="{FONTS}" font-size="14" fill="#111">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<rect x="1" y="1" width="{PLOT - 2}" height="{PLOT - 2}" fill="none" stroke="#bbb"/>',
        *points,
        '<g font-size="16" font-weight="bold" text-anchor="middle" stroke="#fff" stroke-width="3" '
        'stroke-linejoin="round" paint-order="stroke" pointer-events="none">',
        *numbers,
        "</g>",
        *legend,
        f'<text x="0" y="{height - LINE / 2}" font-size="12" fill="#444">The two principal components show '
        f"{first:.0%} and {second:.0%} of the variance: what lies together here may lie apart in full.{of}</text>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def as_page(svg: str, title: str) -> str:
    """The map as a page of its own."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_safe(title)}</title>\n'
        "<style>body { margin: 2rem } svg { max-width: 100%; height: auto }</style>\n"
        f"</head>\n<body>\n{svg}</body>\n</html>\n"
    )


def _look(number: int) -> str:
    colour, shape = COLOURS[number % len(COLOURS)], SHAPES[number % len(SHAPES)]
    hollow = number // len(SHAPES) % 2
    paint = f'fill="#fff" stroke="{colour}" stroke-width="1.5"' if hollow else f'fill="{colour}" stroke="#fff"'
    return f'd="{shape}" {paint}'


def _mark(look: str, x: float, y: float, text: str) -> str:
    return f'<path transform="translate({x:.1f} {y:.1f})" {look}><title>{_safe(_cut(text, 300))}</title></path>'


def _legend_line(look: str, number: int, cluster: Cluster) -> str:
    x, y = PLOT + MARGIN, MARGIN + LINE * number
    words = _safe(_cut(cluster.name, 26))
    return (
        f"{_mark(look, x, y, cluster.name)}"
        f'<text x="{x + 14}" y="{y + 5}"><tspan font-weight="bold">{number + 1}</tspan> {words} '
        f'<tspan fill="#555">({len(cluster.members):,})</tspan></text>'
    )


def _cut(text: str, most: int) -> str:
    """One line of at most so many characters, never between a letter and its marks."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    while most and unicodedata.category(line[most])[0] == "M":
        most -= 1
    return line[:most].rstrip(" ,") + "…"


def _safe(text: str) -> str:
    """Escaped, and without the control characters that no XML may hold."""
    return escape(re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text))
