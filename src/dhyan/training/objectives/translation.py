"""Translation with teacher forcing: the decoder reads the target shifted right and predicts every next token."""

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
from dhyan.training.batching import DataPosition, Indices
from dhyan.training.losses import (
    IGNORED,
    distillation_loss,
    distillation_loss_in_chunks,
    r_drop_loss,
    r_drop_loss_in_chunks,
    token_loss,
    token_loss_in_chunks,
)
from dhyan.training.objectives.objective import ALL, Batch, Loss, Objective
from dhyan.training.packing import pack_rows


class Translation(Objective):
    columns = ("source", "target")
    can_pack = True

    def batch(self, store: IdStore, rows: Indices, position: DataPosition) -> Batch:
        source, target = self.ids(store, "source", rows), self.ids(store, "target", rows, IGNORED)
        return Batch({"source": source, "target": target}, *self.sizes(store, rows))

    def packed_batch(self, store: IdStore, rows: Indices, own: slice = ALL) -> Batch:
        mine = rows[own]
        source, target = pack_rows(store, self.columns, mine if len(mine) else rows[:1], self.special.pad)
        shifted = np.where(target.position_ids == 0, self.special.start, np.roll(target.ids, 1, axis=1))
        arrays = {
            "source": source.ids,
            "source_segment_ids": source.segment_ids,
            "source_position_ids": source.position_ids,
            "decoder_input": shifted,  # the target shifted right, in each of its segments
            "target": np.where(target.segment_ids == 0, IGNORED, target.ids),
            "target_segment_ids": target.segment_ids,
            "target_position_ids": target.position_ids,
        }
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
        return Batch(tensors, *self.sizes(store, rows), weight=1.0 if len(mine) else 0.0)

    def sizes(self, store: IdStore, rows: Indices) -> tuple[int, int]:
        """Tokens of both sides, and of the target alone, which the loss is a mean over."""
        source, target = (int(store.lengths(column, rows).sum()) for column in self.columns)
        return source + target, target

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        if "decoder_input" in tensors:
            return self.packed_loss(model, tensors, smoothing)
        target = tensors["target"]  # (batch, positions), each ending in its end mark
        return token_loss(model(self.shifted(target), tensors["source"]), target, smoothing)

    def training_loss(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        """With R-Drop every batch goes through the model twice, with different dropout."""
        smoothing, kl_weight = self.settings.label_smoothing, self.settings.r_drop
        if self.teacher is not None:
            return self.distillation_loss(model, self.teacher, tensors, smoothing)
        if not kl_weight:
            return self.loss(model, tensors, smoothing)
        twice = {name: torch.cat([tensor, tensor]) for name, tensor in tensors.items()}
        target = tensors["target"]
        if "decoder_input" in tensors:
            hidden = self.packed_hidden(model, twice).view(2, target.numel(), -1)
            out = model.decoder.out
            return r_drop_loss_in_chunks(hidden, out.W, out.b, target.flatten(), smoothing, kl_weight)
        first, second = model(self.shifted(twice["target"]), twice["source"]).chunk(2)
        return r_drop_loss(first, second, target, smoothing, kl_weight)

    def distillation_loss(
        self, model: Transformer, teacher: Transformer, tensors: dict[str, Tensor], smoothing: float
    ) -> Tensor:
        """The teacher reads the same tokens as the model; its distribution is a part of what the model learns."""
        target, weight = tensors["target"], self.settings.teacher_weight
        if "decoder_input" in tensors:
            with torch.no_grad():
                teacher_hidden = self.packed_hidden(teacher, tensors).flatten(0, 1)
            hidden = self.packed_hidden(model, tensors).flatten(0, 1)
            out, teacher_out = model.decoder.out, teacher.decoder.out
            return distillation_loss_in_chunks(
                hidden,
                out.W,
                out.b,
                target.flatten(),
                smoothing,
                lambda rows: F.linear(teacher_hidden[rows], teacher_out.W, teacher_out.b),
                weight,
                self.settings.compile,
            )
        shifted = self.shifted(target)
        with torch.no_grad():
            teacher_logits = teacher(shifted, tensors["source"])
        return distillation_loss(model(shifted, tensors["source"]), teacher_logits, target, smoothing, weight)

    def packed_loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float) -> Tensor:
        hidden, out = self.packed_hidden(model, tensors), model.decoder.out
        target, compiled = tensors["target"].flatten(), self.settings.compile
        return token_loss_in_chunks(hidden.flatten(0, 1), out.W, out.b, target, smoothing, compiled)

    def shifted(self, target: Tensor) -> Tensor:
        return shift_right(target, self.special.start)

    def packed_hidden(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        """(rows, row length, d_model)"""
        source_at, target_at = (
            PackedLayout(tensors[f"{side}_segment_ids"], tensors[f"{side}_position_ids"]) for side in self.columns
        )
        return packed_hidden(model, tensors["decoder_input"], tensors["source"], target_at, source_at)

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        scores = super().validate(model, loss, batch_tokens)
        store, target = self.prepared.valid, self.prepared.tokenizers["target"]
        count = min(len(store), self.settings.valid_rows)
        sources = [store.row("source", row).tolist() for row in range(count)]
        references = target.decode_batch([store.row("target", row).tolist() for row in range(count)])
        found = target.decode_batch(translate_ids(model, sources, GenerationSettings(beam=1), batch_tokens))
        counted = translation_scores([text.strip() for text in found], [text.strip() for text in references])
        # BLEU counts runs of four words: where no reference has four it would be 0 for ever.
        has_bleu = self.settings.metric == "bleu" or any(len(text.split()) >= 4 for text in references)
        return scores | {name: counted[name] for name in ("chrf", "bleu") if name == "chrf" or has_bleu}


def shift_right(target: Tensor, start: int = START) -> Tensor:
    """The decoder's input: the target one position later, behind the start token.

    What is not scored stands at the right, where a causal query never looks: any id will do there.
    """
    return F.pad(target[:, :-1], (1, 0), value=start).clamp(min=0)
