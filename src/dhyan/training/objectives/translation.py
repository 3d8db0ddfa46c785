"""Translation: the decoder sees the right previous words (teacher forcing) and learns the next, all at once."""

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.model.decoding import Decoding
from dhyan.model.packing import Packing
from dhyan.model.transformer import Transformer
from dhyan.special import START
from dhyan.text.ids import IdStore
from dhyan.training.batches import Indices, Place, lines
from dhyan.training.inference import translate_ids
from dhyan.training.metrics import translation_scores
from dhyan.training.objectives.objective import Batch, Loss, Objective
from dhyan.training.token_loss import token_loss, token_loss_in_chunks


class Translation(Objective):
    columns = ("source", "target")
    packs = True

    def batch(self, store: IdStore, rows: Indices, place: Place) -> Batch:
        source, target = (self.ids(store, column, rows) for column in self.columns)
        units = int(store.lengths("target", rows).sum())
        tokens = units + int(store.lengths("source", rows).sum())
        return Batch({"source": source, "target": target}, tokens, units)

    def packed_batch(self, store: IdStore, rows: Indices) -> Batch:
        source, target = lines(store, self.columns, rows)
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
        units = int(store.lengths("target", rows).sum())
        tokens = units + int(store.lengths("source", rows).sum())
        return Batch(tensors, tokens, units)

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        if "before" in tensors:
            return self.packed_loss(model, tensors, smoothing)
        target = tensors["target"]  # (batch, positions), ending in END
        return token_loss(model(shift_right(target), tensors["source"]), target, smoothing)

    def packed_loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float) -> Tensor:
        source_at, target_at = (
            Packing(tensors[f"{side}_owners"], tensors[f"{side}_positions"]) for side in self.columns
        )
        hidden = model.hidden_packed(tensors["before"], tensors["source"], target_at, source_at)
        out = model.decoder.out
        return token_loss_in_chunks(hidden.flatten(0, 1), out.W, out.b, tensors["target"].flatten(), smoothing)

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        scores = super().validate(model, loss, batch_tokens)
        store, target = self.prepared.valid, self.prepared.target
        count = min(len(store), self.settings.valid_rows)
        sources = [store.row("source", row).tolist() for row in range(count)]
        references = target.decode_batch([store.row("target", row).tolist() for row in range(count)])
        found = target.decode_batch(translate_ids(model, sources, Decoding(beam=1), batch_tokens))
        counted = translation_scores([text.strip() for text in found], [text.strip() for text in references])
        return scores | {name: counted[name] for name in ("bleu", "chrf")}


def shift_right(target: Tensor) -> Tensor:
    """What the decoder reads while it predicts `target`: the same, one place later, behind START."""
    return F.pad(target[:, :-1], (1, 0), value=START)
