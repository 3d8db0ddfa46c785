"""How good it is: scores that carry their sacreBLEU signature, and the plain ones for labels and similarities."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF


def translation_scores(
    translations: Sequence[str], references: Sequence[str], lowercase: bool = False, tokenize: str = "13a"
) -> dict[str, Any]:
    """BLEU, chrF and chrF++ of the same lines, each with the signature that says how it was counted."""
    scorers = {
        "bleu": BLEU(lowercase=lowercase, tokenize=tokenize),
        "chrf": CHRF(lowercase=lowercase),
        "chrf++": CHRF(word_order=2, lowercase=lowercase),
    }
    scores: dict[str, Any] = {}
    signatures = {}
    for name, scorer in scorers.items():
        result = scorer.corpus_score(list(translations), [list(references)])
        scores[name] = round(float(result.score), 2)
        signatures[name] = str(scorer.get_signature())
        if name == "bleu":
            scores["brevity"] = round(float(result.bp), 3)
    return {**scores, "signatures": signatures}


def label_scores(found: Sequence[int], right: Sequence[int], labels: Sequence[str]) -> dict[str, Any]:
    """Accuracy, macro F1, and precision, recall and F1 of each label."""
    predicted, true = np.asarray(found), np.asarray(right)
    by_label: dict[str, dict[str, float]] = {}
    for index, label in enumerate(labels):
        hits = int(((predicted == index) & (true == index)).sum())
        said, there = int((predicted == index).sum()), int((true == index).sum())
        precision, recall = hits / said if said else 0.0, hits / there if there else 0.0
        f1 = 2 * hits / (said + there) if said + there else 0.0
        if there or said:
            by_label[label] = {"precision": precision, "recall": recall, "f1": f1, "rows": there}
    accuracy = float((predicted == true).mean())
    return {"accuracy": accuracy, "f1": float(np.mean([one["f1"] for one in by_label.values()])), "labels": by_label}


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Pearson's correlation of the ranks."""
    return pearson(_ranks(np.asarray(first, dtype=float)), _ranks(np.asarray(second, dtype=float)))


def pearson(first: ArrayLike, second: ArrayLike) -> float:
    return float(np.corrcoef(np.asarray(first, dtype=float), np.asarray(second, dtype=float))[0, 1])


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the smallest; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    mean_rank: NDArray[np.float64] = (last - counts + 1 + last) / 2
    return mean_rank[inverse]
