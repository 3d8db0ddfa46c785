"""Which columns of a table hold identifiers and no prose: codes, slugs, addresses, keys, a closed set of states."""

import re
from collections.abc import Sequence

from dhyan.documents.messages import is_identifier
from dhyan.documents.units import has_letters

_KEY = re.compile(
    r"(?:.*[\W_])?(?:id|ids|uuid|guid|key|code|slug|sku|isbn|email|e-mail|mail|url|uri|link|href|path|file|filename|image|"
    r"icon|status|state|type|kind|role|level|locale|lang|language|currency|hash|token|username|login|handle|phone|date|time|timestamp)|.*(?:Id|Key|Code|Url)",
    re.IGNORECASE,
)
_STATE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*|[A-Z][A-Z0-9]*")
_FEW = 5  # a closed set has no more members
_ENOUGH = 6  # rows in which they come back


def identifier_columns(rows: Sequence[Sequence[str]], header: Sequence[str]) -> set[int]:
    """Indices of the columns to leave alone, judged by these rows; never all that there are letters in."""
    count = max((len(row) for row in rows), default=0)
    columns = [[row[index] for row in rows if index < len(row) and has_letters(row[index])] for index in range(count)]
    lettered = {index for index, cells in enumerate(columns) if cells}
    left = {
        index for index in lettered if _are_identifiers(columns[index], header[index] if index < len(header) else "")
    }
    if any(" " in cell for index in lettered - left for cell in columns[index]):  # a table with prose in it
        left |= {index for index in lettered if _is_closed_set(columns[index])}
    return left


def _are_identifiers(cells: list[str], name: str) -> bool:
    if any(re.search(r"\s", cell) for cell in cells):
        return False
    found = sum(map(is_identifier, cells))
    if _KEY.fullmatch(name.strip()):
        return found * 2 >= len(cells) or all(map(_STATE.fullmatch, cells))
    return found >= 0.8 * len(cells)


def _is_closed_set(cells: list[str]) -> bool:
    return (
        len(cells) >= _ENOUGH and len(set(cells)) <= min(_FEW, len(cells) // 2) and all(map(_STATE.fullmatch, cells))
    )
