"""`--side-by-side`: what was translated, gathered for reviewing and written at the end; for `--strict`, counted."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dhyan.cli.console import ConsoleProgress
from dhyan.documents.batches import TranslatedLine
from dhyan.documents.side_by_side import ReviewRow, check_review, write_side_by_side

if TYPE_CHECKING:
    from dhyan.translation.translated import Translation


@dataclass
class Review:
    """The rows of a review; without a path nothing is gathered."""

    path: Path | None
    keep_order: bool = False
    rows: list[ReviewRow] = field(default_factory=list)
    noted: int = 0  # texts with a note that calls for a look, reviewed or not

    @classmethod
    def at(cls, path: Path | None, keep_order: bool, overwrite: bool) -> "Review":
        if path is not None:
            check_review(path, overwrite)
        return cls(path, keep_order)

    @property
    def wanted(self) -> bool:
        return self.path is not None

    def add_text(self, found: "Translation", number: int) -> None:
        """A row for each sentence of a text; what has no words in it needs no review."""
        self._count(found.notes)
        if self.wanted:
            said = found.sentences
            self.rows += [ReviewRow(f"text {number}", s.source, s.text, s.notes, s.confidence) for s in said]

    def add_lines(self, lines: Sequence[TranslatedLine], name: str = "", place: str = "line") -> None:
        for line in lines:
            self._count(line.notes)
        if self.wanted:
            where = f"{name}, {place}" if name else place
            self.rows += [
                ReviewRow(f"{where} {one.line}", one.source, one.text, one.notes, one.confidence) for one in lines
            ]

    def _count(self, notes: Sequence[str]) -> None:
        from dhyan.translation.translated import calls_for_a_look

        self.noted += any(map(calls_for_a_look, notes))

    @contextmanager
    def written(self, title: str) -> Iterator[None]:
        """Write the review after the work, also where a part of that could not be done."""
        try:
            yield
        finally:
            if self.path is not None and self.rows:
                write_side_by_side(self.path, self.rows, title, self.keep_order)
                ConsoleProgress().say(f"{self.path}: {len(self.rows):,} texts side by side.")
