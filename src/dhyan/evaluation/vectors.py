"""How good vectors are, whatever makes them: at likeness as people see it, at labels, at clusters, at senses."""

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.core.metrics import label_scores, pearson, spearman
from dhyan.core.progress import Progress
from dhyan.data.corpus import Row, read_lines, read_rows
from dhyan.data.scored_pairs import read_scored_pairs
from dhyan.text.words import WordSpan
from dhyan.vectors.arrays import Embed, Vectors, dense, is_sparse, together
from dhyan.vectors.baselines import BagOfWords
from dhyan.vectors.clustering import k_means
from dhyan.vectors.linear_probe import Probe, labelled_rows
from dhyan.vectors.word_embedder import WordEmbedder

BATCH = 512
Columns = Mapping[str, str]


def texts_to_fit(task: str, test: Path, train: Path | None, columns: Columns) -> list[str]:
    """What one of the old ways is fitted on: the training rows' texts or plain lines, else the test's texts alone."""
    match task:
        case "labels" | "senses":
            names = ("label", "text") if task == "labels" else ("word", "sense", "index", "text")
            return [row.columns[-1] for row in read_rows([train or test], names, columns)]
        case _ if train is not None:
            return [row.columns[0] for row in read_lines([train])]
        case "clusters":
            return [row.columns[1] for row in read_rows([test], ("label", "text"), columns)]
    return [text for pair in read_scored_pairs(test, columns) for text in (pair.first, pair.second)]


def similarity(embed: Embed, file: Path, columns: Columns, reporter: Progress) -> dict[str, Any]:
    """Two texts and how alike people find them: do their cosines fall into the same order?

    A pair of which one of the old ways knows no word has no cosine; it is left out of the scores, and counted.
    """
    rows = list(read_scored_pairs(file, columns))
    first = _vectors(embed, [pair.first for pair in rows], reporter)
    second = _vectors(embed, [pair.second for pair in rows], reporter)
    cosine = _row_products(first, second)
    known = np.flatnonzero((_row_products(first, first) > 0) & (_row_products(second, second) > 0))
    if len(known) < 2:
        raise DhyanError(f"{file}: no two pairs have words that are known; give more text with --train.")
    right = np.array([pair.score for pair in rows])
    scores = {"spearman": spearman(cosine[known], right[known]), "pearson": pearson(cosine[known], right[known])}
    unknown = len(rows) - len(known)
    return {"rows": len(rows), "unknown": unknown, **scores, "outputs": [f"{value:.4f}" for value in cosine]}


def labels(embed: Embed, train: Path, test: Path, columns: Columns, reporter: Progress) -> dict[str, Any]:
    """Logistic regression on the vectors of the training rows, judged on the test rows."""
    learnt, known = labelled_rows([train], columns)
    rows, right = labelled_rows([test], columns)
    _refuse_unseen(rows, right, set(known))
    probe = Probe(lambda texts: _vectors(embed, texts, reporter), [row.columns[1] for row in learnt], known)
    found = [one.label for one in probe.classify([row.columns[1] for row in rows])]
    number = {label: index for index, label in enumerate(probe.labels)}
    scores = label_scores([number[label] for label in found], [number[label] for label in right], probe.labels)
    return {"rows": len(rows), **scores, "outputs": found}


def clusters(embed: Embed, file: Path, columns: Columns, reporter: Progress) -> dict[str, Any]:
    """k-means with as many clusters as there are labels, compared with these; TF-IDF beside it in the same run."""
    rows, right = labelled_rows([file], columns)
    texts = [row.columns[1] for row in rows]
    count = len(set(right))
    if count < 2:
        raise DhyanError(f"{file} has one label only ('{right[0]}'): clusters are judged by two or more.")
    if len(set(texts)) < count:
        raise DhyanError(f"{file}: {len(set(texts))} different texts are too few for {count} clusters; give more.")
    owners, _ = k_means(_vectors(embed, texts, reporter), count)
    scores: dict[str, Any] = {"rows": len(rows), "clusters": count, **_agreement(owners, right)}
    if not (isinstance(embed, BagOfWords) and embed.method == "tf-idf"):
        beside, _ = k_means(BagOfWords("tf-idf", texts)(texts), count)
        scores["tf-idf"] = _agreement(beside, right)
    return {**scores, "outputs": [str(owner + 1) for owner in owners]}


def senses(
    embed: Embed | WordEmbedder, train: Path, test: Path, columns: Columns, reporter: Progress, neighbours: int = 0
) -> dict[str, Any]:
    """Which sense a word has: that whose training rows have the nearest mean, or for which most of so many nearest
    neighbours vote. F1 is the mean over a word's senses, then over the words. Vectors are the word's own in its
    sentence, or where there are none, the sentence's."""
    learnt, asked = (_sense_rows(file, columns) for file in (train, test))
    there = {row.columns[:2] for row in learnt}
    for row in asked:
        if row.columns[:2] not in there:
            word, sense = row.columns[:2]
            raise DhyanError(
                f"{row.file}, line {row.line}: the sense '{sense}' of '{word}' was not in {train}; mend the row, or"
                " add training rows."
            )
    known, unknown = _sense_vectors(embed, learnt, reporter), _sense_vectors(embed, asked, reporter)
    outputs = [""] * len(asked)
    by_word: dict[str, float] = {}
    for word in dict.fromkeys(row.columns[0] for row in asked):
        mine, places = ([n for n, row in enumerate(rows) if row.columns[0] == word] for rows in (learnt, asked))
        names = list(dict.fromkeys(learnt[number].columns[1] for number in mine))
        owners = np.array([names.index(learnt[number].columns[1]) for number in mine])
        found = _nearest_sense(unknown[places], known[mine], owners, neighbours).tolist()
        right = [names.index(asked[place].columns[1]) for place in places]
        by_word[word] = label_scores(found, right, names)["f1"]
        for place, index in zip(places, found, strict=True):
            outputs[place] = names[index]
    hits = sum(said == row.columns[1] for said, row in zip(outputs, asked, strict=True))
    return {
        "rows": len(asked),
        "f1": float(np.mean(list(by_word.values()))),
        "accuracy": hits / len(asked),
        "words": by_word,
        "outputs": outputs,
    }


def _nearest_sense(asked: Vectors, known: Vectors, owners: NDArray[np.int64], neighbours: int) -> NDArray[np.int64]:
    """(asked,): the number of each one's sense. owners: (known,), the sense of each known vector, all of length 1."""
    members = np.eye(owners.max() + 1, dtype=np.float32)[owners]  # (known, senses): 1 where it belongs
    if not neighbours:
        centres = _unit_rows(np.asarray((known.T @ members).T))  # (senses, width): a sum points where the mean does
        return np.asarray((asked @ centres.T).argmax(axis=1))
    likeness = dense(asked @ known.T)  # (asked, known)
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :neighbours]
    votes = np.take_along_axis(likeness, nearest, axis=1)  # the nearer, the more a vote counts
    return np.asarray(np.einsum("an,ans->as", votes, members[nearest]).argmax(axis=1))


def _unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


def _sense_rows(file: Path, columns: Columns) -> list[Row]:
    rows = []
    for row in read_rows([file], ("word", "sense", "index", "text"), columns):
        word, sense, index, text = row.columns
        if not index.isdigit() or int(index) >= len(text.split(" ")):
            raise DhyanError(
                f"{row.file}, line {row.line}: '{index}' is not the place of a word in the sentence, the first being"
                " 0; the columns are word, sense, index, sentence."
            )
        rows.append(Row((word, sense, index, unicodedata.normalize("NFC", text)), row.file, row.line))
    return rows


def _sense_vectors(embed: Embed | WordEmbedder, rows: Sequence[Row], reporter: Progress) -> Vectors:
    if not isinstance(embed, WordEmbedder):
        return _vectors(embed, [row.columns[3] for row in rows], reporter)
    parts, left = [], iter(rows)
    with reporter.working("embedding words", len(rows)) as progress:
        while batch := list(islice(left, BATCH)):
            parts.append(embed([row.columns[3] for row in batch], [_place(row) for row in batch]))
            progress(sum(map(len, parts)))
    return np.concatenate(parts)


def _place(row: Row) -> WordSpan:
    tokens = row.columns[3].split(" ")
    index = int(row.columns[2])
    begin = sum(len(token) + 1 for token in tokens[:index])
    return begin, begin + len(tokens[index])


def _vectors(embed: Embed, texts: Sequence[str], reporter: Progress) -> Vectors:
    """(texts, width), batch by batch."""
    parts, left, done = [], iter(texts), 0
    with reporter.working("embedding", len(texts)) as progress:
        while batch := list(islice(left, BATCH)):
            parts.append(embed(batch))
            done += len(batch)
            progress(done)
    return together(parts)


def _row_products(first: Vectors, second: Vectors) -> NDArray[np.float64]:
    """(rows,): the cosine of each row with its partner; the rows have length 1."""
    products = first.multiply(second) if is_sparse(first) else first * second
    return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()


def _agreement(owners: NDArray[np.int64], right: Sequence[str]) -> dict[str, float]:
    """Accuracy when each cluster gets a label of its own, in the best way; and normalised mutual information."""
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]
    from sklearn.metrics import normalized_mutual_info_score

    _, numbers = np.unique(right, return_inverse=True)
    table = np.zeros((owners.max() + 1, numbers.max() + 1), dtype=np.int64)  # (clusters, labels)
    np.add.at(table, (owners, numbers), 1)
    hits = table[linear_sum_assignment(table, maximize=True)].sum()
    return {"accuracy": float(hits / len(right)), "nmi": float(normalized_mutual_info_score(right, owners))}


def _refuse_unseen(rows: Sequence[Row], right: Sequence[str], known: set[str]) -> None:
    for row, label in zip(rows, right, strict=True):
        if label not in known:
            some = ", ".join(sorted(known)[:10]) + (", …" if len(known) > 10 else "")
            raise DhyanError(
                f"{row.file}, line {row.line}: the label '{label}' was not in training ({some}); mend the row, or"
                " say where the label stands, e.g. --columns label=2,text=1."
            )
