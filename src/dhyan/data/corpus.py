"""Corpora read row by row: tables, JSON lines, parallel files and plain text, none of it held in memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.data.header import Languages, plain_names
from dhyan.data.open_text import TABLES, format_of, has_columns, numbered_lines, open_binary, text_chunks
from dhyan.data.readers import json_keys, json_lists, json_rows, table_columns, table_lists, table_rows

_NO_LANGUAGES = ("", "")


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of one example, and where they stand."""

    columns: tuple[str, ...]
    file: Path
    line: int


def read_rows(
    files: Sequence[Path],
    names: Sequence[str],
    columns: Mapping[str, str] | None = None,
    languages: Languages = _NO_LANGUAGES,
) -> Iterator[Row]:
    """Read tables (`.tsv`, `.csv`, `.xlsx`) and `.jsonl` files, row by row, with the texts in the order of `names`.

    In a table the names stand for columns: those of its header, or without one, columns 1, 2, …; in JSON lines for
    keys. `columns` gives single names another column (by number or name) or key. `("text*",)` takes all columns of a
    table, or a list of texts in JSON: two at the least. The last names may end in ?, such as `score?`: rows may do
    without, and have an empty text there. A name that ends in [] may have a list in JSON, which becomes a
    `list_cell`. languages: of a translation, whose columns may be named by them.
    """
    chosen = columns or {}
    plain = plain_names(names)
    for name in chosen:
        if name not in plain:
            hint = did_you_mean(name, plain)
            raise DhyanError(f"There is no column '{name}' here{hint}; the columns are {', '.join(plain)}.")
    for file in files:
        found = False
        for line, texts in _rows_of(file, names, chosen, languages):
            found = True
            yield Row(texts, file, line)
        if not found:
            raise _empty(file)


def named_columns(
    file: Path, names: Sequence[str], columns: Mapping[str, str] | None = None, languages: Languages = _NO_LANGUAGES
) -> str:
    """What is read from a file whose columns have names: "label from column 'tag', …"; empty where they have none."""
    plain = plain_names(names)
    if format_of(file) in TABLES:
        found = table_columns(file, names, columns or {}, languages)
        alike = names[0].endswith("*") and found is not None
        return found.said(plain * len(found.places) if alike else plain) if found is not None else ""
    if format_of(file) != ".jsonl" or names[0].endswith("*"):
        return ""
    keys = json_keys(file, names, columns or {}, languages)
    return (
        ", ".join(f"{name} from key '{key}'" for name, key in zip(plain, keys, strict=True)) if keys != plain else ""
    )


def read_parallel(files: Sequence[Path]) -> Iterator[Row]:
    """Read files that belong together line by line: line 7 of one says what line 7 of the other says."""
    counts = [0] * len(files)
    for lines in zip_longest(*(numbered_lines(file) for file in files)):
        counts = [count + (line is not None) for count, line in zip(counts, lines, strict=True)]
        # Once a file has ended the others are only counted, so that the error can say how long they are.
        if len(set(counts)) == 1:
            yield Row(tuple(text for _, text in lines), files[0], counts[0])
    if len(set(counts)) > 1:
        lengths = " and ".join(f"{file} has {count} lines" for file, count in zip(files, counts, strict=True))
        raise DhyanError(f"{lengths}; line n of each parallel file must belong to line n of the others.")
    if not any(counts):
        raise _empty(files[0])


def read_lines(files: Sequence[Path], columns: Mapping[str, str] | None = None) -> Iterator[Row]:
    """Read one text per line: the whole line, a table's column `text` or its first, the key `text` of a `.jsonl`."""
    for file in files:
        if has_columns(file):
            yield from read_rows([file], ("text",), columns)
        else:
            yield from read_parallel([file])


def read_text(files: Sequence[Path], chunk_characters: int = 1 << 20) -> Iterator[str]:
    """Read whole files as running text in chunks, with every line break as it is."""
    for file in files:
        found = False
        for chunk in text_chunks(file, chunk_characters):
            found = True
            yield chunk
        if not found:
            raise _empty(file)


def _rows_of(
    file: Path, names: Sequence[str], columns: Mapping[str, str], languages: Languages
) -> Iterator[tuple[int, tuple[str, ...]]]:
    plain = plain_names(names)
    lists = len(names) == 1 and names[0].endswith("*")
    if format_of(file) in TABLES:
        return table_lists(file, plain[0], columns) if lists else table_rows(file, names, columns, languages)
    if format_of(file) == ".jsonl":
        return json_lists(file, plain[0], columns) if lists else json_rows(file, names, columns, languages)
    with open_binary(file):  # a file that is not there has no wrong name
        pass
    if format_of(file) == ".json":
        raise DhyanError(f"{file}: give JSON as .jsonl, one object per line: jq -c '.[]' {file} > NEW-FILE.jsonl")
    sides = ", or give the two sides as two parallel files" if plain == ["source", "target"] else ""
    raise DhyanError(
        f"{file}: {', '.join(plain)} can be read only from .tsv, .csv, .xlsx and .jsonl files (also .gz, .xz or .zst)"
        f"; rename or convert the file{sides}."
    )


def _empty(file: Path) -> DhyanError:
    return DhyanError(f"{file} is empty; name a file that holds text.")
