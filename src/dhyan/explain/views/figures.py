"""An address → a picture of it, as SVG: heat maps, a wall of heads, bars, the decode tape, links, the beam."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.core.shown import Svg
from dhyan.core.svg import Theme, cut, document, frame, line, number, rect, text, wide
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.axes import Axis, axes_of, by_words
from dhyan.explain.beam_trace import Guess, top_k
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.explain.pictures import CAPTION, LABELS_FROM, LONGEST, MARGIN, WIDEST, full_colour, matrix, word_links
from dhyan.explain.token_view import Word

SHADES = 50
MOST_CELLS = 60_000


def figure(explanation: Explanation, address: str, words: bool = False, theme: Theme = "auto") -> Svg:
    """The picture of an address. A part (`dec.1.cross`, `enc`) shows the weights of all its heads."""
    if address == "alignment":
        return links(explanation, theme)
    if address == "beam":
        return beam(explanation, theme)
    parts = attention_below(explanation, address)
    if parts:
        return atlas(explanation, parts, address, words, theme)
    axes = axes_of(explanation, address)
    array = by_words(explanation, address) if words else explanation[address]
    caption = f"{address}{' by words' if words else ''} · {explanation.question.text}"
    if array.ndim == 0:
        raise DhyanError(f"{address} is one number, {float(array):g}; a figure needs at least a row of them.")
    if array.size == 0:
        raise DhyanError(f"{address} is empty here: there is nothing to draw; give another text.")
    if axes[-1].name != "vocabulary" and array.size > MOST_CELLS:
        shape = " × ".join(map(str, array.shape))
        raise DhyanError(f"{address} is {shape}, too much for one figure; take a part of it, such as {address}[0:8].")
    if axes[-1].name == "vocabulary":
        return tape(explanation, address, array, axes, caption, theme)
    if array.ndim == 1:
        return bars(array, _labels(axes[0], words), caption, theme)
    if array.ndim == 2:
        return heat_map(array, axes, caption, words, theme)
    names = axes[0].labels or [f"{axes[0].name} {index}" for index in range(len(array))]
    return wall(list(array), names, 4, caption, theme)


def attention_below(explanation: Explanation, address: str) -> list[str]:
    """The attention parts that an address stands for: itself, or those below a stack or a layer."""
    found = [name.removesuffix(".weights") for name in explanation if name.endswith(".weights")]
    return [part for part in found if part == address or part.startswith(f"{address}.")]


def mosaic(array: Array, left: float, top: float, width: float, height: float) -> list[str]:
    """The same for a thumbnail: cells of about one strength are one shape, so that a wall of heads stays small."""
    scale = full_colour(array)
    found: dict[int, list[str]] = {}
    strengths = np.round(np.nan_to_num(array / scale, neginf=0.0).clip(-1, 1) * SHADES).astype(int)
    for row, column in zip(*np.nonzero(strengths), strict=True):
        cell = f"M{left + column * width:.1f} {top + row * height:.1f}h{width:.1f}v{height:.1f}h-{width:.1f}z"
        found.setdefault(int(strengths[row, column]), []).append(cell)
    shapes = [frame(left, top, array.shape[1] * width, array.shape[0] * height)]
    for shade, paths in sorted(found.items()):
        role = "negative" if shade < 0 else "accent"
        shapes.append(f'<path class="{role}" fill-opacity="{abs(shade) / SHADES:.3f}" d="{"".join(paths)}"/>')
    return shapes


def atlas(explanation: Explanation, parts: Sequence[str], address: str, words: bool, theme: Theme = "auto") -> Svg:
    """Who looks at whom, every head of the given parts: a row per part, a thumbnail per head."""
    pictures, names = [], []
    for part in parts:
        whole = by_words(explanation, f"{part}.weights") if words else explanation[f"{part}.weights"]
        pictures += list(whole)
        names += [f"{part}.h{head}" for head in range(len(whole))]
    caption = f"{address}: attention weights, {len(pictures)} heads · {explanation.question.text}"
    off = set(explanation.heads_off)
    labels = [f"{name} (off)" if name in off else name for name in names]
    rows = columns = None
    if len(parts) == 1 and len(pictures) <= 16:  # large enough to be read
        axes = axes_of(explanation, f"{parts[0]}.weights")
        rows, columns = _labels(axes[1], words), _labels(axes[2], words)
    return wall(pictures, labels, explanation.architecture.heads, caption, theme, rows, columns)


def wall(
    pictures: Sequence[Array],
    names: Sequence[str],
    across: int,
    caption: str,
    theme: Theme = "auto",
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Svg:
    """Many small matrices of one size, named; `across` of them in a row."""
    high, broad = pictures[0].shape
    across = min(across, len(pictures), 4 if rows and columns else across)
    room = max(90.0, (WIDEST - 40) / across - 24)
    side = max(1.0, min(18.0, room / broad))
    height = max(1.0, min(18.0, side if high <= 3 * broad else 200 / high))
    named = side >= LABELS_FROM
    left = max([wide(one, 9) for one in rows or [""]]) + 6 if rows and named else 0
    above = max([wide(one, 9) for one in columns or [""]]) * 0.72 + 8 if columns and named else 0
    step_x, step_y = left + max(broad * side, 90) + 22, above + high * height + 34
    shapes = [text(MARGIN, 20, caption, "muted")]
    for index, (picture, name) in enumerate(zip(pictures, names, strict=True)):
        x = MARGIN + left + (index % across) * step_x
        y = CAPTION + 16 + above + (index // across) * step_y
        shapes.append(text(x, y - above - 5, name, size=11))
        if above and columns:
            shapes += [text(x + (j + 0.5) * side + 2, y - 3, one, size=9, turn=-45) for j, one in enumerate(columns)]
        if left and rows and height >= 8:
            shapes += [
                text(x - 4, y + (i + 0.5) * height + 3, one, size=9, anchor="end") for i, one in enumerate(rows)
            ]
        shapes += mosaic(picture, x, y, side, height)
    down = -(-len(pictures) // across)
    width = max(2 * MARGIN + across * step_x, wide(caption) + 2 * MARGIN)
    return document(width, CAPTION + down * step_y + MARGIN, shapes, caption, theme)


def bars(array: Array, labels: Sequence[str] | None, caption: str, theme: Theme = "auto") -> Svg:
    """A row of numbers; where nothing names them, a strip of colour instead of bars."""
    if labels is None:
        return heat_map(array[None], [Axis("row"), Axis("index")], caption, theme=theme)
    left = MARGIN + max(wide(label) for label in labels) + 10
    largest = float(np.abs(array[np.isfinite(array)]).max(initial=1e-9))
    shapes = [text(MARGIN, 20, caption, "muted")]
    for index, (label, value) in enumerate(zip(labels, array.tolist(), strict=True)):
        y = CAPTION + index * 22
        shapes.append(text(left - 6, y + 14, label, anchor="end"))
        length = 300 * min(1.0, abs(value) / largest) if np.isfinite(value) else 0
        shapes.append(rect(left, y + 3, length, 14, "negative" if value < 0 else "accent", 0.85))
        shapes.append(text(left + length + 6, y + 14, number(value, 4), "muted", size=11))
    width = max(left + 400, wide(caption) + 2 * MARGIN)
    return document(width, CAPTION + len(labels) * 22 + MARGIN, shapes, caption, theme)


def heat_map(array: Array, axes: Sequence[Axis], caption: str, words: bool = False, theme: Theme = "auto") -> Svg:
    """A matrix with the labels of its axes."""
    rows, columns = _labels(axes[0], words), _labels(axes[1], words)
    if rows is not None and axes[0].name == "predicting":
        rows = [f"→ {label}" for label in rows]
    return matrix(array, rows, columns, caption, axes[1].name, [] if words else _spans(axes[1]), theme)


def tape(
    explanation: Explanation, address: str, array: Array, axes: Sequence[Axis], caption: str, theme: Theme = "auto"
) -> Svg:
    """Numbers over a whole vocabulary: the five largest of each row, one column per row."""
    table = array.reshape(-1, array.shape[-1])
    sized = zip(axes[:-1], array.shape[:-1], strict=True)
    labels = [axis.labels or [str(index) for index in range(size)] for axis, size in sized]
    heads = [" → ".join(one) if len(one) > 1 else f"→ {one[0]}" if one else "" for one in product(*labels)]
    pieces = explanation.source_piece if address.startswith("mlm") else explanation.piece
    columns = []
    for row, values in enumerate(table):
        best = [(pieces(one), float(values[one])) for one in top_k(values, 5)]
        columns.append((heads[row], best))
    return columns_of_bars(columns, caption, theme, min(9, array.shape[-2]) if array.ndim == 3 else 9)


def decode_tape(steps: Sequence[tuple[str, Sequence[Guess]]], caption: str, theme: Theme = "auto") -> Svg:
    """The decoder's steps: one column per step, the top tokens of each, the chosen one on top."""
    return columns_of_bars(
        [(f"→ {name}", [(g.text, g.probability) for g in found]) for name, found in steps], caption, theme
    )


def columns_of_bars(
    columns: Sequence[tuple[str, Sequence[tuple[str, float]]]], caption: str, theme: Theme = "auto", across: int = 9
) -> Svg:
    width = 116.0
    most = max((len(found) for _, found in columns), default=0)
    height = 34 + most * 20
    largest = max([1.0] + [value for _, found in columns for _, value in found])
    shapes = [text(MARGIN, 20, caption, "muted")]
    for index, (name, found) in enumerate(columns):
        x, y = MARGIN + (index % across) * width, CAPTION + (index // across) * height
        shapes.append(text(x, y + 14, cut(name, 116, 13), size=13))
        for rank, (piece, value) in enumerate(found):
            top = y + 22 + rank * 20
            shapes.append(rect(x, top, max(0.0, value / largest) * (width - 14), 16, "accent", 0.28))
            shapes.append(text(x + 3, top + 12, cut(piece, 62, 11), size=11))
            shapes.append(text(x + width - 18, top + 12, number(value), "muted", "end", 10))
    down = max(1, -(-len(columns) // across))
    wide_enough = max(2 * MARGIN + min(across, max(1, len(columns))) * width, wide(caption) + 2 * MARGIN)
    return document(wide_enough, CAPTION + down * height + MARGIN, shapes, caption, theme)


def links(explanation: Explanation, theme: Theme = "auto") -> Svg:
    """Which written word comes from which given one."""
    found = explanation.once(alignment)
    return word_links(found.source, found.target, found.weights, found.said, theme)


def beam(explanation: Explanation, theme: Theme = "auto") -> Svg:
    """The search as a grid: one column per step, best on top; what was given up is grey."""
    search = explanation.search
    if search is None or not search.steps:
        raise DhyanError("there is no beam to draw: the text was given, or forced to its end.")
    width, height = 112.0, 34.0
    shapes = [text(MARGIN, 20, f"beam {search.beam} · {explanation.question.text}", "muted")]
    for number_of_step, step in enumerate(search.steps):
        for one in step:
            x, y = MARGIN + number_of_step * width, CAPTION + 20 + one.rank * height
            grey = one.fate in ("pruned", "dead end", "unfinished")
            if one.parent is not None:
                parent_y, best = CAPTION + 20 + one.parent * height, one.fate == "best"
                role, thick, opacity = ("link", 2, 1.0) if best else ("edge", 1, 0.25 if grey else 1.0)
                shapes.append(line(x - 20, parent_y + 12, x, y + 12, role, thick, opacity))
            strength = 0.45 if one.fate == "best" else 0.05 if grey else 0.2
            shapes.append(rect(x, y, width - 20, height - 8, "accent", strength, tip=one.why))
            shapes.append(text(x + 4, y + 12, cut(explanation.piece(one.id), 80), opacity=0.5 if grey else 1))
            shapes.append(text(x + 4, y + 23, f"{number(one.score)} {one.fate}", "muted", size=9))
        shapes.append(text(MARGIN + number_of_step * width, CAPTION + 14, f"step {number_of_step}", "muted", size=10))
    rows = max(len(step) for step in search.steps)
    size = 2 * MARGIN + len(search.steps) * width, CAPTION + 30 + rows * height
    return document(*size, shapes, "the beam", theme)


def _labels(axis: Axis, words: bool) -> Sequence[str] | None:
    labels = axis.word_labels if words and axis.words is not None else axis.labels
    return None if labels is None else [cut(label, LONGEST) for label in labels]


def _spans(axis: Axis) -> list[Word]:
    """The words that are made of several pieces: they are written whole above them."""
    return [word for word in axis.words or () if word.end - word.start > 1]
