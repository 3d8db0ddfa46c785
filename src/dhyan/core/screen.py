"""Lines, tables and a status line for a person to read. Styles are only sent to a terminal; other output is plain."""

import os
import shutil
import sys
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

BOLD, DIM, ITALIC = "1", "2", "3"  # codes of ANSI terminals
_RESET = "\x1b[0m"
_CLEAR_LINE = "\r\x1b[2K"
_LEAST_COLUMN = 8  # a column of a table that is too wide is not made narrower than this


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody sits at it; a stream may also be closed, or missing."""
    return stream is not None and not stream.closed and stream.isatty()


def on_colour(ink: str, background: tuple[int, int, int]) -> str:
    """The style of "black" or "white" characters on a background of red, green and blue (0 to 255)."""
    return f"{37 if ink == 'white' else 30};48;2;{';'.join(map(str, background))}"


@dataclass(frozen=True, slots=True)
class Cell:
    """A text of a table with a style of its own."""

    text: str
    style: str = ""


def display_width(text: str) -> int:
    """How many columns of a terminal a text takes: marks above and below letters take none, Chinese takes two."""
    return sum(map(_character_width, text))


def padded(text: str, width: int, right: bool = False) -> str:
    """The text with blanks after it, or before it, up to a display width."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def shortened_to(text: str, width: int) -> str:
    """The text, or as much of it as fits with an ellipsis."""
    return text if display_width(text) <= width else _cut(text, width - 1)[0] + "…"


def folded(text: str, width: int) -> list[str]:
    """The text in lines of at most this display width, broken between words where that is possible."""
    lines: list[str] = []
    for paragraph in text.splitlines() or [""]:
        line = ""
        for word in paragraph.split(" "):
            joined = f"{line} {word}" if line else word
            if display_width(joined) <= width:
                line = joined
                continue
            if line:
                lines.append(line)
            line = word
            while display_width(line) > width:
                first, line = _cut(line, width)
                lines.append(first)
        lines.append(line)
    return lines


class Screen:
    """Standard output, the error stream, or a file, as it is when something is printed."""

    def __init__(self, stderr: bool = False, file: TextIO | None = None, width: int | None = None) -> None:
        self._stderr, self._file, self._width = stderr, file, width
        self._status = ""

    @property
    def stream(self) -> TextIO:
        return self._file or (sys.stderr if self._stderr else sys.stdout)

    @property
    def is_terminal(self) -> bool:
        return is_terminal(self.stream) and os.environ.get("TERM") != "dumb"

    @property
    def width(self) -> int:
        return self._width or shutil.get_terminal_size().columns

    def print(self, text: str = "", style: str = "") -> None:
        """One line; the terminal breaks it if it is longer than the screen."""
        shown = self._styled(text, style) + "\n"
        self.stream.write(f"{_CLEAR_LINE}{shown}{self._status}" if self._status else shown)
        self.stream.flush()

    def status(self, text: str) -> None:
        """A line at the bottom of a terminal that the next one replaces; an empty one removes it."""
        self._status = shortened_to(text, self.width - 1)
        self.stream.write(_CLEAR_LINE + self._status)
        self.stream.flush()

    def table(
        self,
        rows: Sequence[Sequence[str | Cell]],
        headers: Sequence[str] = (),
        *,
        header_style: str = BOLD,
        indent: int = 0,
        gap: int = 2,
        right: Sequence[int] = (),
        least: Sequence[int] | None = None,
    ) -> None:
        """Rows under headers. Columns are as wide as they need to be; if that is too wide, texts are folded.

        right: columns that are aligned to the right. least: the display width that each column keeps, however
        narrow the screen is.
        """
        cells = [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
        if headers:
            cells.insert(0, [Cell(header, header_style) for header in headers])
        if not cells:
            return
        widths = [max(_longest_line(cell.text) for cell in column) for column in zip(*cells, strict=True)]
        room = self.width - indent - gap * (len(widths) - 1)
        widths = _fitted(widths, least or [min(width, _LEAST_COLUMN) for width in widths], room)
        for row in cells:
            columns = [folded(cell.text, width) for cell, width in zip(row, widths, strict=True)]
            for index in range(max(map(len, columns))):
                line = [
                    self._styled(padded(lines[index] if index < len(lines) else "", width, at in right), cell.style)
                    for at, (lines, width, cell) in enumerate(zip(columns, widths, row, strict=True))
                ]
                self.print((" " * indent + (" " * gap).join(line)).rstrip())

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}{_RESET}" if style and self._has_styles else text

    @property
    def _has_styles(self) -> bool:
        """A terminal has, other output not, unless the user says otherwise (no-color.org, force-color.org)."""
        if os.environ.get("NO_COLOR"):
            return False
        return bool(os.environ.get("FORCE_COLOR")) or self.is_terminal


def _character_width(character: str) -> int:
    if " " <= character <= "~":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _longest_line(text: str) -> int:
    return max(map(display_width, text.splitlines()), default=0)


def _cut(text: str, width: int) -> tuple[str, str]:
    """The text in two, the first part as long as the display width allows, and at least one character."""
    taken = 0
    for index, character in enumerate(text):
        taken += _character_width(character)
        if taken > width and index:
            return text[:index], text[index:]
    return text, ""


def _fitted(widths: list[int], least: Sequence[int], room: int) -> list[int]:
    """Widths that fit into the room: the widest column that may become narrower does, again and again."""
    widths = list(widths)
    while sum(widths) > room:
        spare = [index for index in range(len(widths)) if widths[index] > least[index]]
        if not spare:
            break
        widest = max(spare, key=lambda index: widths[index])
        widths[widest] -= 1
    return widths
