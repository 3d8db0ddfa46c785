"""Simple models of texts that are fitted in seconds: word counts, and a linear probe on frozen vectors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.pack.words_head import WordsHead
from dhyan.training.assessment.calibration import Logits
from dhyan.training.assessment.sparse_products import FastSparseMatrix
from dhyan.training.batching import DataPosition, cut_by_tokens
from dhyan.training.objectives.classification import Classification
from dhyan.vectors.fit_words_head import LONGEST, fit_words_head
from dhyan.vectors.linear_fit import Fit, Targets

WORDS, WORD_PAIRS, PROBE, TRANSFORMER = "word counts", "counts of words and pairs", "linear probe", "transformer"
WEIGHTED_WORDS = "word counts, weighted by label"
TOKENS_PER_BATCH = 4096


@dataclass(frozen=True)
class ProbeHead:
    """A linear model of the sentence's vector, each of its numbers brought to the same spread."""

    W: NDArray[np.float64]  # (labels, d_model)
    b: NDArray[np.float64]  # (labels,)

    @classmethod
    def fit(cls, vectors: NDArray[np.float32], targets: Targets, fit: Fit) -> "ProbeHead":
        """vectors: (rows, d_model)"""
        spread = (vectors.std(axis=0) + 1e-6) * vectors.shape[1] ** 0.5
        middle = vectors.mean(axis=0)
        found = fit((vectors - middle) / spread, targets)
        W = (found.weights / spread[:, None]).T
        return cls(W, found.bias - W @ middle)

    def logits(self, vectors: NDArray[np.float32]) -> Logits:
        return np.asarray(vectors @ self.W.T + self.b, dtype=np.float64)


@dataclass
class LabelledData:
    """Texts, what is right for each, and their vectors by a frozen encoder, where there is one to start from."""

    texts: Sequence[str]
    targets: Targets
    vectors: NDArray[np.float32] | None = field(default=None, repr=False)  # (rows, d_model)

    def __len__(self) -> int:
        return len(self.texts)

    def some(self, rows: NDArray[np.intp]) -> "LabelledData":
        vectors = None if self.vectors is None else self.vectors[rows]
        return LabelledData([self.texts[row] for row in rows], self.targets[rows], vectors)

    def plus(self, other: "LabelledData") -> "LabelledData":
        vectors = None
        if self.vectors is not None and other.vectors is not None:
            vectors = np.concatenate([self.vectors, other.vectors])
        return LabelledData([*self.texts, *other.texts], np.concatenate([self.targets, other.targets]), vectors)

    @property
    def quick_names(self) -> list[str]:
        """Simple models that are fitted in no time."""
        return [WORDS, *([] if self.vectors is None else [PROBE])]


def fit_expert(name: str, data: LabelledData, fit: Fit, outputs: int) -> Callable[[LabelledData], Logits]:
    """The expert, fitted: it gives (rows, outputs) logits."""
    if name == PROBE:
        assert data.vectors is not None
        probe = ProbeHead.fit(data.vectors, data.targets, fit)
        return lambda other: probe.logits(np.asarray(other.vectors, dtype=np.float32))
    head = fit_words(name, data, fit, outputs)
    return lambda other: np.asarray(head.logits(other.texts), dtype=np.float64)


def fit_words(name: str, data: LabelledData, fit: Fit, outputs: int) -> WordsHead:
    longest = LONGEST if name == WORD_PAIRS else 1
    return fit_words_head(data.texts, data.targets, fit, longest, outputs, FastSparseMatrix.of)


def pooled_vectors(
    model: Transformer, objective: Classification, store: IdStore, rows: NDArray[np.intp]
) -> NDArray[np.float32]:
    """(rows, d_model): what the classifier reads."""
    return _by_rows(objective, store, rows, model, model.pool)


def tuned_logits(model: Transformer, objective: Classification, store: IdStore) -> Logits:
    """(rows, labels) of the Transformer."""
    classifier = model.cls
    assert classifier is not None
    rows = np.arange(len(store))
    return _by_rows(objective, store, rows, model, lambda text: classifier(model.pool(text))).astype(np.float64)


def _by_rows(
    objective: Classification,
    store: IdStore,
    rows: NDArray[np.intp],
    model: Transformer,
    of: Callable[[torch.Tensor], torch.Tensor],
) -> NDArray[np.float32]:
    lengths = objective.lengths(store).astype(np.int64)
    order = rows[np.argsort(lengths[rows].sum(axis=1), kind="stable")]
    device = next(model.parameters()).device
    found: list[NDArray[np.float32]] = []
    model.eval()
    with torch.inference_mode():
        for some in cut_by_tokens(order, lengths, TOKENS_PER_BATCH):
            batch = objective.batch(store, some, DataPosition()).to(device)
            found.append(of(batch.tensors["text"]).float().cpu().numpy())
    joined = np.concatenate(found)
    back = np.empty_like(joined)
    back[np.searchsorted(rows, order)] = joined
    return back
