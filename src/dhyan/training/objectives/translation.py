"""Translation: the decoder sees the right previous words (teacher forcing) and learns the next, all at once."""

from torch import Tensor
from torch.nn import functional as F

from dhyan.model.decoding import Decoding
from dhyan.model.transformer import Transformer
from dhyan.special import START
from dhyan.text.ids import IdStore
from dhyan.training.batches import Indices, Place
from dhyan.training.inference import translate_ids
from dhyan.training.metrics import translation_scores
from dhyan.training.objectives.objective import Batch, Loss, Objective, token_loss


class Translation(Objective):
    columns = ("source", "target")

    def batch(self, store: IdStore, rows: Indices, place: Place) -> Batch:
        source, target = (self.ids(store, column, rows) for column in self.columns)
        units = int(store.lengths("target", rows).sum())
        tokens = units + int(store.lengths("source", rows).sum())
        return Batch({"source": source, "target": target}, tokens, units)

    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        target = tensors["target"]  # (batch, positions), ending in END
        return token_loss(model(shift_right(target), tensors["source"]), target, smoothing)

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
