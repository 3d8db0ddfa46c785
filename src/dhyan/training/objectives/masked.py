"""Masked language modelling: hide some tokens, predict them from both sides. Needs nothing but text."""

from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import DataPosition, Indices
from dhyan.training.losses import IGNORED, token_loss
from dhyan.training.objectives.objective import Batch, Objective


class MaskedTokens(Objective):
    columns = ("text",)
    trains_in_bf16 = True

    def batch(self, store: IdStore, rows: Indices, position: DataPosition) -> Batch:
        text = self.ids(store, "text", rows).numpy()
        random, mask = self.random(position), self.special.mask
        if mask is None:
            raise ValueError("this vocabulary has no mask token")
        real = ~np.isin(text, self.special_ids)
        chosen = real & (random.random(text.shape) < self.settings.mask_probability)
        if not chosen.any() and real.any():  # a batch without a masked token would teach nothing
            chosen[tuple(np.argwhere(real)[0])] = True
        # Of the chosen, 80% are masked, 10% replaced at random, 10% kept: the model meets no masks when in use.
        how = random.random(text.shape)
        replacement = self.ordinary[random.integers(len(self.ordinary), size=text.shape)]
        shown = np.where(chosen & (how < 0.8), mask, np.where(chosen & (how >= 0.9), replacement, text))
        # Only the chosen positions are scored against the whole vocabulary.
        most = int(chosen.sum(axis=1).max(initial=1))
        positions = np.argsort(~chosen, axis=1, kind="stable")[:, :most]
        target = np.take_along_axis(np.where(chosen, text, IGNORED), positions, axis=1)
        arrays = {"input": shown, "masked_positions": positions, "target": target}
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        return Batch(tensors, int(store.lengths("text", rows).sum()), int(chosen.sum()))

    @cached_property
    def ordinary(self) -> NDArray[np.int64]:
        """The ids that are text."""
        return np.setdiff1d(np.arange(self.prepared.architecture.source_vocabulary), self.special_ids)

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        if model.mlm is None:
            raise ValueError("this encoder cannot fill in masked tokens")
        hidden, _ = model.encode(tensors["input"])  # (batch, positions, d_model)
        positions = tensors["masked_positions"].unsqueeze(-1).expand(-1, -1, hidden.shape[-1])
        masked = hidden.gather(1, positions)  # (batch, masked positions, d_model)
        return token_loss(model.mlm(masked), tensors["target"], smoothing)
