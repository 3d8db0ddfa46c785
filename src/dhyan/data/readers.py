"""Rows of tab-separated columns; a column is named by its number, the first being 1."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.open_text import numbered_lines


def tsv_rows(file: Path, names: Sequence[str], columns: Mapping[str, str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line number and the named columns of each line; columns beyond them are left alone, and so are
    empty lines. A name that ends in ? may lack its column: it is then empty."""
    may_lack = [name.endswith("?") for name in names]
    names = [name.removesuffix("?") for name in names]
    numbers = [_column(file, name, columns.get(name, str(place))) for place, name in enumerate(names, start=1)]
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


def tsv_lists(file: Path, name: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The line number and all the columns of each line, of which there must be two."""
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
    return DhyanError(f"{file}, line {line}: {found} where {needed}, separated by tabs; mend or remove the line.")
