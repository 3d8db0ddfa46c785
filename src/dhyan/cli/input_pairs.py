"""The pairs of texts that a command is given: on the command line, in a file of two columns, or through a pipe."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from dhyan.cli.input_texts import STANDARD_INPUT, given_texts
from dhyan.core.errors import DhyanError
from dhyan.data.corpus import read_rows
from dhyan.data.open_text import has_columns, open_binary
from dhyan.data.text_pairs import FIRST, SECOND, pair_columns, pair_on_line

Rows: TypeAlias = Iterator[tuple[str, ...]]  # of one text, or of two


def lines_before_model(texts: Sequence[str] | None, second: str | None, file: Path | None) -> Iterator[str] | None:
    """What is read alike for texts and for pairs, so that what is wrong with it is said before the model is opened.

    None: a second text, or a table, in which the model decides what is looked for.
    """
    if second is not None:
        return None
    if not texts and file is not None and file != STANDARD_INPUT and has_columns(file):
        with open_binary(file):  # it must be there
            return None
    return given_texts(texts, file)


def given_rows(
    texts: Sequence[str] | None, second: str | None, file: Path | None, lines: Iterator[str] | None, model: str
) -> Rows:
    """Texts, one by one, for a model that reads no pairs. lines: those of `lines_before_model`."""
    if second is not None:
        raise DhyanError(f"{model} reads one text at a time: leave --and out.")
    return ((text,) for text in (given_texts(texts, file) if lines is None else lines))


def given_pairs(
    texts: Sequence[str] | None, second: str | None, file: Path | None, lines: Iterator[str] | None, model: str
) -> Rows:
    """One pair of the command line, or those of a file or of standard input; on a line a tab stands between them."""
    if texts or second is not None:
        if second is None or not texts or len(texts) != 1 or file is not None:
            raise DhyanError(
                f'{model} reads pairs of texts: give two ("first" --and "second"), or a --file with two columns.'
            )
        return iter([(texts[0], second)])
    if lines is None and file is not None:
        rows = read_rows([file], (FIRST, SECOND), pair_columns([file], {}))
        return ((row.columns[0], row.columns[1]) for row in rows)
    where = "standard input" if file is None or file == STANDARD_INPUT else str(file)
    return (
        pair_on_line(line, f"{where}, line {number}") if line.strip() else ("", "")
        for number, line in enumerate(lines or (), start=1)
    )
