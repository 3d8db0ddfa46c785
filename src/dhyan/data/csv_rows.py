"""Rows of CSV: quoted cells with delimiters and line breaks inside, commas, semicolons, tabs or bars between them."""

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.open_text import numbered_lines

_DELIMITERS, _BAR = ",;\t", "|"
_SNIFFED_LINES = 20
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_NAMED_DELIMITER = re.compile(r"sep=(.)\r?\n?")  # a first line that Excel writes and reads
_OLD_MAC_BREAK = re.compile(r"(?<=\r)(?=[^\n])")


def csv_rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The line on which a row begins, and its cells; blank rows are left out."""
    lines = (part for _, line in numbered_lines(file, keep_ends=True) for part in _OLD_MAC_BREAK.split(line))
    first = list(islice(lines, _SNIFFED_LINES))
    skipped = 0
    if first and (named := _NAMED_DELIMITER.fullmatch(first[0])):
        delimiter, skipped = named[1], 1
    else:
        delimiter = _sniffed(first)
    ended = False

    def until_the_end() -> Iterator[str]:
        nonlocal ended
        yield from chain(first[skipped:], lines)
        ended = True  # and if a row is still to come, it is waiting for its quote

    reader = csv.reader(until_the_end(), delimiter=delimiter)
    begins = skipped + 1
    try:
        for cells in reader:
            if ended:
                raise DhyanError(f"{file}, line {begins}: a cell opens with a quote that nothing closes; mend it.")
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = skipped + reader.line_num + 1
    except csv.Error as error:
        raise DhyanError(
            f"{file}, line {begins} is not CSV ({error}); look for a quote that nothing closes, or give the data as"
            " .jsonl."
        ) from None


def _sniffed(lines: Sequence[str]) -> str:
    """The delimiter that the first line has and that most others have as often; a comma if there is none.

    A bar may stand between labels, too, so it counts only where nothing else does, and all lines have it as often.
    """
    bare = [line for line in _QUOTED.sub("", "".join(lines)).splitlines() if line.strip()]

    def fit(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in bare]
        return (counts.count(counts[0]), counts[0]) if counts and counts[0] else (0, 0)

    best = max(_DELIMITERS, key=fit)
    return _BAR if not fit(best)[0] and fit(_BAR)[0] == len(bare) > 1 else best
