"""A list of texts as one cell of a row, where every other cell is one text.

Each of its texts stands behind a mark that Unicode keeps for the inside of programs: no text has it.
"""

from collections.abc import Iterable

MARK = "\ufdd0"


def list_cell(texts: Iterable[str]) -> str:
    return MARK + MARK.join(texts)


def is_list_cell(cell: str) -> bool:
    return cell.startswith(MARK)


def texts_of_cell(cell: str) -> list[str]:
    """Of a list its texts; any other cell is one text."""
    return [text for text in cell[1:].split(MARK) if text] if is_list_cell(cell) else [cell]
