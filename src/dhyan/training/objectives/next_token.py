"""The next token: a text is read through a window, and every position predicts what follows it."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dhyan.model.transformer import Transformer
from dhyan.text.ids import IdStore
from dhyan.training.batches import Indices, Place
from dhyan.training.objectives.objective import Batch, Objective, token_loss
from dhyan.training.objectives.translation import shift_right


class NextToken(Objective):
    """Rows are windows of the whole text, not of the files' lines. Each epoch cuts it at other places."""

    columns = ("text",)

    def window(self, store: IdStore) -> int:
        return min(self.prepared.architecture.max_positions, len(store.flat("text")))

    def lengths(self, store: IdStore) -> NDArray[np.int32]:
        window = self.window(store)
        text = len(store.flat("text"))
        # One window less while training, so that every epoch may start up to a window later.
        spare = window if store is self.prepared.train and text >= 2 * window else 0
        return np.full((max(1, (text - spare) // window), 1), window, dtype=np.int32)

    def batch(self, store: IdStore, rows: Indices, place: Place) -> Batch:
        window, text = self.window(store), store.flat("text")
        shift = 0
        if store is self.prepared.train and len(text) >= 2 * window:
            shift = int(np.random.default_rng((self.settings.seed, place.epoch)).integers(window))
        where = shift + rows[:, None] * window + np.arange(window)
        target = torch.from_numpy(text[where].astype(np.int64))  # (rows, window)
        return Batch({"target": target}, target.numel(), target.numel())

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        target = tensors["target"]
        return token_loss(model(shift_right(target)), target, smoothing)
