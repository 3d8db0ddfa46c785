"""A number from the sentence's pooled vector, learnt in standard deviations from the mean of the training rows."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.label_metrics import number_scores
from dhyan.data.id_store import IdStore
from dhyan.pack.manifest import NumberScale
from dhyan.training.batching import Indices
from dhyan.training.label_decision import numbers_of_bits
from dhyan.training.objectives.classification import Classification


class Number(Classification):
    @property
    def scale(self) -> NumberScale:
        return self.prepared.number or NumberScale()

    def targets(self, store: IdStore, rows: Indices) -> Tensor:
        """(batch,)"""
        bits = self.ids(store, "label", rows)[:, 0].numpy()
        return torch.from_numpy((numbers_of_bits(bits) - np.float32(self.scale.mean)) / np.float32(self.scale.spread))

    def loss_of(self, logits: Tensor, targets: Tensor, smoothing: float, weights: Tensor | None) -> Tensor:
        """The squared error: on average 1 for whoever always says the mean."""
        return F.mse_loss(logits[:, 0], targets, reduction="sum")

    def scores_of(self, logits: NDArray[np.float32], targets: NDArray[Any]) -> dict[str, float]:
        """In the user's own unit."""
        said, right = (
            array.astype(np.float64) * self.scale.spread + self.scale.mean for array in (logits[:, 0], targets)
        )
        return number_scores(said, right)
