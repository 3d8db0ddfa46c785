"""Classification: the label from the sentence's pooled vector."""

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.metrics import label_scores
from dhyan.core.special_tokens import MASK, SPECIAL
from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import DataPosition, Indices
from dhyan.training.objectives.objective import Batch, Loss, Objective


class Classification(Objective):
    columns = ("text",)

    def batch(self, store: IdStore, rows: Indices, position: DataPosition) -> Batch:
        label = self.ids(store, "label", rows)[:, 0]
        tokens = int(store.lengths("text", rows).sum())
        return Batch({"text": self.ids(store, "text", rows), "label": label}, tokens, len(rows))

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        logits = label_logits(model, tensors["text"]).float()  # (batch, labels)
        return F.cross_entropy(logits, tensors["label"], reduction="sum", label_smoothing=smoothing)

    def training_loss(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        if self.settings.word_dropout:
            tensors = tensors | {"text": mask_tokens(tensors["text"], self.settings.word_dropout)}
        return self.loss(model, tensors, self.settings.label_smoothing)

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        scores = super().validate(model, loss, batch_tokens)
        predicted: list[int] = []
        labels: list[int] = []
        device = next(model.parameters()).device
        with torch.inference_mode():
            for batch in self.validation_batches(batch_tokens):
                predicted += label_logits(model, batch.to(device).tensors["text"]).argmax(-1).tolist()
                labels += batch.tensors["label"].tolist()
        counted = label_scores(predicted, labels, self.prepared.labels)
        return scores | {"accuracy": counted["accuracy"], "f1": counted["f1"]}


def mask_tokens(text: Tensor, share: float) -> Tensor:
    """Word dropout: some tokens replaced by MASK, different ones every time, so that no single word decides."""
    masked = (torch.rand(text.shape, device=text.device) < share) & (text >= len(SPECIAL))
    return text.masked_fill(masked, MASK)


def label_logits(model: Transformer, text: Tensor) -> Tensor:
    if model.cls is None:
        raise ValueError("this encoder has no classifier on top")
    logits: Tensor = model.cls(model.pool(text))
    return logits
