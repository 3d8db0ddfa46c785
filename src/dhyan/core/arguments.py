"""What a caller of the Python API gives, checked: a wrong type is a `DhyanError`, too."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, SupportsIndex

from dhyan.core.errors import DhyanError


def kind_of(value: object) -> str:
    """What was given instead, for a message."""
    if isinstance(value, bytes | bytearray):
        return "bytes; decode them first, such as data.decode('utf-8')"
    return "None" if value is None else type(value).__name__


def check_text(value: object, what: str = "a text") -> str:
    if isinstance(value, str):
        return value
    raise DhyanError(f"{what} must be a str, not {kind_of(value)}.")


def check_texts(values: object) -> list[str]:
    """One text or many, as a list; anything else is refused."""
    if isinstance(values, str):
        return [values]
    if isinstance(values, bytes | bytearray) or not isinstance(values, Iterable):
        raise DhyanError(f"give a text (str) or a list of texts, not {kind_of(values)}.")
    return [check_text(value) for value in values]


def check_whole(value: object, what: str) -> int:
    """A whole number of Python's or of NumPy's."""
    if isinstance(value, SupportsIndex):
        return value.__index__()
    raise DhyanError(f"{what} is a whole number, not {kind_of(value)}.")


def check_several(value: object, what: str) -> list[Any]:
    """One or many, as a list; None is none. what: what one of them is, such as "a head"."""
    if value is None:
        return []
    if isinstance(value, str | SupportsIndex):
        return [value]
    if isinstance(value, bytes | bytearray) or not isinstance(value, Iterable):
        raise DhyanError(f"give {what} or a list of them, not {kind_of(value)}.")
    return list(value)


def check_path(value: object, what: str) -> Path:
    """what: whose path it is, such as "the recipe"."""
    if not isinstance(value, str | Path):
        raise DhyanError(f"{what} is named by its path (str or Path), not by {kind_of(value)}.")
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError:
        encoded = b""
    if not encoded or b"\0" in encoded:
        raise DhyanError(f"{what}: {str(value)!r} is no path; name a file.")
    return Path(value)


def check_mapping(value: object, what: str, example: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    raise DhyanError(f"{what} is a dict, such as {example}, not {kind_of(value)}.")


def check_function(value: object, what: str) -> Callable[..., object]:
    if callable(value):
        return value
    raise DhyanError(f"{what} is a function to be called, not {kind_of(value)}.")
