"""Translations against their references: BLEU and chrF."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dhyan.core.metrics import BLEU_TOKENIZER, check_bleu_tokenizer, translation_scores
from dhyan.core.progress import Progress
from dhyan.evaluation.test_data import TestData

Translate = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class TextComparison:
    """How translations are compared with their references."""

    lowercase: bool = False
    tokenize: str = BLEU_TOKENIZER

    def __post_init__(self) -> None:
        check_bleu_tokenizer(self.tokenize)


def score_translations(
    translate: Translate, data: TestData, comparison: TextComparison, progress: Progress, at_once: int
) -> dict[str, Any]:
    """at_once: sources that go to `translate` between two reports of the progress."""
    rows = data.translation_pairs()
    sources, references = ([row.columns[side] for row in rows] for side in (0, 1))
    outputs: list[str] = []
    with progress.working("translating", len(sources)) as update:
        for begin in range(0, len(sources), at_once):
            outputs += translate(sources[begin : begin + at_once])
            update(len(outputs))
    scores = translation_scores(outputs, references, comparison.lowercase, comparison.tokenize)
    return {"rows": len(rows), **scores, "outputs": outputs}
