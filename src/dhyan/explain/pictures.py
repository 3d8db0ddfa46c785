"""Pictures of plain data: a matrix with names, and links between the words of two texts.

What an analysis finds shows itself in a notebook by them; `views.figures` draws any address by them.
"""

from collections.abc import Sequence

import numpy as np

from dhyan.core.shown import Svg
from dhyan.core.svg import Theme, cut, document, frame, line, number, rect, text, wide
from dhyan.explain.formulas import Array
from dhyan.explain.token_view import Word

MARGIN, CAPTION = 16.0, 34.0
WIDEST = 1100.0  # of the cells of one matrix
LARGE, SMALL = 34.0, 3.0  # of a cell
NUMBERS_UP_TO = 14  # columns: beyond that, numbers would not be readable
LONGEST = 150.0  # of a label
LABELS_FROM = 11.0  # cells smaller than this get no label each


def matrix(
    array: Array,
    row_labels: Sequence[str] | None,
    column_labels: Sequence[str] | None,
    caption: str,
    counted: str = "",
    spans: Sequence[Word] = (),
    theme: Theme = "auto",
) -> Svg:
    """A matrix with its labels; numbers in the cells where there is room for them.

    counted: what the columns are, where they have no names. spans: words of several columns, written above them.
    """
    rows, columns = array.shape
    side = max(SMALL, min(LARGE, WIDEST / columns))
    height = max(SMALL, min(LARGE * 0.8, 900 / rows))
    left = MARGIN + max([wide(label) for label in row_labels or [""]] + [0]) + 10
    slanted = column_labels is not None and side >= LABELS_FROM
    top = CAPTION + (max(wide(label) for label in column_labels) * 0.72 + 16 if slanted and column_labels else 20)
    spans = spans if side >= LABELS_FROM else ()
    top += 18 if spans else 0
    shapes = [text(MARGIN, 20, caption, "muted")]
    for word in spans:
        x, width = left + word.start * side, (word.end - word.start) * side
        shapes += [text(x + width / 2, CAPTION + 12, cut(word.text, width), anchor="middle")]
        shapes += [line(x + 2, CAPTION + 17, x + width - 2, CAPTION + 17)]
    if slanted and column_labels:
        shapes += [
            text(left + (index + 0.5) * side + 3, top - 6, label, turn=-45)
            for index, label in enumerate(column_labels)
        ]
    elif column_labels is None:
        shapes.append(text(left, top - 6, f"{counted} 0 … {columns - 1}", "muted"))
    if row_labels is not None and height >= LABELS_FROM:
        left_of = [
            text(left - 6, top + (index + 0.5) * height + 4, label, anchor="end")
            for index, label in enumerate(row_labels)
        ]
        shapes += left_of
    shapes += cells(array, left, top, side, height, numbers=columns <= NUMBERS_UP_TO and side >= LARGE)
    width = max(left + columns * side + 60, wide(caption) + 2 * MARGIN)
    return document(width, top + rows * height + MARGIN, shapes, caption, theme)


def cells(array: Array, left: float, top: float, width: float, height: float, numbers: bool = False) -> list[str]:
    """The matrix itself. Full colour is the largest number: 1 for weights, else the largest that there is."""
    scale = full_colour(array)
    shapes = [frame(left, top, array.shape[1] * width, array.shape[0] * height)]
    for row, values in enumerate(array):
        for column, value in enumerate(values.tolist()):
            x, y = left + column * width, top + row * height
            strength = min(1.0, abs(value) / scale) if np.isfinite(value) else 0.0
            if strength > 0.002:
                role = "negative" if value < 0 else "accent"
                shapes.append(rect(x, y, width, height, role, strength, tip=number(value, 5)))
            if numbers:
                on = "paper" if strength > 0.55 else "ink"
                digits = 2 if abs(value) < 100 else 0
                shapes.append(text(x + width / 2, y + height / 2 + 4, number(value, digits), on, "middle", 10))
    return shapes


def word_links(source: Sequence[str], target: Sequence[str], weights: Array, said: str, theme: Theme = "auto") -> Svg:
    """Given words above, written words below, and a line as strong as the weight between them."""
    gap = 18.0

    def centres(words: Sequence[str]) -> list[float]:
        x, middles = MARGIN, []
        for word in words:
            middles.append(x + wide(word, 15) / 2)
            x += wide(word, 15) + gap
        return middles

    above, below = centres(source), centres(target)
    shapes = [text(MARGIN, 20, f"alignment · {said}", "muted")]
    top, bottom = CAPTION + 24, CAPTION + 150
    for i, row in enumerate(weights):
        for j, weight in enumerate(row.tolist()):
            if weight > 0.05:
                shapes.append(line(above[j], top + 8, below[i], bottom - 18, "link", 0.6 + 3 * weight, weight))
    shapes += [text(x, top, word, anchor="middle", size=15) for x, word in zip(above, source, strict=True)]
    shapes += [text(x, bottom, word, anchor="middle", size=15) for x, word in zip(below, target, strict=True)]
    width = max([*above, *below, 0]) + 80
    return document(max(width, wide(said) + 120), bottom + MARGIN, shapes, "alignment", theme)


def full_colour(array: Array) -> float:
    """Full colour stands for 1 where the numbers are shares of 1, else for the largest of them."""
    finite = array[np.isfinite(array)]
    largest = float(np.abs(finite).max(initial=0.0))
    shares = largest <= 1 and not (finite < 0).any()
    return 1.0 if shares or largest == 0 else largest
