"""The rows that a pack is tested on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row, read_parallel, read_rows


@dataclass(frozen=True)
class TestData:
    """A test file, or two parallel ones."""

    __test__ = False  # not a test itself, whatever pytest may think

    files: Sequence[Path]
    reference: Path | None = None
    columns: dict[str, str] = field(default_factory=dict)

    def translation_pairs(self) -> list[Row]:
        """Rows of source and reference."""
        if self.reference is not None:
            return list(read_parallel([*self.files, self.reference]))
        return list(read_rows(self.files, ("source", "target"), self.columns))


def refuse_unseen_labels(rows: Sequence[Row], labels: Sequence[str], known: Sequence[str]) -> None:
    """labels: of the rows. known: those that there were in training."""
    for row, label in zip(rows, labels, strict=True):
        if label not in known:
            some = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
            raise DhyanError(
                f"{row.file}, line {row.line}: the label '{label}' was not in training ({some}); mend the row, or"
                " say where the label stands, e.g. --columns label=2,text=1."
            )
