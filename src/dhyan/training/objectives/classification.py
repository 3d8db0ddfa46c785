"""Classification: the label from the sentence's pooled vector."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.metrics import label_scores
from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import DataPosition, Indices
from dhyan.training.objectives.objective import Batch, Loss, Objective


class Classification(Objective):
    """One label per text; what has several, or a number, says so in the methods below `loss`."""

    columns = ("text",)

    def lengths(self, store: IdStore) -> NDArray[np.int32]:
        lengths = super().lengths(store)
        return np.minimum(lengths, self.settings.crop) if self.crops(store) else lengths

    def crops(self, store: IdStore) -> bool:
        """Training rows alone: a text is judged by all of it. Of a pair, a window could lack one of the two."""
        return self.settings.crop > 0 and store is self.prepared.train and not self.prepared.recipe.reads_pairs

    def batch(self, store: IdStore, rows: Indices, position: DataPosition) -> Batch:
        text = self.ids(store, "text", rows)
        if self.crops(store):
            text = self.cropped(text, store.lengths("text", rows), self.random(position))
        tokens = int((text != self.special.pad).sum())
        return Batch({"text": text, "label": self.targets(store, rows)}, tokens, len(rows))

    def cropped(self, text: Tensor, lengths: NDArray[np.int32], random: np.random.Generator) -> Tensor:
        """(batch, positions) → (batch, at most `crop`): of a long text a random window, and its prefix and suffix."""
        before, behind = len(self.special.source_prefix), len(self.special.source_suffix)
        width = min(self.settings.crop, text.shape[1])
        inside = np.maximum(lengths - before - behind, 0)  # tokens of the text itself
        kept = np.minimum(inside, width - before - behind)
        begin = random.integers(inside - kept + 1)
        column = np.arange(width)
        source = column + np.where(column < before, 0, begin[:, None])  # a window's tokens, and its prefix
        is_suffix = column >= before + kept[:, None]
        source = np.where(is_suffix, column + (inside - kept)[:, None], source)
        exists = column < (before + kept + behind)[:, None]
        picked = text.gather(1, torch.from_numpy(np.minimum(source, text.shape[1] - 1)))
        return picked.masked_fill(torch.from_numpy(~exists), self.special.pad)

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        logits = label_logits(model, tensors["text"]).float()  # (batch, labels)
        return self.loss_of(logits, tensors["label"], smoothing, None)

    def training_loss(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        if self.settings.word_dropout and self.special.mask is not None:
            share, text = self.settings.word_dropout, tensors["text"]
            tensors = tensors | {"text": mask_tokens(text, share, self.special.mask, self.special_ids)}
        logits = label_logits(model, tensors["text"]).float()
        weights = self.class_weights.to(logits.device) if self.settings.class_weights == "balanced" else None
        return self.loss_of(logits, tensors["label"], self.settings.label_smoothing, weights)

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        scores = super().validate(model, loss, batch_tokens)
        logits, targets = [], []
        device = next(model.parameters()).device
        with torch.inference_mode():
            for batch in self.validation_batches(batch_tokens):
                logits.append(label_logits(model, batch.to(device).tensors["text"]).float().cpu().numpy())
                targets.append(batch.tensors["label"].numpy())
        return scores | self.scores_of(np.concatenate(logits), np.concatenate(targets))

    def targets(self, store: IdStore, rows: Indices) -> Tensor:
        """(batch,): each row's label."""
        return self.ids(store, "label", rows)[:, 0]

    def loss_of(self, logits: Tensor, targets: Tensor, smoothing: float, weights: Tensor | None) -> Tensor:
        """The sum over the batch. weights: of each label, how much its rows count."""
        return F.cross_entropy(logits, targets, weights, reduction="sum", label_smoothing=smoothing)

    def scores_of(self, logits: NDArray[np.float32], targets: NDArray[Any]) -> dict[str, float]:
        counted = label_scores(logits.argmax(axis=-1).tolist(), targets.tolist(), self.prepared.labels)
        return {"accuracy": counted["accuracy"], "f1": counted["f1"]}

    @cached_property
    def class_weights(self) -> Tensor:
        """(labels,): rows / (labels · rows of the label), so that a row counts 1 on average."""
        counts = self.rows_of_labels
        return torch.from_numpy((counts.sum() / (len(counts) * counts)).astype(np.float32))

    @property
    def rows_of_labels(self) -> NDArray[np.int64]:
        """(labels,): of the training data; 1 for a label whose rows are all held out."""
        found = np.bincount(self.prepared.train.flat("label"), minlength=len(self.prepared.labels))
        return np.maximum(1, found)


def mask_tokens(text: Tensor, share: float, mask: int, special_ids: Sequence[int]) -> Tensor:
    """Word dropout: some tokens replaced by a mask, different ones every time, so that no single word decides."""
    is_special = torch.isin(text, torch.tensor(special_ids, device=text.device))
    masked = (torch.rand(text.shape, device=text.device) < share) & ~is_special
    return text.masked_fill(masked, mask)


def label_logits(model: Transformer, text: Tensor) -> Tensor:
    if model.cls is None:
        raise ValueError("this encoder has no classifier on top")
    logits: Tensor = model.cls(model.pool(text))
    return logits
