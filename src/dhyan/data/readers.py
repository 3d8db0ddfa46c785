"""Rows of tables and of JSON lines: the number of a row's line, and the texts under the names that are asked for.

A column of a table is named by its number, the first being 1, or by its name in a header; a text of JSON lines by its
key. Blank lines are skipped, columns and keys that nobody asks for are ignored. A name that ends in ? may lack its
text: it is then empty. Under a name that ends in [] JSON may have a list of texts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.data.csv_rows import csv_rows
from dhyan.data.header import Columns, Languages, find_alike, find_columns, plain_names, well_known
from dhyan.data.list_cells import list_cell
from dhyan.data.open_text import TABLES, format_of, numbered_lines
from dhyan.data.xlsx_rows import NumberedCells, xlsx_rows

NumberedRow = tuple[int, tuple[str, ...]]  # line, texts

_SEEN_ROWS = 100  # what tell whether the first row is a header


def first_names(file: Path) -> list[str]:
    """What the first row calls its columns, if it does; none where a file does not say, or cannot be read."""
    try:
        if format_of(file) == ".jsonl":
            return list(next(_objects(file), (0, {}))[1])
        return list(next(_cells(file), (0, []))[1]) if format_of(file) in TABLES else []
    except DhyanError:  # whoever reads the rows says what is wrong
        return []


# -- tables: .tsv, .csv, .xlsx -------------------------------------------------------------------------------------


def table_columns(
    file: Path, names: Sequence[str], chosen: Mapping[str, str], languages: Languages
) -> Columns | None:
    """Where the texts of a table stand. None: in all the columns (of `("text*",)`), or there is no row."""
    return _opened(file, names, chosen, languages)[0]


def table_rows(
    file: Path, names: Sequence[str], chosen: Mapping[str, str], languages: Languages
) -> Iterator[NumberedRow]:
    """The named columns of each row."""
    columns, rows = _opened(file, names, chosen, languages)
    if columns is None:
        return
    needed = [place for place, name in zip(columns.places, names, strict=True) if not name.endswith("?")]
    furthest = max(place for place in needed if place is not None)
    for line, cells in rows:
        if len(cells) <= furthest:
            raise _too_few(file, line, cells, _needed(names, columns, furthest))
        texts = (cells[place] if place is not None and place < len(cells) else "" for place in columns.places)
        yield line, tuple(texts)


def table_lists(file: Path, name: str, chosen: Mapping[str, str]) -> Iterator[NumberedRow]:
    """All the columns of each row, of which there must be two, or those that are named."""
    columns, rows = _opened(file, (f"{name}*",), chosen, ("", ""))
    for line, cells in rows:
        if columns is not None:
            cells = [cells[place] for place in columns.places if place is not None and place < len(cells)]
        if len(cells) < 2:
            raise _too_few(file, line, cells, f"at least 2 are needed ({name})")
        # A table pads its short rows with empty cells. A row with one text left is for the cleaner to count.
        filled = tuple(cell for cell in cells if cell.strip())
        yield line, filled if len(filled) >= 2 else tuple(cells)


def _opened(
    file: Path, names: Sequence[str], chosen: Mapping[str, str], languages: Languages
) -> tuple[Columns | None, Iterator[NumberedCells]]:
    """Where the texts stand, and the rows without the header."""
    rows = _cells(file)
    first = list(islice(rows, _SEEN_ROWS))
    if not first:
        return None, rows
    seen, is_tsv = [cells for _, cells in first], format_of(file) == ".tsv"
    if names[0].endswith("*"):
        columns = find_alike(file, names[0].removesuffix("*"), chosen, seen, is_tsv)
    else:
        columns = find_columns(file, names, chosen, seen, languages, is_tsv)
    return columns, chain(first[1:] if columns and columns.header else first, rows)


def _cells(file: Path) -> Iterator[NumberedCells]:
    match format_of(file):
        case ".csv":
            return csv_rows(file)
        case ".xlsx":
            return xlsx_rows(file)
    return ((line, text.split("\t")) for line, text in numbered_lines(file) if text.strip(" "))


def _needed(names: Sequence[str], columns: Columns, furthest: int) -> str:
    must = plain_names([name for name in names if not name.endswith("?")])
    if furthest + 1 == len(must):
        return f"{len(must)} are needed ({', '.join(must)})"
    return f"column {furthest + 1} is needed ({plain_names(names)[columns.places.index(furthest)]})"


def _too_few(file: Path, line: int, cells: Sequence[str], needed: str) -> DhyanError:
    found = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
    by = ", separated by tabs" if format_of(file) == ".tsv" else ""
    return DhyanError(f"{file}, line {line}: {found} where {needed}{by}; fix or delete the line.")


# -- JSON lines ----------------------------------------------------------------------------------------------------


def json_keys(file: Path, names: Sequence[str], chosen: Mapping[str, str], languages: Languages) -> list[str]:
    """The key of each name: as it was chosen, the name itself, or a well-known other name in the first object."""
    plain = plain_names(names)
    _, first = next(_objects(file), (0, {}))
    there = list(first)
    known = well_known([name for name in plain if name not in chosen and name not in first], there, languages)
    return [there[known[name]] if name in known else chosen.get(name, name) for name in plain]


def json_rows(
    file: Path, names: Sequence[str], chosen: Mapping[str, str], languages: Languages
) -> Iterator[NumberedRow]:
    """The named texts of each line."""
    keys = json_keys(file, names, chosen, languages)
    may_lack = {key for key, name in zip(keys, names, strict=True) if name.endswith("?")}
    may_list = {key for key, name in zip(keys, names, strict=True) if name.endswith("[]")}
    for line, found in _objects(file):
        where = f"{file}, line {line}"
        lacks = may_lack - found.keys()
        yield (
            line,
            tuple(
                "" if key in lacks else _cell(_value(found, key, where), key, where, key in may_list) for key in keys
            ),
        )


def json_lists(file: Path, name: str, chosen: Mapping[str, str]) -> Iterator[NumberedRow]:
    """The texts of each line, of which there must be two: listed under one key, or under `text=first+second`."""
    key = chosen.get(name, name)
    for line, found in _objects(file):
        where = f"{file}, line {line}"
        several = [part.strip() for part in key.split("+")] if "+" in key and key not in found else []
        texts = [_value(found, one, where) for one in several] if several else _value(found, key, where)
        if not isinstance(texts, list) or len(texts) < 2:
            raise DhyanError(f"{where}: '{key}' must be a list of at least 2 texts.")
        yield line, tuple(_text(text, key, where) for text in texts)


def _objects(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in numbered_lines(file):
        if not text.strip():
            continue
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DhyanError(f"{file}, line {line} is not valid JSON: {error}.") from None
        if not isinstance(found, dict):
            raise DhyanError(f'{file}, line {line} is not a JSON object such as {{"text": "…"}}.')
        yield line, found


def _value(found: Mapping[str, Any], key: str, where: str) -> Any:
    if key in found:
        return found[key]
    there = ", ".join(found) or "none"
    raise DhyanError(f"{where}: there is no key '{key}'{did_you_mean(key, found)}; the keys there are: {there}.")


def _cell(value: Any, key: str, where: str, may_list: bool) -> str:
    if may_list and isinstance(value, list):
        return list_cell(_text(one, key, where) for one in value)
    return _text(value, key, where)


def _text(value: Any, key: str, where: str) -> str:
    if isinstance(value, bool | int | float):
        return json.dumps(value)  # a label may be written as a number or as true and false
    if not isinstance(value, str):
        raise DhyanError(f"{where}: '{key}' must be a text, and it is {json.dumps(value, ensure_ascii=True)[:40]}.")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        half = ascii(value[error.start])
        raise DhyanError(f"{where}: '{key}' holds half of a character ({half}); write the whole one.") from None
    return value
