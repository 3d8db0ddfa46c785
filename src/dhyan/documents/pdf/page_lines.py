"""The pieces of text on a page → lines in reading order: column by column, from top to bottom.

Where a piece ends is not written in a PDF; its width is estimated from its letters.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

# Widths of a common sans-serif font, in parts of the font size.
_WIDTHS = {
    character: width
    for width, characters in {
        0.22: "ijl'",
        0.28: "ftI.,:;!/ |[]",
        0.33: 'r()-"`',
        0.5: "ckszvxyJ",
        0.56: "abdeghnopquL0123456789?_#$€",
        0.61: "FTZ",
        0.67: "ABEKPSVXY&",
        0.72: "CDHNRUw",
        0.78: "GOQ",
        0.83: "mM",
        0.94: "W%@",
    }.items()
    for character in characters
}
MARKER = re.compile(r"[•‣▪▫◦●○■□·∙➢➤✓❖\uf0b7\uf0a7\uf0d8\uf0fc*–—-]|\(?(?:\d{1,3}|[a-z])[.)]")  # of a list item
_MONOSPACED_WIDTH = 0.6
_SERIF_WIDTH = 0.9  # of the same letters without serifs
_FEWEST_LINES = 4  # that begin at one place, for a column


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text, and where its baseline begins; y grows upwards."""

    text: str
    x: float
    y: float
    size: float
    bold: bool = False
    monospaced: bool = False
    serif: bool = False
    order: int = 0  # in which the program wrote it

    @property
    def end(self) -> float:
        if self.monospaced:
            return self.x + self.size * _MONOSPACED_WIDTH * len(self.text.rstrip())
        width = self.size * sum(_WIDTHS.get(character, 0.56) for character in self.text.rstrip())
        return self.x + width * (_SERIF_WIDTH if self.serif else 1)


@dataclass(frozen=True, slots=True)
class Line:
    """Pieces side by side: one cell, or several with wide gaps between them."""

    cells: tuple[str, ...]
    starts: tuple[float, ...]  # of the cells
    y: float
    end: float
    size: float
    bold: bool
    monospaced: bool
    column: tuple[float, float]  # where its column begins and ends

    @property
    def text(self) -> str:
        return " ".join(self.cells)

    @property
    def x(self) -> float:
        return self.starts[0]


def page_lines(pieces: Sequence[Piece]) -> list[Line]:
    """The lines of a page, in the order in which they are read."""
    pieces = [piece for piece in pieces if piece.text.strip()]
    if not pieces:
        return []
    starts = _columns(pieces)
    right = max(piece.end for piece in pieces)
    edges = [*starts, right]
    lines: list[Line] = []
    band: list[list[Piece]] = [[] for _ in starts]
    for row in _rows(pieces):
        spanning = [piece for piece in row if _spans(piece, edges)]
        if spanning:
            lines += _read(band, edges)
            band = [[] for _ in starts]
            lines.append(_line(row, (edges[0], right)))
            continue
        for piece in row:
            band[_column_of(piece, starts)].append(piece)
    return [*lines, *_read(band, edges)]


def _rows(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Pieces at one height, from the top."""
    row: list[Piece] = []
    for piece in sorted(pieces, key=lambda one: (-one.y, one.x)):
        if row and abs(row[0].y - piece.y) > 0.4 * max(row[0].size, piece.size):
            yield sorted(row, key=lambda one: one.x)
            row = []
        row.append(piece)
    if row:
        yield sorted(row, key=lambda one: one.x)


def _read(band: Sequence[Sequence[Piece]], edges: Sequence[float]) -> Iterator[Line]:
    below: list[Line] = []
    for number, (pieces, start) in enumerate(zip(band, edges, strict=False)):
        ends = sorted(piece.end for piece in pieces)
        later = max((piece.order for others in band[number + 1 :] for piece in others), default=None)
        rows = list(_rows(pieces))
        last = len(rows)
        while last and later is not None and min(piece.order for piece in rows[last - 1]) > later:
            last -= 1  # written after the columns, so it follows them
        lines = [_line(row, (start, ends[len(ends) * 9 // 10])) for row in rows]
        yield from lines[:last]
        below += lines[last:]
    yield from below


def _column_of(piece: Piece, starts: Sequence[float]) -> int:
    return max((number for number, start in enumerate(starts) if piece.x >= start - piece.size), default=0)


def _spans(piece: Piece, edges: Sequence[float]) -> bool:
    """Whether a piece goes on into the next column."""
    column = _column_of(piece, edges[:-1])
    if column + 2 >= len(edges):
        return False
    return piece.end > edges[column + 1] + 0.15 * (edges[column + 1] - edges[column])


def _columns(pieces: Sequence[Piece]) -> list[float]:
    """Where the columns of a page begin.

    Lines of running text begin at one place and nearly reach the next column; cells of a table are short.
    """
    rows = list(_rows(pieces))
    runs = [run for row in rows for run in _runs(row)]
    begins = Counter(round(start / 3) for start, _ in runs)
    frequent = sorted(place * 3.0 for place, count in begins.items() if count >= max(_FEWEST_LINES, len(rows) / 8))
    starts = frequent[:1] or [min(start for start, _ in runs)]
    for place in frequent:
        width = place - starts[-1]
        widths = [end - starts[-1] for start, end in runs if starts[-1] - 3 <= start < place - 3]
        if width < 8 * _body_size(pieces):
            continue  # an indent
        full = sum(0.55 * width < one <= 1.08 * width for one in widths)
        longer = sum(one > 1.08 * width for one in widths)
        if full >= _FEWEST_LINES and 2 * full > len(widths) - longer and longer < full:
            starts.append(place)
    return starts


def _runs(row: Sequence[Piece]) -> Iterator[tuple[float, float]]:
    """Where text begins and ends in a row, whatever fonts it is in."""
    start, end = row[0].x, row[0].end
    for piece in row[1:]:
        if piece.x - end > 0.8 * piece.size:
            yield start, end
            start = piece.x
        end = piece.end
    yield start, end


def _body_size(pieces: Iterable[Piece]) -> float:
    sizes: Counter[float] = Counter()
    for piece in pieces:
        sizes[piece.size] += len(piece.text)
    return sizes.most_common(1)[0][0]


def _line(row: Sequence[Piece], column: tuple[float, float]) -> Line:
    cells = [row[0].text]
    starts = [row[0].x]
    for before, piece in pairwise(row):
        gap = piece.x - before.end
        marker = before is row[0] and MARKER.fullmatch(before.text.strip())
        if gap > 1.6 * piece.size + 0.1 * (before.end - before.x) and not marker:
            cells.append(piece.text)
            starts.append(piece.x)
            continue
        touches = cells[-1][-1:].isspace() or piece.text[:1].isspace() or gap < 0.12 * piece.size
        cells[-1] += piece.text if touches else f" {piece.text}"
    letters = sum(len(piece.text.strip()) for piece in row)
    bold = sum(len(piece.text.strip()) for piece in row if piece.bold)
    monospaced = sum(len(piece.text.strip()) for piece in row if piece.monospaced)
    size = max(row, key=lambda piece: len(piece.text)).size
    return Line(
        tuple(" ".join(cell.split()) for cell in cells),
        tuple(starts),
        row[0].y,
        row[-1].end,
        size,
        bold > 0.9 * letters,
        monospaced > 0.9 * letters,
        column,
    )
