"""Contrastive learning: two texts that mean the same attract, all other texts of the batch repel each other."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import DataPosition, Indices
from dhyan.training.objectives.objective import Batch, Loss, Objective
from dhyan.training.prepare import Prepared


class Contrastive(Objective):
    can_split = False  # a row's negatives are the other rows: half a batch has another loss

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        self.columns = prepared.train.columns  # text1, text2, …: some rows have more paraphrases than others

    def lengths(self, store: IdStore) -> NDArray[np.int32]:
        """Any two of a row's texts may be drawn, so the longest counts for both sides."""
        longest = np.max([store.lengths(column) for column in self.columns], axis=0)
        both: NDArray[np.int32] = np.stack([longest, longest], axis=1).astype(np.int32)
        return both

    def batch(self, store: IdStore, rows: Indices, position: DataPosition) -> Batch:
        exists = np.stack([store.lengths(column, rows) > 0 for column in self.columns], axis=1)
        draws = np.where(exists, self.random(position).random(exists.shape), -1.0)
        first, second = np.argsort(-draws, axis=1, kind="stable")[:, :2].T  # two different texts of each row
        sides = [self.pick(store, rows, which) for which in (first, second)]
        tokens = sum(int((side != self.special.pad).sum()) for side in sides)
        return Batch({"first": sides[0], "second": sides[1]}, tokens, len(rows))

    def pick(self, store: IdStore, rows: Indices, which: NDArray[np.int64]) -> Tensor:
        """(rows, longest): of each row the text that `which` says."""
        parts = [self.ids(store, column, rows) for column in self.columns]
        width = max(part.shape[1] for part in parts)
        pad = self.special.pad
        wide = [F.pad(part, (0, width - part.shape[1]), value=pad) for part in parts]
        stacked = torch.stack(wide)  # (texts, rows, width)
        picked = stacked[torch.from_numpy(which), torch.arange(len(rows))]
        return picked[:, : max(1, int((picked != pad).sum(dim=1).max()))].contiguous()

    def similarities(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        """(rows, rows): the cosine of every first text with every second."""
        first, second = (F.normalize(model.pool(tensors[side]).float(), dim=-1) for side in ("first", "second"))
        with torch.autocast(first.device.type, enabled=False):  # bfloat16 would make near neighbours equal
            return first @ second.T

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        logits = self.similarities(model, tensors) / self.settings.contrastive_temperature
        labels = torch.arange(logits.shape[0], device=logits.device)
        both_ways = [
            F.cross_entropy(way, labels, reduction="sum", label_smoothing=smoothing) for way in (logits, logits.T)
        ]
        return (both_ways[0] + both_ways[1]) / 2

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        """Accuracy: how often a text's own partner is the nearest in its batch."""
        scores = super().validate(model, loss, batch_tokens)
        device = next(model.parameters()).device
        hits = rows = 0
        with torch.inference_mode():
            for batch in self.validation_batches(batch_tokens):
                nearest = self.similarities(model, batch.to(device).tensors).argmax(dim=1)
                hits += int((nearest == torch.arange(len(nearest), device=device)).sum())
                rows += len(nearest)
        return scores | {"accuracy": hits / max(1, rows)}
