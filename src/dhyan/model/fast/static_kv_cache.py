"""A decoder's KV cache in tensors of a fixed size: nothing changes from step to step but their content.

They stay where they are, with capacity for many steps; how far they are filled is a number on the device. So a step
is the same work at the same addresses every time, and a CUDA graph can replay it.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.model.fast import cuda_graphs
from dhyan.model.generation.kv_cache import CAPACITY_STEP, DecoderCache, KeyValues, LayerCache, Repeated
from dhyan.model.masks import Mask


@dataclass(eq=False)
class KeyCounts(Mask):
    """Each row of the batch sees its first so many keys; none at all if that is 0."""

    counts: Tensor  # (batch,) int32
    bias: Tensor | None = None  # added to the scores besides; widens to (batch, heads, queries, keys)

    def dense(self, dtype: torch.dtype, queries: int, keys: int) -> Tensor:
        beyond = torch.arange(keys, device=self.counts.device) >= self.counts[:, None, None, None]
        bias = torch.zeros_like(beyond, dtype=dtype) if self.bias is None else self.bias
        return bias.masked_fill(beyond, -math.inf)  # (batch, 1 or heads, 1 or queries, keys)

    def plus(self, bias: Tensor) -> Mask:
        return KeyCounts(self.counts, bias if self.bias is None else self.bias + bias)


class StaticKeyValues(KeyValues):
    """New keys and values are written wherever `at` says. How many there are is not known here."""

    _key: Tensor
    _value: Tensor

    def __init__(self, filled: KeyValues, at: Tensor) -> None:
        super().__init__()
        self.batched_beams = True
        assert filled.kept is not None
        self._key, self._value = filled.kept
        self.at = at  # (beam,): the keys' numbers

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, heads, beam, d_head) each → the whole capacity, written or not."""
        return self._key.index_copy_(2, self.at, key), self._value.index_copy_(2, self.at, value)

    def grow(self, keys: int) -> None:
        """With zeros: uninitialised memory may hold NaN, and that times a weight of 0 is not 0."""
        more = (0, 0, 0, keys - self._key.shape[2])
        self._key = F.pad(self._key, more)
        self._value = F.pad(self._value, more)


class StaticCache(DecoderCache):
    """Goes on from a cache whose beams were batched for the first time: before them lies nothing but a prompt."""

    def __init__(self, begun: DecoderCache, source_lengths: Tensor | None) -> None:
        """source_lengths: (batch,); padding stands at the right."""
        super().__init__(0)
        assert begun.layers[0].self_attention.kept is not None
        key, _ = begun.layers[0].self_attention.kept
        batch, beam, device = len(key), begun.beam, key.device
        self.beam, self.prompt, self._device = beam, begun.position, device
        self.capacity = 0  # positions, behind the prompt
        self._ancestry, self._self_only = begun.ancestry, begun._self_only
        self._position_ids = torch.full((1, 1), self.prompt, device=device)  # the next token's
        self.at = self.prompt + torch.arange(beam, device=device)  # where its keys go
        self.written = torch.full((1,), self.prompt + beam, dtype=torch.int32, device=device)  # keys, with those
        self.layers = [
            LayerCache(StaticKeyValues(layer.self_attention, self.at), layer.cross_attention)
            for layer in begun.layers
        ]
        self.source_lengths = source_lengths
        self._counts = self.written.repeat(batch)  # (batch,): the keys that each sentence has to look at
        self._source_counts = None if source_lengths is None else source_lengths.clone()

    @property
    def reserved_positions(self) -> int:
        return self.prompt + self.capacity

    @property
    def position_ids(self) -> Tensor:
        return self._position_ids

    @property
    def next_keys(self) -> int:
        return self._masked_keys

    @property
    def mask(self) -> KeyCounts:
        return KeyCounts(self._counts, self.ancestry)

    @property
    def source_mask(self) -> KeyCounts | None:
        return None if self._source_counts is None else KeyCounts(self._source_counts)

    def reserve(self, steps: int, first: int, most: int) -> bool:
        if steps <= self.capacity:
            return False
        self.grow(min(most, max(steps, first, 2 * self.capacity)))
        return True

    def grow(self, positions: int) -> None:
        """Capacity for so many behind the prompt, and for one that is made ready but never needed."""
        self.capacity = positions
        keys = self.prompt + (positions + 1) * self.beam
        keys += -keys % CAPACITY_STEP
        self._masked_keys = keys
        for layer in self.layers:
            assert isinstance(layer.self_attention, StaticKeyValues)
            layer.self_attention.grow(keys)
        if self._ancestry is not None:
            self._ancestry = F.pad(self._ancestry, (0, keys - self._ancestry.shape[-1]), value=-torch.inf)

    def reorder(self, parent: Tensor, dtype: torch.dtype, done: Tensor | None = None) -> None:
        self._position_ids += 1
        self.at += self.beam
        self.written += self.beam
        if self._ancestry is not None:
            rows = torch.arange(0, parent.numel(), self.beam, device=parent.device)[:, None] + parent  # (batch, beam)
            past = self._ancestry.flatten(0, 2).index_select(0, rows.flatten())  # full rows: faster than a gather
            past = past.view_as(self._ancestry).index_copy_(
                3, self.at, self.self_only(parent, dtype).expand(len(parent), 1, -1, -1)
            )
            self._ancestry.copy_(past)
        if done is not None:
            going = ~done
            torch.mul(going, self.written, out=self._counts)
            if self.source_lengths is not None and self._source_counts is not None:
                torch.mul(going, self.source_lengths, out=self._source_counts)

    @contextmanager
    def repeated(self, step: Callable[[], None], model: nn.Module) -> Iterator[Repeated]:
        with cuda_graphs.borrowed(model, self.at.device) as recorder:
            yield cuda_graphs.Replayed(step, recorder)

    def select(self, sentences: Tensor) -> None:
        super().select(sentences)
        self._counts = self._counts.index_select(0, sentences)
        if self.source_lengths is not None and self._source_counts is not None:
            self.source_lengths = self.source_lengths.index_select(0, sentences)
            self._source_counts = self._source_counts.index_select(0, sentences)
