"""Rows of JSON lines: one object a line, its texts under keys."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.data.open_text import numbered_lines


def json_rows(file: Path, names: Sequence[str], columns: Mapping[str, str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line number and the named texts of each line; other keys are left alone, and so are empty lines.

    A name that ends in ? may lack its key: it is then empty.
    """
    plain = [name.removesuffix("?") for name in names]
    keys = [columns.get(name, name) for name in plain]
    may_lack = {key for key, name in zip(keys, names, strict=True) if name.endswith("?")}
    for line, found in _objects(file):
        where = f"{file}, line {line}"
        lacks = may_lack - found.keys()
        yield line, tuple("" if key in lacks else _text(_value(found, key, where), key, where) for key in keys)


def json_lists(file: Path, name: str, columns: Mapping[str, str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line number and the texts of each line, of which there must be two, listed under one key."""
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
