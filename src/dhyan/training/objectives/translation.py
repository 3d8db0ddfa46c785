"""Translation: the decoder sees the right previous words (teacher forcing) and learns the next, all at once."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.metrics import translation_scores
from dhyan.core.special_tokens import START
from dhyan.data.id_store import IdStore
from dhyan.model.fast.packed_layout import PackedLayout, packed_hidden
from dhyan.model.generation.batched import translate_ids
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.training.batching import Indices, Place, lines
from dhyan.training.losses import (
    agreeing_loss,
    agreeing_loss_in_chunks,
    taught_loss,
    taught_loss_in_chunks,
    token_loss,
    token_loss_in_chunks,
)
from dhyan.training.objectives.objective import ALL, Batch, Loss, Objective


class Translation(Objective):
    columns = ("source", "target")
    packs = True

    def batch(self, store: IdStore, rows: Indices, place: Place) -> Batch:
        source, target = (self.ids(store, column, rows) for column in self.columns)
        return Batch({"source": source, "target": target}, *self.amounts(store, rows))

    def packed_batch(self, store: IdStore, rows: Indices, share: slice = ALL) -> Batch:
        mine = rows[share]
        source, target = lines(store, self.columns, mine if len(mine) else rows[:1])
        before = np.where(target.positions == 0, START, np.roll(target.ids, 1, axis=1))
        arrays = {
            "source": source.ids,
            "source_owners": source.owners,
            "source_positions": source.positions,
            "before": before,  # what the decoder reads
            "target": target.ids,  # what it should say
            "target_owners": target.owners,
            "target_positions": target.positions,
        }
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        return Batch(tensors, *self.amounts(store, rows), weight=1.0 if len(mine) else 0.0)

    def amounts(self, store: IdStore, rows: Indices) -> tuple[int, int]:
        """Their tokens, and what the loss is a mean over."""
        source, target = (int(store.lengths(column, rows).sum()) for column in self.columns)
        return source + target, target

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        if "before" in tensors:
            return self.packed_loss(model, tensors, smoothing)
        target = tensors["target"]  # (batch, positions), ending in END
        return token_loss(model(shift_right(target), tensors["source"]), target, smoothing)

    def training_loss(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        """With r_drop every batch goes through twice, and the two passes should agree whatever dropout hides."""
        smoothing, alike = self.settings.label_smoothing, self.settings.r_drop
        if self.teacher is not None:
            return self.taught_loss(model, self.teacher, tensors, smoothing)
        if not alike:
            return self.loss(model, tensors, smoothing)
        twice = {name: torch.cat([tensor, tensor]) for name, tensor in tensors.items()}
        target = tensors["target"]
        if "before" in tensors:
            hidden = self.packed_hidden(model, twice).view(2, target.numel(), -1)
            out = model.decoder.out
            return agreeing_loss_in_chunks(hidden, out.W, out.b, target.flatten(), smoothing, alike)
        first, second = model(shift_right(twice["target"]), twice["source"]).chunk(2)
        return agreeing_loss(first, second, target, smoothing, alike)

    def taught_loss(
        self, model: Transformer, teacher: Transformer, tensors: dict[str, Tensor], smoothing: float
    ) -> Tensor:
        """The teacher reads the same words as the model, and says how likely every next one is."""
        target, share = tensors["target"], self.settings.taught
        if "before" in tensors:
            with torch.no_grad():
                known = self.packed_hidden(teacher, tensors).flatten(0, 1)
            hidden = self.packed_hidden(model, tensors).flatten(0, 1)
            out, says = model.decoder.out, teacher.decoder.out
            return taught_loss_in_chunks(
                hidden,
                out.W,
                out.b,
                target.flatten(),
                smoothing,
                lambda rows: F.linear(known[rows], says.W, says.b),
                share,
                self.settings.compile,
            )
        read = shift_right(target)
        with torch.no_grad():
            teachers = teacher(read, tensors["source"])
        return taught_loss(model(read, tensors["source"]), teachers, target, smoothing, share)

    def packed_loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float) -> Tensor:
        hidden, out = self.packed_hidden(model, tensors), model.decoder.out
        target, compiled = tensors["target"].flatten(), self.settings.compile
        return token_loss_in_chunks(hidden.flatten(0, 1), out.W, out.b, target, smoothing, compiled)

    def packed_hidden(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        """(lines, width, d_model)"""
        source_at, target_at = (
            PackedLayout(tensors[f"{side}_owners"], tensors[f"{side}_positions"]) for side in self.columns
        )
        return packed_hidden(model, tensors["before"], tensors["source"], target_at, source_at)

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        scores = super().validate(model, loss, batch_tokens)
        store, target = self.prepared.valid, self.prepared.target
        count = min(len(store), self.settings.valid_rows)
        sources = [store.row("source", row).tolist() for row in range(count)]
        references = target.decode_batch([store.row("target", row).tolist() for row in range(count)])
        found = target.decode_batch(translate_ids(model, sources, GenerationSettings(beam=1), batch_tokens))
        counted = translation_scores([text.strip() for text in found], [text.strip() for text in references])
        return scores | {name: counted[name] for name in ("bleu", "chrf")}


def shift_right(target: Tensor) -> Tensor:
    """What the decoder reads while it predicts `target`: the same, one place later, behind START."""
    return F.pad(target[:, :-1], (1, 0), value=START)
