"""Pairs of texts: where the two stand in a file, and on one line."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.header import folded_name
from dhyan.data.readers import first_names
from dhyan.text.likeness import BETWEEN

FIRST, SECOND = "text", "text2"
ALSO = {"sentence1": FIRST, "sentence2": SECOND}  # as many public sets call them
PAIRS = (("text1", SECOND), tuple(ALSO), ("question1", "question2"), ("premise", "hypothesis"))


def pair_columns(files: Sequence[Path], columns: Mapping[str, str]) -> dict[str, str]:
    """`columns`, with the second text's where the rows have one: `text2`, or a well-known pair of names."""
    chosen = {ALSO.get(name, name): column for name, column in columns.items()}
    if SECOND in chosen or not files:
        return chosen
    names = {folded_name(name): name for name in first_names(files[0])}
    if FIRST not in names and FIRST not in chosen:
        for first, second in PAIRS:
            if first in names and second in names:
                return chosen | {FIRST: names[first], SECOND: names[second]}
    return chosen | {SECOND: names[SECOND]} if SECOND in names else chosen


def pair_on_line(line: str, where: str) -> tuple[str, str]:
    """first TAB second → the two."""
    parts = line.split(BETWEEN)
    if len(parts) != 2:
        raise DhyanError(f"{where}: this pack reads pairs of texts, so a tab must stand between two texts.")
    return parts[0], parts[1]
