"""Two texts and how alike people find them: the score in front, as in STS-B, or behind, as in lists of word pairs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import read_rows
from dhyan.data.open_text import format_of


@dataclass(frozen=True, slots=True)
class ScoredPair:
    score: float
    first: str
    second: str


def read_scored_pairs(file: Path, columns: Mapping[str, str]) -> Iterator[ScoredPair]:
    for row in read_rows([file], ("score", "first", "second"), columns or score_columns(file)):
        score, first, second = row.columns
        if not is_number(score):
            raise DhyanError(
                f"{row.file}, line {row.line}: '{score}' is not a score; the columns are score, first, second, or"
                " first, second, score."
            )
        yield ScoredPair(float(score), first, second)


def score_columns(file: Path) -> dict[str, str]:
    """Where the columns stand when nobody says so; the first row tells."""
    if format_of(file) != ".tsv":
        return {}
    first, _, third = next(iter(read_rows([file], ("first", "second", "third?")))).columns
    behind = is_number(third) and not is_number(first)
    return {"first": "1", "second": "2", "score": "3"} if behind else {}


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
