"""Masked tokens: hide some, let the encoder guess them from both sides. Needs nothing but text."""

import numpy as np
import torch
from torch import Tensor

from dhyan.model.transformer import Transformer
from dhyan.special import MASK, PAD, SPECIAL
from dhyan.text.ids import IdStore
from dhyan.training.batches import Indices, Place
from dhyan.training.objectives.objective import Batch, Objective
from dhyan.training.token_loss import token_loss


class MaskedTokens(Objective):
    columns = ("text",)

    def batch(self, store: IdStore, rows: Indices, place: Place) -> Batch:
        text = self.ids(store, "text", rows).numpy()
        random = self.random(place)
        real = text >= len(SPECIAL)
        chosen = real & (random.random(text.shape) < self.settings.mask_share)
        if not chosen.any() and real.any():  # a batch with nothing to guess would teach nothing
            chosen[tuple(np.argwhere(real)[0])] = True
        # Of the chosen, most are masked, some replaced by chance, some left: or the model would learn that only
        # a mask is worth guessing, and it meets no masks when it is used.
        how = random.random(text.shape)
        anything = random.integers(len(SPECIAL), self.prepared.architecture.source_vocabulary, text.shape)
        shown = np.where(chosen & (how < 0.8), MASK, np.where(chosen & (how >= 0.9), anything, text))
        wanted = np.where(chosen, text, PAD)
        tensors = {"shown": torch.from_numpy(shown), "wanted": torch.from_numpy(wanted)}
        return Batch(tensors, int(store.lengths("text", rows).sum()), int(chosen.sum()))

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        if model.mlm is None:
            raise ValueError("this encoder cannot fill in masked tokens")
        hidden, _ = model.encode(tensors["shown"])  # (batch, positions, d_model)
        return token_loss(model.mlm(hidden), tensors["wanted"], smoothing)
