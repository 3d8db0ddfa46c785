"""Several sequences on one line, so that little of it is padding. A mask keeps them from seeing each other."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from dhyan.model.fast.packed_attention import SameOwner


class Packing(NamedTuple):
    """Whose each token of a line is, and where in its own sequence it stands."""

    owners: Tensor  # (lines, width): the sequence's number on its line, from 1; 0 where the line is filled up
    positions: Tensor  # (lines, width)

    def within(self, is_causal: bool, dtype: torch.dtype | None) -> Tensor | SameOwner:
        """Self-attention's mask: (lines, 1, width, width), to be added to the scores; without a dtype, the owners."""
        if dtype is None:
            return SameOwner(self.owners, self.owners, is_causal)
        allowed = self.owners[:, :, None] == self.owners[:, None, :]
        return _bias(allowed.tril() if is_causal else allowed, dtype)

    def across(self, memory: "Packing", dtype: torch.dtype | None) -> Tensor | SameOwner:
        """Cross-attention's mask. What fills up a line sees everything: a row of nothing has no softmax."""
        if dtype is None:
            return SameOwner(self.owners, memory.owners, is_causal=False)
        allowed = (self.owners[:, :, None] == memory.owners[:, None, :]) | (self.owners == 0)[:, :, None]
        return _bias(allowed, dtype)


def _bias(allowed: Tensor, dtype: torch.dtype) -> Tensor:
    """(lines, queries, keys) truths → (lines, 1, queries, keys): 0 or −∞."""
    return torch.zeros(allowed.shape, dtype=dtype, device=allowed.device).masked_fill_(~allowed, -math.inf)[:, None]
