"""JSON out of files that may be damaged or hostile: bounded in size, no key twice, no half of a character."""

import json
from pathlib import Path
from typing import Any


def read_json_object(path: Path, max_bytes: int) -> dict[str, Any]:
    """The object in a file; ValueError, with the reason as its message, if it holds none."""
    return parse_json_object(read_bounded_text(path, max_bytes))


def read_bounded_text(path: Path, max_bytes: int) -> str:
    """A file's text; ValueError if the file is larger than its kind ever is, or not UTF-8."""
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise ValueError(f"it is larger than {max_bytes // 1_000_000} MB")
    return data.decode("utf-8")


def parse_json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_without_repeats)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    if "\\u" in text:  # only an escape can smuggle half of a surrogate pair into UTF-8
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def depth_of(value: Any) -> int:
    """How deep lists and objects are nested: 0 for a plain value, 1 for a flat list."""
    depth, level = 0, [value]
    while level := [inner for outer in level for inner in _items(outer)]:
        depth += 1
    return depth


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values()) or [None]
    if isinstance(value, list):
        return value or [None]
    return []


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Readers differ in which of two values they take: what is checked here must be what is read there."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands in it twice")
    return found
