"""A card of the walk: a formula, the same with its numbers, where they stand, a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from dhyan.core.svg import number
from dhyan.explain.formulas import Array

FIRST = 4  # numbers of a vector that are written out


@dataclass(frozen=True, slots=True)
class Card:
    title: str
    formula: str = ""
    numbers: tuple[str, ...] = ()  # the formula with its numbers, a line each
    addresses: tuple[str, ...] = ()  # where the numbers stand
    headers: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    matrix: str = ""  # the address of a matrix to show in full


def first_numbers(vector: Array, digits: int = 3) -> str:
    shown: Sequence[float] = vector[:FIRST].tolist()
    return ", ".join(number(value, digits) for value in shown) + (", …" if len(vector) > FIRST else "")
