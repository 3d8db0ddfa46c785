"""How good vectors are, whatever makes them: at similarity as people judge it, at labels, at clusters, at senses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeGuard, get_args

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.core.metrics import cluster_scores, label_scores, pearson, spearman
from dhyan.core.progress import Progress
from dhyan.data.corpus import read_lines, read_rows
from dhyan.engines.base import start_engine
from dhyan.engines.convert import Compute
from dhyan.evaluation.test_data import (
    SCORED,
    ScoredPair,
    TestData,
    has_named_scores,
    is_number,
    read_scored_pairs,
    refuse_unseen_labels,
)
from dhyan.evaluation.word_senses import SENSE_COLUMNS, sense_scores
from dhyan.pack.pack import find_pack, open_pack
from dhyan.vectors.arrays import Embed, Vectors, concatenated, cosines, row_products
from dhyan.vectors.baselines import BagOfWords, fitted_baseline, is_method
from dhyan.vectors.classifier import LinearProbe, labelled_rows
from dhyan.vectors.embedder import Embedder
from dhyan.vectors.k_means import k_means
from dhyan.vectors.word_embedder import WordEmbedder, encoder_of

VectorTask = Literal["similarity", "labels", "clusters", "senses"]
VECTOR_TASKS: tuple[str, ...] = get_args(VectorTask)
BATCH = 512
Columns = Mapping[str, str]


def is_vector_task(name: str | None) -> TypeGuard[VectorTask]:
    return name in VECTOR_TASKS


@dataclass(frozen=True)
class VectorEvaluation:
    """A pack's vectors, or those of a static baseline, judged by one task.

    train: labelled rows for `labels` and `senses`, else a text that a baseline is fitted on.
    """

    model: str
    task: VectorTask
    test: Path
    train: Path | None
    columns: Columns
    layer: int | None = None
    compute: Compute = "float32"
    device: str = "cpu"
    with_sentence: bool = False
    neighbours: int = 0

    def __post_init__(self) -> None:
        if self.task in ("labels", "senses") and self.train is None:
            raise DhyanError(
                f"--task {self.task} learns from rows like those of --test: name them with --train FILE."
            )
        if self.train is not None and self.task in ("similarity", "clusters") and not is_method(self.model):
            raise DhyanError(f"--task {self.task} learns nothing from --train with a pack; leave it out.")
        if (self.layer is not None or self.with_sentence) and (self.task != "senses" or is_method(self.model)):
            raise DhyanError("--layer and --with-sentence go with --task senses and a pack.")
        if self.neighbours and self.task != "senses":
            raise DhyanError("--neighbours goes with --task senses.")

    def scores(self, progress: Progress) -> dict[str, Any]:
        """The scores, and under "outputs" what was found, one line per row."""
        train = self.train or self.test  # those that learn from rows have been checked to have them
        if self.task == "senses" and not is_method(self.model):
            pack = open_pack(find_pack(self.model))
            words = WordEmbedder(pack, self.layer, self.compute, device=self.device, with_sentence=self.with_sentence)
            found = sense_scores(words, train, self.test, self.columns, self.neighbours, progress)
            return {"layer": words.layer, **found}
        embed = self.embedder(progress)

        def vectors(texts: Sequence[str]) -> Vectors:
            return in_batches(embed, texts, progress)

        match self.task:
            case "similarity":
                pairs = list(read_scored_pairs(self.test, self.columns))
                return similarity_scores(vectors, pairs, self.test)
            case "clusters":
                beside = not (isinstance(embed, BagOfWords) and embed.method == "tf-idf")
                return k_means_scores(vectors, self.test, self.columns, tf_idf_beside=beside)
            case "labels":
                return probe_scores(vectors, train, self.test, self.columns)
        return sense_scores(vectors, train, self.test, self.columns, self.neighbours, progress)

    def embedder(self, progress: Progress) -> Embed:
        """Texts → vectors. Any encoder will do, a translator's too."""
        if is_method(self.model):
            return fitted_baseline(self.model, self.texts_to_fit(), progress)
        encoder = encoder_of(open_pack(find_pack(self.model)))
        return Embedder(encoder, start_engine(encoder, self.device, self.compute))

    def texts_to_fit(self) -> list[str]:
        """What a static baseline is fitted on: the training rows' texts or plain lines, else the test's own texts."""
        match self.task:
            case "labels" | "senses":
                names = ("label", "text") if self.task == "labels" else SENSE_COLUMNS
                return [row.columns[-1] for row in read_rows([self.train or self.test], names, self.columns)]
            case _ if self.train is not None:
                return [row.columns[0] for row in read_lines([self.train])]
            case "clusters":
                return [row.columns[1] for row in read_rows([self.test], ("label", "text"), self.columns)]
        return [text for pair in read_scored_pairs(self.test, self.columns) for text in (pair.first, pair.second)]


def score_pairs(embedder: Embedder, data: TestData, progress: Progress) -> dict[str, Any]:
    """Rows of two texts: with a score (first or last), the correlation with it; without, is the partner nearest?"""

    def vectors(texts: Sequence[str]) -> Vectors:
        return in_batches(embedder, texts, progress)

    first_row = next(_all_columns(data))
    if has_named_scores(data.files[0]) or (
        len(first_row) >= 3 and (is_number(first_row[0]) or (len(first_row) == 3 and is_number(first_row[2])))
    ):
        pairs = [pair for file in data.files for pair in read_scored_pairs(file, data.columns)]
        return similarity_scores(vectors, pairs, data.files[0])
    return retrieval_scores(vectors, [columns[:2] for columns in _all_columns(data)])


def _all_columns(data: TestData) -> Iterator[tuple[str, ...]]:
    names = SCORED if "score" in data.columns or has_named_scores(data.files[0]) else ("text*",)
    return (row.columns for row in read_rows(data.files, names, data.columns))


def similarity_scores(embed: Embed, pairs: Sequence[ScoredPair], file: Path) -> dict[str, Any]:
    """Two texts and how alike people find them: do their cosines fall into the same order?

    A pair of which a static baseline knows no word has no cosine; it is left out of the scores, and counted.
    """
    first, second = embed([pair.first for pair in pairs]), embed([pair.second for pair in pairs])
    cosine = row_products(first, second)
    known = np.flatnonzero((row_products(first, first) > 0) & (row_products(second, second) > 0))
    if len(known) < 2:
        raise DhyanError(f"{file}: no two pairs have words that are known; give more text with --train.")
    right = np.array([pair.score for pair in pairs])
    scores = {"spearman": spearman(cosine[known], right[known]), "pearson": pearson(cosine[known], right[known])}
    unknown = len(pairs) - len(known)
    return {"rows": len(pairs), "unknown": unknown, **scores, "outputs": [f"{value:.4f}" for value in cosine]}


def retrieval_scores(embed: Embed, pairs: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """How often the second text of a pair is the nearest of all second texts to the first."""
    first, second = (embed([pair[side] for pair in pairs]) for side in (0, 1))
    hits = 0
    for begin in range(0, len(pairs), BATCH):
        some = np.arange(begin, min(begin + BATCH, len(pairs)))
        hits += int((cosines(first[some], second).argmax(axis=1) == some).sum())
    return {
        "rows": len(pairs),
        "accuracy": hits / len(pairs),
        "measures": "partner found first among all",
        "outputs": [],
    }


def probe_scores(embed: Embed, train: Path, test: Path, columns: Columns) -> dict[str, Any]:
    """Logistic regression on the vectors of the training rows, judged on the test rows."""
    train_rows, train_labels = labelled_rows([train], columns)
    rows, right = labelled_rows([test], columns)
    refuse_unseen_labels(rows, right, sorted(set(train_labels)))
    probe = LinearProbe(embed, [row.columns[1] for row in train_rows], train_labels)
    found = [one.label for one in probe.classify([row.columns[1] for row in rows])]
    number = {label: index for index, label in enumerate(probe.labels)}
    scores = label_scores([number[label] for label in found], [number[label] for label in right], probe.labels)
    return {"rows": len(rows), **scores, "outputs": found}


def k_means_scores(embed: Embed, file: Path, columns: Columns, tf_idf_beside: bool) -> dict[str, Any]:
    """k-means with as many clusters as there are labels, compared with these; TF-IDF beside it in the same run."""
    rows, right = labelled_rows([file], columns)
    texts = [row.columns[1] for row in rows]
    count = len(set(right))
    if count < 2:
        raise DhyanError(f"{file} has one label only ('{right[0]}'): clusters are judged by two or more.")
    if len(set(texts)) < count:
        raise DhyanError(f"{file}: {len(set(texts))} different texts are too few for {count} clusters; give more.")
    cluster_ids, _ = k_means(embed(texts), count)
    scores: dict[str, Any] = {"rows": len(rows), "clusters": count, **cluster_scores(cluster_ids, right)}
    if tf_idf_beside:
        by_words, _ = k_means(BagOfWords("tf-idf", texts)(texts), count)
        scores["tf-idf"] = cluster_scores(by_words, right)
    return {**scores, "outputs": [str(number + 1) for number in cluster_ids]}


def in_batches(embed: Embed, texts: Sequence[str], progress: Progress) -> Vectors:
    """(texts, width)"""
    parts, left, done = [], iter(texts), 0
    with progress.working("embedding", len(texts)) as update:
        while batch := list(islice(left, BATCH)):
            parts.append(embed(batch))
            done += len(batch)
            update(done)
    return concatenated(parts)
