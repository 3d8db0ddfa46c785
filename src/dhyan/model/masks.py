"""Which keys a query may look at: real tokens, what came before, its own packed sequence, the first so many."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dhyan.core.special_tokens import PAD


class Mask:
    """Which keys each query may look at. What it is made of differs; `dense` is what they all mean."""

    def dense(self, dtype: torch.dtype, queries: int, keys: int) -> Tensor:
        """Added to the scores: 0 where a query may look, else −∞; widens to (batch, heads, queries, keys)."""
        raise NotImplementedError

    def plus(self, bias: Tensor) -> "Mask":
        """bias, added to the scores too: widens to (batch, heads, queries, keys)."""
        return DenseMask(self.dense(bias.dtype, *bias.shape[-2:]) + bias)


@dataclass(eq=False)
class DenseMask(Mask):
    """A mask that is already a tensor: True where a query may look; or numbers that are added to the scores."""

    tensor: Tensor  # widens to (batch, heads, queries, keys)

    def dense(self, dtype: torch.dtype, queries: int, keys: int) -> Tensor:
        return additive(self.tensor, dtype) if self.tensor.dtype == torch.bool else self.tensor


@dataclass(eq=False)
class CausalMask(Mask):
    """A query sees the keys up to its own position. The last query stands at the last key."""

    device: torch.device

    def visible(self, queries: int, keys: int) -> Tensor:
        """(queries, keys): True on and below the diagonal."""
        return torch.ones(queries, keys, dtype=torch.bool, device=self.device).tril(keys - queries)

    def dense(self, dtype: torch.dtype, queries: int, keys: int) -> Tensor:
        return additive(self.visible(queries, keys), dtype)


@dataclass(eq=False)
class SegmentMask(Mask):
    """Packed sequences: a query sees the keys of its own segment; padding sees all, so that no row is empty."""

    query_ids: Tensor  # (batch, queries): segment ids from 1; 0 is padding
    key_ids: Tensor  # (batch, keys)
    is_causal: bool

    def dense(self, dtype: torch.dtype, queries: int, keys: int) -> Tensor:
        visible = (self.query_ids[:, :, None] == self.key_ids[:, None, :]) | (self.query_ids == 0)[:, :, None]
        return additive(visible.tril() if self.is_causal else visible, dtype)[:, None]


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


def padding_mask(ids: Tensor) -> DenseMask:
    """(batch, keys) ids → (batch, 1, 1, keys): True where a key is a real token."""
    return DenseMask((ids != PAD)[:, None, None, :])


def additive(visible: Tensor, dtype: torch.dtype) -> Tensor:
    """True → 0, False → −∞."""
    return torch.zeros(visible.shape, dtype=dtype, device=visible.device).masked_fill_(~visible, -math.inf)
