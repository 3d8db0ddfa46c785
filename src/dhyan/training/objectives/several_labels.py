"""Classification where a text may have several labels, or none: each label by itself, yes or no."""

from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.label_metrics import several_label_scores
from dhyan.data.id_store import IdStore
from dhyan.training.batching import Indices
from dhyan.training.objectives.classification import Classification

MOST_WEIGHT = 100.0  # of a label that is almost nowhere


class SeveralLabels(Classification):
    def targets(self, store: IdStore, rows: Indices) -> Tensor:
        """(batch, labels): 1 for each label of a row."""
        found = np.zeros((len(rows), len(self.prepared.labels)), dtype=np.float32)
        for number, row in enumerate(rows):
            found[number, store.row("label", int(row))] = 1
        return torch.from_numpy(found)

    def loss_of(self, logits: Tensor, targets: Tensor, smoothing: float, weights: Tensor | None) -> Tensor:
        """Binary cross-entropy, its mean over the labels. Smoothing moves each answer towards ½."""
        soft = targets * (1 - smoothing) + smoothing / 2
        loss = F.binary_cross_entropy_with_logits(logits, soft, pos_weight=weights, reduction="none")
        return loss.mean(dim=1).sum()

    def scores_of(self, logits: NDArray[np.float32], targets: NDArray[Any]) -> dict[str, float]:
        counted = several_label_scores(logits > 0, targets > 0, self.prepared.labels)
        return {name: value for name, value in counted.items() if name != "labels"}

    @cached_property
    def class_weights(self) -> Tensor:
        """(labels,): rows without the label for each row with it, which count so many times more."""
        with_it = self.rows_of_labels
        weights = np.clip((len(self.prepared.train) - with_it) / with_it, 1 / MOST_WEIGHT, MOST_WEIGHT)
        return torch.from_numpy(weights.astype(np.float32))
