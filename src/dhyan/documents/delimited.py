"""Tables, CSV and TSV: cells are translated, the header and everything that is not prose stay as they are.

CSV cells may be quoted, with delimiters and line breaks inside; TSV has no quoting.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.documents.identifier_columns import identifier_columns
from dhyan.documents.line_reader import Line, LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Remark, Text, Unit, has_letters

_DELIMITERS = ",;\t|"
_SNIFFED_LINES = 20
_SEEN_ROWS = 100  # what a column holds is judged by these
_LONGEST_CELL = 1 << 20
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


class _Cell(NamedTuple):
    raw: str
    text: str
    line: int


def read_csv(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    lines = iter(source)
    first = list(islice(lines, _SNIFFED_LINES))
    delimiter = _named(options.delimiter) if options.delimiter else _sniffed(first)
    records = _csv_records(source.name, chain(first, lines), delimiter)
    return _units(source.name, records, options, delimiter, partial(_csv_cell, delimiter=delimiter))


def read_tsv(source: LineReader, options: DocumentOptions) -> Iterator[Unit]:
    records = (([_Cell(cell, cell, line.number) for cell in line.text.split("\t")], line.end) for line in source)
    return _units(source.name, records, options, "\t", lambda text, _: re.sub(r"[\t\r\n]+", " ", text))


def _units(
    name: str,
    records: Iterator[tuple[list[_Cell], str]],
    options: DocumentOptions,
    delimiter: str,
    spell: Callable[[str, str], str],
) -> Iterator[Unit]:
    seen = list(islice(records, _SEEN_ROWS))
    if not seen:
        return
    header = [cell.text.strip() for cell in seen[0][0]]
    chosen = _chosen(name, options, header)
    rows = [[cell.text.strip() for cell in cells] for cells, _ in seen[options.header :]]
    left = set() if chosen else identifier_columns(rows, header if options.header else [])
    if left:
        yield Remark(_left_columns(sorted(left), header if options.header else []))
    for row, (cells, end) in enumerate(chain(seen, records)):
        for index, cell in enumerate(cells):
            if index:
                yield Fixed(delimiter)
            kept = (row == 0 and options.header) or (chosen and index not in chosen) or index in left
            kept = kept or not has_letters(cell.text)
            yield Fixed(cell.raw) if kept else _text(cell, spell)
        yield Fixed(end)


def _left_columns(left: list[int], header: list[str]) -> str:
    names = ", ".join(header[index] if index < len(header) and header[index] else str(index + 1) for index in left)
    if len(left) == 1:
        return f"column {names} holds identifiers and is left as it is; --columns says which ones to translate."
    return f"columns {names} hold identifiers and are left as they are; --columns says which ones to translate."


def _text(cell: _Cell, spell: Callable[[str, str], str]) -> Text:
    core = cell.text.strip()
    start = cell.text.index(core)
    before, after = cell.text[:start], cell.text[start + len(core) :]
    return Text(core, cell.line, cell.raw, lambda translation: spell(before + translation + after, cell.raw))


def _csv_cell(text: str, raw: str, delimiter: str) -> str:
    must_quote = raw.lstrip(" ").startswith('"') or re.search(f'[{re.escape(delimiter)}"\r\n]', text)
    return '"' + text.replace('"', '""') + '"' if must_quote else text


def _csv_records(name: str, lines: Iterator[Line], delimiter: str) -> Iterator[tuple[list[_Cell], str]]:
    # Spaces before a quote are allowed for where the cell ends well on the same line.
    padded = re.compile(rf' +("(?:[^"]|"")*+") *(?={re.escape(delimiter)}|$)')
    for line in lines:
        text, end = line.text, line.end
        cells: list[_Cell] = []
        start = counted = 0
        number = line.number
        while start <= len(text):
            number += text.count("\n", counted, start)
            counted = start
            value = ""
            after = start  # the quoted part ends here
            if text.startswith('"', start):
                closing = _closing_quote(text, start + 1)
                searched = len(text)
                while closing < 0:
                    more = next(lines, None)
                    if more is None or searched - start > _LONGEST_CELL:
                        raise DhyanError(
                            f"{name}, line {number}: a cell opens with a quote that nothing closes; mend it."
                        )
                    text += end + more.text
                    end = more.end
                    closing = _closing_quote(text, searched)
                    searched = len(text)
                value, after = text[start + 1 : closing].replace('""', '"'), closing + 1
            elif found := padded.match(text, start):
                value, after = found[1][1:-1].replace('""', '"'), found.end()
            stop = text.find(delimiter, after)
            stop = len(text) if stop < 0 else stop
            cells.append(_Cell(text[start:stop], value + text[after:stop], number))
            start = stop + 1
        yield cells, end


def _closing_quote(text: str, start: int) -> int:
    """The quote that ends a cell; two in a row stand for one inside it."""
    index = text.find('"', start)
    while index >= 0 and text.startswith('"', index + 1):
        index = text.find('"', index + 2)
    return index


def _sniffed(lines: Sequence[Line]) -> str:
    """The delimiter that the first line has and that most others have as often; a comma if there is none."""
    bare = _QUOTED.sub("", "".join(line.raw for line in lines)).splitlines()

    def fit(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in bare if line.strip()]
        return (counts.count(counts[0]), counts[0]) if counts and counts[0] else (0, 0)

    return max(_DELIMITERS, key=fit)


def _named(delimiter: str) -> str:
    found = "\t" if delimiter in ("tab", "\\t") else delimiter
    if len(found) != 1 or found in '"\r\n':
        raise DhyanError(f"The delimiter {delimiter!r} cannot stand between cells; give one character, or 'tab'.")
    return found


def _chosen(name: str, options: DocumentOptions, header: list[str]) -> set[int] | None:
    """The indices of the columns that the user named, by name or by number from 1; None means all."""
    return {_column_index(name, column, header, options.header) for column in options.columns} or None


def _column_index(name: str, column: str, header: list[str], named: bool) -> int:
    if named and column in header:
        return header.index(column)
    if column.isascii() and column.isdigit() and 1 <= int(column) <= len(header):
        return int(column) - 1
    names = [title for title in header if title] if named else []
    there = f"the columns are {', '.join(names)}" if names else f"there are columns 1 to {len(header)}, and no names"
    raise DhyanError(f"{name}: there is no column '{column}'{did_you_mean(column, names)}; {there}.")
