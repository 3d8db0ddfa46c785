"""Rows of TSV and JSON lines, one per line: the line's number and the texts under the names that are asked for.

A column of TSV is named by its number, the first being 1; a text of JSON lines by its key. Lines that are empty are
skipped, columns and keys that nobody asks for are ignored. A name that ends in ? may lack its text: it is then empty.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.data.open_text import numbered_lines

NumberedRow = tuple[int, tuple[str, ...]]  # line, texts


# -- TSV -----------------------------------------------------------------------------------------------------------


def tsv_rows(file: Path, names: Sequence[str], columns: Mapping[str, str]) -> Iterator[NumberedRow]:
    """The named columns of each line."""
    may_lack = [name.endswith("?") for name in names]
    names = [name.removesuffix("?") for name in names]
    numbers = [_column(file, name, columns.get(name, str(position))) for position, name in enumerate(names, start=1)]
    furthest = max(number for number, lacks in zip(numbers, may_lack, strict=True) if not lacks)
    for line, text in numbered_lines(file):
        if not text.strip(" "):
            continue
        cells = text.split("\t")
        if len(cells) < furthest:
            by_number = dict(zip(numbers, names, strict=True))
            must = names[: may_lack.count(False)]
            needed = (
                f"{len(must)} are needed ({', '.join(must)})"
                if furthest == len(must)
                else f"column {furthest} is needed ({by_number[furthest]})"
            )
            raise _too_few(file, line, cells, needed)
        yield line, tuple(cells[number - 1] if number <= len(cells) else "" for number in numbers)


def tsv_lists(file: Path, name: str) -> Iterator[NumberedRow]:
    """All the columns of each line, of which there must be two."""
    for line, text in numbered_lines(file):
        if not text.strip(" "):
            continue
        cells = text.split("\t")
        if len(cells) < 2:
            raise _too_few(file, line, cells, f"at least 2 are needed ({name})")
        # A table pads its short rows with empty cells. A row with one text left is for the cleaner to count.
        filled = tuple(cell for cell in cells if cell.strip())
        yield line, filled if len(filled) >= 2 else tuple(cells)


def _column(file: Path, name: str, number: str) -> int:
    if number.isascii() and number.isdigit() and int(number) > 0:
        return int(number)
    raise DhyanError(
        f"{file}: {name} is to be read from column '{number}', but a column of a .tsv file is named by its "
        "number, the first being 1."
    )


def _too_few(file: Path, line: int, cells: Sequence[str], needed: str) -> DhyanError:
    found = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
    return DhyanError(f"{file}, line {line}: {found} where {needed}, separated by tabs; fix or delete the line.")


# -- JSON lines ----------------------------------------------------------------------------------------------------


def json_rows(file: Path, names: Sequence[str], columns: Mapping[str, str]) -> Iterator[NumberedRow]:
    """The named texts of each line."""
    plain = [name.removesuffix("?") for name in names]
    keys = [columns.get(name, name) for name in plain]
    may_lack = {key for key, name in zip(keys, names, strict=True) if name.endswith("?")}
    for line, found in _objects(file):
        where = f"{file}, line {line}"
        lacks = may_lack - found.keys()
        yield line, tuple("" if key in lacks else _text(_value(found, key, where), key, where) for key in keys)


def json_lists(file: Path, name: str, columns: Mapping[str, str]) -> Iterator[NumberedRow]:
    """The texts of each line, of which there must be two, listed under one key."""
    key = columns.get(name, name)
    for line, found in _objects(file):
        where = f"{file}, line {line}"
        texts = _value(found, key, where)
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
