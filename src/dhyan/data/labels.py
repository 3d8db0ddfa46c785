"""The labels of a row as files have them: one, several in a list or in one cell, or a number."""

import math
import re
import unicodedata

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row
from dhyan.data.list_cells import is_list_cell, texts_of_cell

LABEL = "label[]"  # the column, which may hold a list
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def tidied_label(text: str) -> str:
    """As training and evaluation see it: a blank behind it makes no other label."""
    return unicodedata.normalize("NFC", text).strip()


def split_labels(cell: str, separator: str = "") -> list[str]:
    """The labels of a cell, each once; none of an empty one."""
    parts = cell.split(separator) if separator and not is_list_cell(cell) else texts_of_cell(cell)
    return [label for label in dict.fromkeys(map(tidied_label, parts)) if label]


def only_label(row: Row) -> str:
    """The label of a row that has one."""
    cell = row.columns[0]
    if not is_list_cell(cell):
        return tidied_label(cell)
    labels = split_labels(cell)
    if len(labels) != 1:
        count = f"{len(labels)} labels" if labels else "no label"
        raise DhyanError(f"{row.file}, line {row.line}: {count} where each text has one; mend the row.")
    return labels[0]


def number_in(cell: str) -> float | None:
    """The number that a cell holds and nothing else; None where it is something else."""
    text = cell.strip().replace("\N{MINUS SIGN}", "-")
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def only_number(row: Row, otherwise: str = "") -> float:
    """The number of a row that has one. otherwise: what else a user may do."""
    value = number_in(row.columns[0])
    if value is None:
        shown = ", ".join(split_labels(row.columns[0]))
        found = f"'{shown}' is not a number" if shown else "there is no number"
        raise DhyanError(
            f"{row.file}, line {row.line}: {found}, where the labels are numbers; mend or delete the row{otherwise}."
        )
    return value
