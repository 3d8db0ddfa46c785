"""Masked tokens: hide some, let the encoder guess them from both sides. Needs nothing but text."""

import numpy as np
import torch
from torch import Tensor

from dhyan.core.special_tokens import MASK, PAD, SPECIAL
from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import Indices, Place
from dhyan.training.losses import token_loss
from dhyan.training.objectives.objective import Batch, Objective


class MaskedTokens(Objective):
    columns = ("text",)
    in_half = True

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
        # Only what is to be guessed is scored against the whole vocabulary: the places come along, the chosen first.
        most = int(chosen.sum(axis=1).max(initial=1))
        places = np.argsort(~chosen, axis=1, kind="stable")[:, :most]
        wanted = np.take_along_axis(np.where(chosen, text, PAD), places, axis=1)
        arrays = {"shown": shown, "places": places, "wanted": wanted}
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        return Batch(tensors, int(store.lengths("text", rows).sum()), int(chosen.sum()))

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        if model.mlm is None:
            raise ValueError("this encoder cannot fill in masked tokens")
        hidden, _ = model.encode(tensors["shown"])  # (batch, positions, d_model)
        places = tensors["places"].unsqueeze(-1).expand(-1, -1, hidden.shape[-1])
        guessed = hidden.gather(1, places)  # (batch, places, d_model)
        return token_loss(model.mlm(guessed), tensors["wanted"], smoothing)
