"""What every objective has in common: rows → batch → loss, and a validation."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dhyan.data.id_store import IdStore
from dhyan.model.transformer import Transformer
from dhyan.training.batching import DataPosition, Indices, cut_by_tokens, padded
from dhyan.training.prepare import Prepared

ALL = slice(None)


@dataclass(frozen=True, slots=True)
class Batch:
    """Tensors with one row per example, and their sizes."""

    tensors: dict[str, Tensor]
    tokens: int  # real ones, both sides, padding not counted
    units: int  # what the loss is a mean over: target tokens, or rows
    weight: float = 1.0  # of its loss: 0 where a process has no rows of its own and only joins the collectives

    @property
    def cells(self) -> int:
        """Tokens that go through the model, padding counted."""
        if "decoder_input" in self.tensors:
            return self.tensors["source"].numel() + self.tensors["decoder_input"].numel()
        if "input" in self.tensors:
            return self.tensors["input"].numel()
        ids = (tensor for tensor in self.tensors.values() if not tensor.is_floating_point())
        return sum(tensor.numel() for tensor in ids if tensor.dim() > 1)

    @property
    def rows(self) -> int:
        return len(next(iter(self.tensors.values())))

    def micro_batches(self, count: int) -> Iterator["Batch"]:
        """The rows in so many parts of about equal size; `tokens` and `units` stay those of the whole batch."""
        if count <= 1:
            yield self
            return
        chunks = {name: tensor.chunk(count) for name, tensor in self.tensors.items()}
        for index in range(len(next(iter(chunks.values())))):
            yield replace(self, tensors={name: parts[index] for name, parts in chunks.items()})

    def some_rows(self, rows: slice) -> "Batch":
        """One process's rows; `tokens` and `units` stay those of the whole batch."""
        weight, rows = (1.0, rows) if rows.stop > rows.start else (0.0, slice(0, 1))
        return replace(self, tensors={name: tensor[rows] for name, tensor in self.tensors.items()}, weight=weight)

    def pinned(self) -> "Batch":
        """In pinned memory, which a GPU reads while the CPU works on."""
        return replace(self, tensors={name: tensor.pin_memory() for name, tensor in self.tensors.items()})

    def to(self, device: torch.device) -> "Batch":
        if device.type == "cpu":
            return self
        moved = {name: tensor.to(device, non_blocking=True) for name, tensor in self.tensors.items()}
        return replace(self, tensors=moved)


Loss = Callable[[Transformer, dict[str, Tensor]], Tensor]


class Objective(ABC):
    """Has no state of its own, so that any batch can be made again at any time."""

    columns: tuple[str, ...]
    can_split = True  # whether micro-batches have the same loss as the batch
    can_pack = False  # whether sequences can be packed (packed_batch)
    trains_in_bf16 = False  # whether a bfloat16 copy of the model may compute all gradients, packed or not
    teacher: Transformer | None = None  # for knowledge distillation (translation)

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.settings = prepared.recipe.training
        self.special = prepared.architecture.special

    @abstractmethod
    def batch(self, store: IdStore, rows: Indices, position: DataPosition) -> Batch:
        """The given rows as tensors. Whatever is random in it comes from the seed and the position."""

    def packed_batch(self, store: IdStore, rows: Indices, own: slice = ALL) -> Batch:
        """The same rows, or one process's own of them, as packed sequences; `loss` takes both."""
        raise NotImplementedError

    @abstractmethod
    def loss(self, model: Transformer, tensors: dict[str, Tensor], smoothing: float = 0.0) -> Tensor:
        """The sum of the loss over the batch's units."""

    def training_loss(self, model: Transformer, tensors: dict[str, Tensor]) -> Tensor:
        return self.loss(model, tensors, self.settings.label_smoothing)

    def lengths(self, store: IdStore) -> NDArray[np.int32]:
        """(rows, sides): the tokens of each row."""
        return np.stack([store.lengths(column) for column in self.columns], axis=1)

    def random(self, position: DataPosition) -> np.random.Generator:
        return np.random.default_rng((self.settings.seed, position.epoch, position.batch))

    def validate(self, model: Transformer, loss: Loss, batch_tokens: int) -> dict[str, float]:
        """At least the mean loss, without smoothing; subclasses add the metrics of their task."""
        total, units = 0.0, 0
        for batch in self.validation_batches(batch_tokens):
            on_device = batch.to(next(model.parameters()).device)
            total += float(loss(model, on_device.tensors))
            units += batch.units
        return {"loss": total / max(1, units)}

    def validation_batches(self, batch_tokens: int) -> Iterator[Batch]:
        store = self.prepared.valid
        lengths = self.lengths(store).astype(np.int64)
        if self.prepared.validates_on_train:  # some of it is enough
            lengths = lengths[: self.settings.valid_rows]
        order = np.argsort(lengths.sum(axis=1), kind="stable")
        for number, rows in enumerate(cut_by_tokens(order, lengths, batch_tokens)):
            yield self.batch(store, rows, DataPosition(-1 % 2**31, number))  # an epoch that training never reaches

    def ids(self, store: IdStore, column: str, rows: Indices, pad: int | None = None) -> Tensor:
        return torch.from_numpy(padded(store, column, rows, self.special.pad if pad is None else pad))

    @cached_property
    def special_ids(self) -> list[int]:
        """What is not text on the encoder's side; data that was made of ids has no tokenizer."""
        by_side = self.prepared.tokenizers.by_side
        return sorted(self.special.ids | (by_side["source"].special_ids if "source" in by_side else frozenset()))
