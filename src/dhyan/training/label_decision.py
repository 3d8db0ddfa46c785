"""What the labels of the training data are: one per text, several, or a number; and how they are stored as ids."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.core.label_kind import LabelKind
from dhyan.data.corpus import Row
from dhyan.data.labels import number_in, only_label, only_number, split_labels
from dhyan.data.list_cells import is_list_cell
from dhyan.pack.manifest import NumberScale

WHOLE_NUMBERS = 20  # so many different ones may be names of classes; more are a quantity
ALL_BUT = 0.1  # of the rows: where so few are not numbers, those are mistakes
NUMBER = "number"  # what a pack calls its only output, where its column has no name
IF_NAMES = ", or, if the labels are names, say --labels one"

EncodeLabels = Callable[[list[str]], list[list[int]]]


@dataclass(frozen=True)
class LabelSettings:
    """What the user has said of the labels."""

    asked: Literal["auto", "one", "several", "number"] = "auto"
    separator: str = ""
    name: str = ""  # of the column

    @property
    def may_be_none(self) -> bool:
        """Whether it is known beforehand that a text may have no label at all."""
        return self.asked == "several" or bool(self.separator)


@dataclass(frozen=True)
class TrainingLabels:
    """names: each label with its rows. number: of the rows, where the labels are numbers."""

    kind: LabelKind = "one"
    names: Counter[str] = field(default_factory=Counter)
    number: NumberScale | None = None
    separator: str = ""
    said: str = ""  # one line, where the data has decided

    def of(self, row: Row) -> list[str]:
        """The labels of a row; of a number none. Raises where it has none that could be read."""
        if self.kind == "number":
            only_number(row, IF_NAMES)
            return []
        return split_labels(row.columns[0], self.separator) if self.kind == "several" else [only_label(row)]

    def encoder(self) -> EncodeLabels:
        """Cells → ids to store: numbers of labels; a number as the bits of its float32, because ids are whole."""
        if self.kind == "number":
            return lambda cells: [[bits_of(number_in(cell) or 0.0)] for cell in cells]
        position = {label: index for index, label in enumerate(sorted(self.names))}
        separator = self.separator if self.kind == "several" else ""
        return lambda cells: [[position[label] for label in split_labels(cell, separator)] for cell in cells]

    @property
    def ids(self) -> int:
        """How many different ids the encoder makes."""
        return 1 << 32 if self.kind == "number" else len(self.names)


class LabelCounts:
    """Counts the labels of rows that come one by one, then decides what they are."""

    def __init__(self, settings: LabelSettings) -> None:
        self.settings = settings
        self.cells: Counter[str] = Counter()
        self.first: dict[str, Row] = {}  # the first row of each cell

    def add(self, row: Row) -> None:
        cell = row.columns[0]
        self.cells[cell] += 1
        if cell not in self.first:
            self.first[cell] = replace(
                row, columns=(cell,)
            )  # numbers may be as many as rows: their texts are not kept

    def decided(self) -> TrainingLabels:
        settings, separator = self.settings, self.settings.separator
        kind, said = self._likely() if settings.asked == "auto" else (settings.asked, "")
        if kind == "number":
            return TrainingLabels(
                kind, Counter({settings.name or NUMBER: self.cells.total()}), self._scale(), said=said
            )
        names: Counter[str] = Counter()
        found = TrainingLabels(kind, names, None, separator, said)
        for cell, count in self.cells.items():
            for label in found.of(self.first[cell]):
                names[label] += count
        if kind == "several" and not names:
            raise DhyanError("no row of the training data has a label; a classifier needs at least one.")
        return found

    def _likely(self) -> tuple[LabelKind, str]:
        """What the labels look like, and what to say of it."""
        if self.settings.separator:
            return "several", ""
        if any(map(is_list_cell, self.cells)):
            return "several", "The labels are lists: each text may have several (--labels several)."
        values = {cell: number_in(cell) for cell in self.cells}
        numbers = {value for value in values.values() if value is not None}
        fractions = any(value != math.floor(value) for value in numbers)
        if not fractions and len(numbers) <= WHOLE_NUMBERS:
            return "one", ""
        others = [cell for cell, value in values.items() if value is None]
        rows = sum(self.cells[cell] for cell in others)
        if rows > ALL_BUT * self.cells.total():
            return "one", ""
        if others:
            only_number(self.first[others[0]], IF_NAMES)
        what = "numbers with decimals" if fractions else f"{len(numbers):,} different whole numbers"
        return "number", f"The labels are {what}, so a number is learnt (--labels number); if names: --labels one."

    def _scale(self) -> NumberScale:
        values, counts = np.empty(len(self.cells)), np.empty(len(self.cells))
        for index, (cell, count) in enumerate(self.cells.items()):
            values[index], counts[index] = only_number(self.first[cell], IF_NAMES), count
        mean = float(np.average(values, weights=counts))
        spread = float(np.sqrt(np.average((values - mean) ** 2, weights=counts)))
        if not spread > 0:
            raise DhyanError(f"every row has the number {mean:g}; give rows with different ones to learn from.")
        return NumberScale(mean=mean, spread=spread)


def bits_of(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def numbers_of_bits(bits: NDArray[Any]) -> NDArray[np.float32]:
    """The other way."""
    return np.asarray(bits, dtype=np.uint32).view(np.float32)


def check_valid_labels(first: Mapping[str, Row], known: TrainingLabels) -> dict[str, Row]:
    """first: each cell's first row of the validation data. Returns each label's."""
    found: dict[str, Row] = {}
    for row in first.values():
        for label in known.of(row):
            found.setdefault(label, row)
    return found
