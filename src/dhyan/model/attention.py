"""Attention(Q, K, V) = softmax(QKᵀ / √d_k + M) V, where the mask M is 0 or −∞."""

import math
from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F

from dhyan.core.settings import Registry
from dhyan.model import backends
from dhyan.model.masks import CausalMask, Mask


class Attended(NamedTuple):
    context: Tensor  # (batch, heads, queries, d_head): Σ weight · value
    weights: Tensor  # (batch, heads, queries, keys): each row sums to 1


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Mask | None = None, dropout: float = 0.0) -> Attended:
    """The formula, line by line, returning its weights."""
    scores = query @ key.transpose(-2, -1)  # (batch, heads, queries, keys)
    scaled = scores / math.sqrt(query.shape[-1])
    if mask is not None:
        scaled = scaled + mask.dense(scaled.dtype, *scaled.shape[-2:])
    weights = scaled.softmax(dim=-1)
    return Attended((F.dropout(weights, dropout) if dropout else weights) @ value, weights)


def formula(query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, dropout: float) -> Tensor:
    return attention(query, key, value, mask, dropout).context


def fused(query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, dropout: float) -> Tensor:
    """The same numbers in one pass over the memory; the weights are never written down."""
    queries, keys = query.shape[-2], key.shape[-2]
    if isinstance(mask, CausalMask) and queries == 1:
        mask = None  # the newest token sees all
    found = backends.current.attend(query, key, value, mask, dropout)
    if found is not None:
        return found
    is_causal = isinstance(mask, CausalMask) and queries == keys  # with a cache PyTorch's diagonal would be off
    tensor = None if mask is None or is_causal else mask.dense(query.dtype, queries, keys)
    return F.scaled_dot_product_attention(query, key, value, tensor, dropout, is_causal)


# (query, key, value, mask, dropout) → context
Attend = Callable[[Tensor, Tensor, Tensor, Mask | None, float], Tensor]
ATTENTIONS: Registry[Attend] = Registry("attention", fused=fused, formula=formula)
