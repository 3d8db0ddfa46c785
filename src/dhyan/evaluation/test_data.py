"""The rows that a pack is tested on: pairs to translate, labelled texts, pairs of texts with a score."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import Row, named_columns, read_parallel, read_rows
from dhyan.data.open_text import TABLES, format_of

SCORED = ("score", "first", "second")


@dataclass(frozen=True)
class TestData:
    """A test file, or two parallel ones."""

    __test__ = False  # not a test itself, whatever pytest may think

    files: Sequence[Path]
    reference: Path | None = None
    columns: dict[str, str] = field(default_factory=dict)
    languages: tuple[str, str] = ("", "")  # of a translation: its columns may be named by them

    def translation_pairs(self) -> list[Row]:
        """Rows of source and reference."""
        if self.reference is not None:
            return list(read_parallel([*self.files, self.reference]))
        return list(read_rows(self.files, ("source", "target"), self.columns, self.languages))


def refuse_unseen_labels(rows: Sequence[Row], labels: Sequence[str], known: Sequence[str]) -> None:
    """labels: of the rows. known: those that there were in training."""
    for row, label in zip(rows, labels, strict=True):
        if label not in known:
            some = ", ".join(known[:10]) + (", …" if len(known) > 10 else "")
            raise DhyanError(
                f"{row.file}, line {row.line}: the label '{label}' was not in training ({some}); mend the row, or"
                " say where the label stands, e.g. --columns label=2,text=1."
            )


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Two texts and how alike people find them."""

    score: float
    first: str
    second: str


def read_scored_pairs(file: Path, columns: Mapping[str, str]) -> Iterator[ScoredPair]:
    """The score stands in front, as in STS-B, or behind, as in lists of word pairs."""
    for row in read_rows([file], SCORED, columns or score_columns(file)):
        score, first, second = row.columns
        if not is_number(score):
            raise DhyanError(
                f"{row.file}, line {row.line}: '{score}' is not a score; the columns are score, first, second, or"
                " first, second, score."
            )
        yield ScoredPair(float(score), first, second)


def score_columns(file: Path) -> dict[str, str]:
    """Where the columns stand when nobody says so; the first row tells."""
    if format_of(file) not in TABLES or has_named_scores(file):
        return {}
    first, _, third = next(iter(read_rows([file], ("first", "second", "third?")))).columns
    behind = is_number(third) and not is_number(first)
    return {"first": "1", "second": "2", "score": "3"} if behind else {}


def has_named_scores(file: Path) -> bool:
    """Whether it is a table whose header says which column holds a score."""
    return format_of(file) in TABLES and "score from" in named_columns(file, ("first", "second", "score?"))


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
