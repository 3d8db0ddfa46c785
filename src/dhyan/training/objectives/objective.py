"""What every objective has in common: rows → batch → loss, and a validation."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import Indices, Place, cut_by_tokens, padded
from dhyan.training.prepared import Prepared

ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors with one row an example, and what they amount to."""

    tensors: dict[str, Tensor]
    tokens: int  # real ones, both sides, padding not counted
    units: int  # what the loss is a mean over: target tokens, or rows
    weight: float = 1.0  # 0 where a process has no rows of its own and only keeps step with the others

    @property
    def cells(self) -> int:
        """Tokens that go through the model, padding too."""
        if "before" in self.tensors:
            return self.tensors["source"].numel() + self.tensors["before"].numel()
        if "shown" in self.tensors:
            return self.tensors["shown"].numel()
        return sum(tensor.numel() for tensor in self.tensors.values() if tensor.dim() > 1)

    @property
    def rows(self) -> int:
        return len(next(iter(self.tensors.values())))

    def split(self, parts: int) -> Iterator["Batch"]:
        """The rows in so many parts of about equal size; what they amount to is the whole's business."""
        if parts <= 1:
            yield self
            return
        chunks = {name: tensor.chunk(parts) for name, tensor in self.tensors.items()}
        for index in range(len(next(iter(chunks.values())))):
            yield replace(self, tensors={name: pieces[index] for name, pieces in chunks.items()})

    def share(self, rows: slice) -> "Batch":
        """Some of the rows, for one of several processes; what they amount to stays the whole's."""
        weight, rows = (1.0, rows) if rows.stop > rows.start else (0.0, slice(0, 1))
        return replace(self, tensors={name: tensor[rows] for name, tensor in self.tensors.items()}, weight=weight)

    def pinned(self) -> "Batch":
        """In memory that a GPU can read while the processor does something else."""
        return replace(self, tensors={name: tensor.pin_memory() for name, tensor in self.tensors.items()})

    def to(self, device: torch.device) -> "Batch":
        if device.type == "cpu":
            return self
        moved = {name: tensor.to(device, non_blocking=True) for name, tensor in self.tensors.items()}
        return replace(self, tensors=moved)


Loss = Callable[[Transformer, dict[str, Tensor]], Tensor]


class Objective(ABC):
    """Subclasses are plain: no state but what is prepared, so that any batch can be made again at any time."""

    columns: tuple[str, ...]
    splits = True  # whether a batch may go through the model in parts without changing its loss
    packs = False  # whether it can do without padding (packed_batch)
    in_half = False  # whether a bfloat16 copy of the model may do all the work, packed or not
    teacher: Transformer | None = None  # whose probabilities the model learns, too (translation)

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.settings = prepared.recipe.training

    @abstractmethod
    def batch(self, store: IdStore, rows: Indices, place: Place) -> Batch:
        """The given rows as tensors. Whatever is random in it is drawn from the seed and the place."""

    def packed_batch(self, store: IdStore, rows: Indices, share: slice = ALL) -> Batch:
        """The same rows, or a share of them, several on a line, with little padding; `loss` takes both."""
        raise NotImplementedError

    @abstractmethod
    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        """The sum of the loss over the batch's units."""

    def training_loss(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        return self.loss(model, tensors, self.settings.label_smoothing)

    def lengths(self, store: IdStore) -> NDArray[np.int32]:
        """(rows, sides): the tokens of each row, for packing batches."""
        return np.stack([store.lengths(column) for column in self.columns], axis=1)

    def random(self, place: Place) -> np.random.Generator:
        return np.random.default_rng((self.settings.seed, place.epoch, place.batch))

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        """At least the mean loss, without smoothing; subclasses add what their task is judged by."""
        total, units = 0.0, 0
        for batch in self.validation_batches(batch_tokens):
            on_device = batch.to(next(model.parameters()).device)
            total += float(loss(model, on_device.tensors))
            units += batch.units
        return {"loss": total / max(1, units)}

    def validation_batches(self, batch_tokens: int) -> Iterator[Batch]:
        store = self.prepared.valid
        lengths = self.lengths(store).astype(np.int64)
        if self.prepared.validates_on_train:  # a look at some of it is enough
            lengths = lengths[: self.settings.valid_rows]
        order = np.argsort(lengths.sum(axis=1), kind="stable")
        for number, rows in enumerate(cut_by_tokens(order, lengths, batch_tokens)):
            yield self.batch(store, rows, Place(-1 % 2**31, number))  # an epoch that training never reaches

    def ids(self, store: IdStore, column: str, rows: Indices) -> Tensor:
        return torch.from_numpy(padded(store, column, rows))
