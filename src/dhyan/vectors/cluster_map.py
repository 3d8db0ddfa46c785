"""A map of clustered texts: where their two principal components put them, as SVG or as a page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.shown import Svg
from dhyan.core.svg import CATEGORIES, FONTS, escape, shortened, wide
from dhyan.vectors.arrays import Vectors, row_products
from dhyan.vectors.clustering import Cluster, Clustering, find_clusters, sample
from dhyan.vectors.k_means import SEED

# Colours that colour-blind eyes tell apart; shapes for print in black and white, first full, then hollow;
# and a number above each centre, should there be more clusters than shapes.
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
MOST_LABELS = 40  # texts; more labels would hide each other
MOST_POINTS = 5000  # more make a blot, and a file that browsers are slow to show
PLOT, MARGIN, LEGEND, LINE, LABEL = 640, 24, 300, 22, 11  # in pixels
ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}  # where in a label its place is
OVERSAMPLED = 8  # directions beside the two that are wanted, so that these are found sooner
MOST_ITERATIONS = 100


@dataclass(frozen=True, slots=True, repr=False)
class ClusteredTexts(Clustering):
    """Texts in clusters; a notebook shows it as their map."""

    texts: Sequence[str]
    vectors: Vectors  # (texts, d_model)

    @property
    def map(self) -> Svg:
        return draw_map(self.texts, self.vectors, self.clusters)

    def __repr__(self) -> str:
        names = "; ".join(f"{cluster.name} ({len(cluster.members):,})" for cluster in self.clusters)
        return f"<{len(self.texts):,} texts in {len(self.clusters)} clusters: {names}>"

    def _repr_svg_(self) -> str:
        return self.map


def cluster_texts(texts: Sequence[str], vectors: Vectors, count: int | None = None) -> ClusteredTexts:
    """The same as `find_clusters`, with what it takes to draw the map."""
    found = find_clusters(texts, vectors, count)
    return ClusteredTexts(found.clusters, found.silhouette, texts, vectors)


def draw_map(texts: Sequence[str], vectors: Vectors, clusters: Sequence[Cluster]) -> Svg:
    """An SVG of the texts where their two principal components put them, coloured and shaped by cluster."""
    components, (first, second) = principal_components(vectors)
    positions = components * (1, -1)  # (texts, 2); y grows downwards in SVG
    low, high = positions.min(axis=0), positions.max(axis=0)
    # One scale for both axes, or distances would lie.
    scale = (PLOT - 2 * MARGIN) / max((high - low).max(), 1e-12)
    positions = (positions - (low + high) / 2) * scale + PLOT / 2
    drawn = set(sample(len(texts), MOST_POINTS).tolist())
    points, numbers, legend = [], [], []
    for number, cluster in enumerate(clusters):
        look = _look(number)
        for member in cluster.members:
            if member in drawn:
                x, y = positions[member]
                points.append(_mark(look, x, y, texts[member]))
        x, y = positions[cluster.members].mean(axis=0)
        numbers.append(f'<text x="{x:.1f}" y="{y - 8:.1f}">{number + 1}</text>')
        legend.append(_legend_line(look, number, cluster))
    labels = _labels([(x, y) for x, y in positions.tolist()], texts) if len(texts) <= MOST_LABELS else []
    height = max(PLOT, MARGIN + LINE * len(clusters)) + 2 * LINE
    of = "" if len(drawn) == len(texts) else f" {len(drawn):,} of {len(texts):,} texts are drawn."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {PLOT + LEGEND} {height}" width="{PLOT + LEGEND}" '
        f'height="{height}" role="img" aria-label="{len(texts)} texts in {len(clusters)} clusters" '
        f'font-family="{FONTS}" font-size="14" fill="#111">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<rect x="1" y="1" width="{PLOT - 2}" height="{PLOT - 2}" fill="none" stroke="#bbb"/>',
        *points,
        f'<g font-size="{LABEL}" fill="#444" pointer-events="none">',
        *labels,
        "</g>",
        '<g font-size="16" font-weight="bold" text-anchor="middle" stroke="#fff" stroke-width="3" '
        'stroke-linejoin="round" paint-order="stroke" pointer-events="none">',
        *numbers,
        "</g>",
        *legend,
        f'<text x="0" y="{height - LINE / 2}" font-size="12" fill="#444">The two principal components show '
        f"{first:.0%} and {second:.0%} of the variance: what lies together here may lie apart in full.{of}</text>",
        "</svg>",
    ]
    return Svg("\n".join(lines) + "\n")


def principal_components(vectors: Vectors) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """(texts, 2): each text on the two directions of greatest variance, and the share of the variance they hold.

    By subspace iteration, which asks for products with the vectors only, so that sparse ones stay sparse.
    """
    count, width = vectors.shape
    mean = np.asarray(vectors.T @ np.full((count, 1), 1 / count, dtype=np.float32))  # (width, 1)
    variance = row_products(vectors, vectors).mean() - float((mean**2).sum())

    def project(directions: NDArray[Any]) -> NDArray[np.float64]:
        """(texts, directions), the mean taken away."""
        return np.asarray(vectors @ directions.astype(np.float32) - mean.T @ directions, dtype=np.float64)

    kept = min(2 + OVERSAMPLED, count, width)
    directions, _ = np.linalg.qr(np.random.default_rng(SEED).normal(size=(width, kept)))
    values = np.zeros(kept)
    for _ in range(MOST_ITERATIONS):
        projected = project(directions)  # (texts, kept)
        back = np.asarray(vectors.T @ projected.astype(np.float32) - mean * projected.sum(axis=0))
        before, (directions, values, _) = values, np.linalg.svd(back / count, full_matrices=False)
        if np.abs(values - before)[:2].max() <= 1e-6 * values[0]:
            break
    directions = directions[:, :2]
    directions = directions * np.sign(directions[np.abs(directions).argmax(axis=0), np.arange(directions.shape[1])])
    found = np.zeros((count, 2))
    found[:, : directions.shape[1]] = project(directions)
    shares = (found**2).mean(axis=0) / max(variance, 1e-12)
    return found, (float(shares[0]), float(shares[1]))


def as_page(svg: str, title: str) -> str:
    """The map as a page of its own."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        "<style>body { margin: 2rem } svg { max-width: 100%; height: auto }</style>\n"
        f"</head>\n<body>\n{svg}</body>\n</html>\n"
    )


def _look(number: int) -> str:
    colour, shape = CATEGORIES[number % len(CATEGORIES)], SHAPES[number % len(SHAPES)]
    hollow = number // len(SHAPES) % 2
    paint = f'fill="#fff" stroke="{colour}" stroke-width="1.5"' if hollow else f'fill="{colour}" stroke="#fff"'
    return f'd="{shape}" {paint}'


def _mark(look: str, x: float, y: float, text: str) -> str:
    return f'<path transform="translate({x:.1f} {y:.1f})" {look}><title>{escape(shortened(text, 300))}</title></path>'


def _labels(places: Sequence[tuple[float, float]], texts: Sequence[str]) -> list[str]:
    """Each text beside its point, where no other label and no point stands; one that fits nowhere is left out."""
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    found = []
    for (x, y), said in zip(places, texts, strict=True):
        words = shortened(said, 32)
        room = 0.85 * wide(words, LABEL)  # `wide` rather guesses too much
        sides = ("start", x + 9, y + 4), ("end", x - 9 - room, y + 4)
        above_and_below = ("middle", x - room / 2, y - 9), ("middle", x - room / 2, y + 17)
        for anchor, left, base in (*sides, *above_and_below):
            box = left, base - LABEL, left + room, base + 2
            if left > 0 and left + room < PLOT and not any(_overlap(box, other) for other in taken):
                at = f'x="{left + room * ANCHORS[anchor]:.1f}" y="{base:.1f}" text-anchor="{anchor}"'
                found.append(f"<text {at}>{escape(words)}</text>")
                taken.append(box)
                break
    return found


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _legend_line(look: str, number: int, cluster: Cluster) -> str:
    x, y = PLOT + MARGIN, MARGIN + LINE * number
    words = escape(shortened(cluster.name, 26))
    return (
        f"{_mark(look, x, y, cluster.name)}"
        f'<text x="{x + 14}" y="{y + 5}"><tspan font-weight="bold">{number + 1}</tspan> {words} '
        f'<tspan fill="#555">({len(cluster.members):,})</tspan></text>'
    )
