"""Language modelling: every position of a window of text predicts the next token."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import DataPosition, Indices
from dhyan.training.losses import IGNORED, token_loss
from dhyan.training.objectives.objective import Batch, Objective
from dhyan.training.objectives.translation import shift_right


class NextToken(Objective):
    """Rows are windows of the whole text, not lines of the files. Each epoch shifts the windows."""

    columns = ("text",)

    def window(self, store: IdStore) -> int:
        return min(self.prepared.architecture.max_positions, len(store.flat("text")))

    def lengths(self, store: IdStore) -> NDArray[np.int32]:
        window, text = self.window(store), len(store.flat("text"))
        if store is not self.prepared.train:  # all of it, the last window maybe shorter
            return np.minimum(window, text - np.arange(0, text, window, dtype=np.int32))[:, None]
        # One window less while training, so that every epoch may start up to a window later.
        spare = window if text >= 2 * window else 0
        return np.full((max(1, (text - spare) // window), 1), window, dtype=np.int32)

    def batch(self, store: IdStore, rows: Indices, position: DataPosition) -> Batch:
        window, text = self.window(store), store.flat("text")
        shift = 0
        if store is self.prepared.train:
            unused = len(text) - len(self.lengths(store)) * window
            shift = int(np.random.default_rng((self.settings.seed, position.epoch)).integers(unused + 1))
        cells = shift + rows[:, None] * window + np.arange(window)  # (rows, window)
        exists = cells < len(text)
        target = np.where(exists, text[np.minimum(cells, len(text) - 1)].astype(np.int64), IGNORED)
        real = int(exists.sum())
        return Batch({"target": torch.from_numpy(target)}, real, real)

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        target = tensors["target"]
        return token_loss(model(shift_right(target, self.special.start)), target, smoothing)
