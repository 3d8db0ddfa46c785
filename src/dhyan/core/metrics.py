"""Scores of answers against references: BLEU, chrF, F1, correlations, agreement of clusters with labels."""

import string
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dhyan.core.errors import DhyanError, did_you_mean

CHRF_ORDER = 6  # character n-grams of chrF
BETA = 2  # recall counts so much more than precision
BLEU_TOKENIZER = "13a"
NO_FOUR_WORDS = "BLEU counts runs of four words, and no translation here has four; go by chrF"
NO_SACREBLEU = "BLEU needs sacrebleu, which is not installed: pip install sacrebleu"


def translation_scores(
    translations: Sequence[str], references: Sequence[str], lowercase: bool = False, tokenize: str = BLEU_TOKENIZER
) -> dict[str, Any]:
    """chrF, chrF++ and BLEU of the same rows, each with the sacreBLEU signature that says how it was counted, and
    "exact": how many of a hundred are the same as the reference.

    Where sacreBLEU is not installed there is no BLEU, a note says so, and chrF is counted here.
    """
    check_bleu_tokenizer(tokenize)
    try:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF
    except ModuleNotFoundError:
        return _chrf_scores(translations, references, lowercase) | {"note": NO_SACREBLEU}
    scorers = {
        "chrf": CHRF(lowercase=lowercase),
        "chrf++": CHRF(word_order=2, lowercase=lowercase),
        "bleu": BLEU(lowercase=lowercase, tokenize=tokenize),
    }
    scores: dict[str, Any] = {"exact": exact_matches(translations, references, lowercase)}
    signatures, note = {}, {}
    for name, scorer in scorers.items():
        result = scorer.corpus_score(list(translations), [list(references)])
        scores[name] = round(float(result.score), 2)
        signatures[name] = str(scorer.get_signature())
        if name == "bleu":
            scores["brevity"] = round(float(result.bp), 3)
            note = {} if result.totals[3] else {"note": NO_FOUR_WORDS}
    return {**scores, "signatures": signatures, **note}


def check_bleu_tokenizer(name: str) -> None:
    if name == BLEU_TOKENIZER:
        return
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ModuleNotFoundError:
        raise DhyanError(f"--tokenize is of BLEU. {NO_SACREBLEU}.") from None
    if name not in BLEU.TOKENIZERS:
        known = list(BLEU.TOKENIZERS)
        raise DhyanError(f"--tokenize {name!r} is not one of {', '.join(known)}{did_you_mean(name, known)}.")


def _chrf_scores(translations: Sequence[str], references: Sequence[str], lowercase: bool) -> dict[str, Any]:
    case = "lc" if lowercase else "mixed"
    scores: dict[str, Any] = {"exact": exact_matches(translations, references, lowercase)}
    signatures = {}
    for name, word_order in (("chrf", 0), ("chrf++", 2)):
        scores[name] = round(chrf(translations, references, word_order, lowercase), 2)
        signatures[name] = f"nrefs:1|case:{case}|eff:yes|nc:{CHRF_ORDER}|nw:{word_order}|space:no"
    return {**scores, "signatures": signatures}


def exact_matches(translations: Sequence[str], references: Sequence[str], lowercase: bool = False) -> float:
    """How many of a hundred translations are the same as the reference, but for blanks at the ends."""
    pairs = [(a.strip(), b.strip()) for a, b in zip(translations, references, strict=True)]
    same = sum((a.lower() == b.lower()) if lowercase else a == b for a, b in pairs)
    return round(100 * same / max(1, len(pairs)), 2)


def chrf(
    translations: Sequence[str], references: Sequence[str], word_order: int = 0, lowercase: bool = False
) -> float:
    """chrF (Popović, 2015), of a whole corpus, 0 to 100; with word_order 2, chrF++.

    F-score of the mean precision and the mean recall over all orders of n-grams that both sides have.
    """
    return chrf_of_counts(chrf_counts(translations, references, word_order, lowercase).sum(axis=0))


def chrf_counts(
    translations: Sequence[str], references: Sequence[str], word_order: int = 0, lowercase: bool = False
) -> NDArray[np.int64]:
    """(rows, orders, 3): n-grams of the translation, of the reference and of both."""
    counts = np.zeros((len(translations), CHRF_ORDER + word_order, 3), dtype=np.int64)
    for row, pair in zip(counts, zip(translations, references, strict=True), strict=True):
        found, wanted = (_ngrams(text.lower() if lowercase else text, word_order) for text in pair)
        for order, mine, right in zip(row, found, wanted, strict=True):
            order[:] = mine.total() if right else 0, right.total(), (mine & right).total()
    return counts


def chrf_of_counts(counts: NDArray[np.int64]) -> float:
    """counts: (orders, 3), the sums over the rows of a corpus."""
    in_both = counts[(counts[:, 0] > 0) & (counts[:, 1] > 0)]
    if not in_both[:, 2].any():
        return 0.0
    precision, recall = (in_both[:, 2] / in_both[:, 0]).mean(), (in_both[:, 2] / in_both[:, 1]).mean()
    return float(100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall))


def _ngrams(text: str, word_order: int) -> list[Counter[Any]]:
    """Counts of character n-grams, blanks left out, and of word n-grams, each from order 1 upwards."""
    characters = "".join(text.split())
    words = list(chain.from_iterable(map(_without_punctuation, text.split())))
    return [
        *(Counter(characters[i : i + n] for i in range(len(characters) - n + 1)) for n in range(1, CHRF_ORDER + 1)),
        *(Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)) for n in range(1, word_order + 1)),
    ]


def _without_punctuation(word: str) -> list[str]:
    """A mark at a word's end, or else at its beginning, is a word of its own."""
    if len(word) > 1 and word[-1] in string.punctuation:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in string.punctuation:
        return [word[0], word[1:]]
    return [word]


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


def cluster_scores(clusters: ArrayLike, labels: Sequence[str]) -> dict[str, float]:
    """Accuracy when each cluster gets a label of its own, in the best way; and normalised mutual information."""
    _, rows = np.unique(clusters, return_inverse=True)
    _, columns = np.unique(labels, return_inverse=True)
    table = np.zeros((rows.max() + 1, columns.max() + 1))  # (clusters, labels): how many texts are in both
    np.add.at(table, (rows, columns), 1)
    hits = sum(table[pair] for pair in best_assignment(table))
    return {"accuracy": float(hits / len(labels)), "nmi": normalized_mutual_information(table)}


def normalized_mutual_information(table: NDArray[np.float64]) -> float:
    """Of two divisions of the same things, from the counts of what is in both; 1 where they are the same."""
    joint = table / table.sum()
    first, second = joint.sum(axis=1), joint.sum(axis=0)
    entropies = [-(p * np.log(p, where=p > 0, out=np.zeros_like(p))).sum() for p in (first, second)]
    if not any(entropies):  # one part each
        return 1.0
    there = joint > 0
    mutual = (joint[there] * np.log(joint[there] / np.outer(first, second)[there])).sum()
    return float(max(0.0, mutual) / np.mean(entropies))


def best_assignment(table: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of a row and a column, each taken once, with the greatest sum: the Hungarian algorithm.

    Rows are added one by one. Each finds the cheapest chain of re-assignments to a free column, as Dijkstra finds
    paths; the prices of rows and columns keep every reduced cost at 0 or more.
    """
    if table.shape[0] > table.shape[1]:
        return [(row, column) for column, row in best_assignment(table.T)]
    cost = table.max() - table
    rows, columns = cost.shape
    row_price, column_price = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)  # the row that each column belongs to
    for start in range(rows):
        distance = np.full(columns, np.inf)
        came_from = np.full(columns, -1)  # the column before this one in the chain
        done = np.zeros(columns, dtype=bool)
        row, column, reached = start, -1, 0.0
        while True:
            through = reached + cost[row] - row_price[row] - column_price
            nearer = ~done & (through < distance)
            distance[nearer], came_from[nearer] = through[nearer], column
            column = int(np.argmin(np.where(done, np.inf, distance)))
            reached = float(distance[column])
            if owner[column] < 0:
                break
            done[column] = True
            row = int(owner[column])
        row_price[start] += reached
        row_price[owner[done]] += reached - distance[done]
        column_price[done] -= reached - distance[done]
        while column >= 0:  # the chain backwards: each column goes to the row of the one before it
            before = int(came_from[column])
            owner[column] = start if before < 0 else owner[before]
            column = before
    return [(int(row), column) for column, row in enumerate(owner) if row >= 0]


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
