"""Which keys a query may look at: real tokens, and what came before."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor


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

    def dense(self, dtype: torch.dtype, queries: int, keys: int) -> Tensor:
        visible = torch.ones(queries, keys, dtype=torch.bool, device=self.device).tril(keys - queries)
        return additive(visible, dtype)


def padding_mask(ids: Tensor, pad: int) -> DenseMask:
    """(batch, keys) ids → (batch, 1, 1, keys): True where a key is a real token."""
    return DenseMask((ids != pad)[:, None, None, :])


def additive(visible: Tensor, dtype: torch.dtype) -> Tensor:
    """True → 0, False → −∞."""
    return torch.zeros(visible.shape, dtype=dtype, device=visible.device).masked_fill_(~visible, -math.inf)
