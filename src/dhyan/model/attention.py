"""Attention(Q, K, V) = softmax(QKᵀ / √d_k) V, spelt out and fused, and many heads of it."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.model.architecture import Architecture
from dhyan.model.fast.decode_attention import Seen, is_usable, step_attention
from dhyan.model.fast.packed_attention import SameOwner, line_attention
from dhyan.model.generation.kv_cache import KeyValues
from dhyan.model.positions import Rotary
from dhyan.model.sublayer import Dropout, Sublayer


class Attended(NamedTuple):
    mixed: Tensor  # (batch, heads, queries, d_head): Σ weight · value
    weights: Tensor  # (batch, heads, queries, keys): each row sums to 1


def attention(query: Tensor, key: Tensor, value: Tensor, allowed: Tensor | None = None) -> Attended:
    """The formula, line by line, returning its weights.

    `allowed` is True where a query may look at a key; or, ready to be added to the scores, 0 there and −∞ elsewhere.
    """
    scores = query @ key.transpose(-2, -1)  # (batch, heads, queries, keys)
    scaled = scores / math.sqrt(query.shape[-1])
    if allowed is not None:
        scaled = scaled.masked_fill(~allowed, -math.inf) if allowed.dtype == torch.bool else scaled + allowed
    weights = scaled.softmax(dim=-1)
    return Attended(weights @ value, weights)


def causal(queries: int, keys: int, device: torch.device | None = None) -> Tensor:
    """(queries, keys): True on and below the diagonal. The last query stands at the last key."""
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)


class MultiHeadAttention(Sublayer):
    """Each head projects with its own W_Q, W_K, W_V and attends; W_O mixes the heads' results.

    Queries come from `x`. Keys and values come from `x` too (self-attention) or from `memory` (cross-attention).
    Heads are an axis of every weight, so head h is `W_Q[h]` and never an offset into a reshaped matrix.
    """

    def __init__(self, architecture: Architecture, dropout: Dropout, rotary: Rotary | None = None) -> None:
        super().__init__(architecture, dropout)
        heads, d_head, d_model = architecture.heads, architecture.d_head, architecture.d_model
        for which in "QKV":
            self.register_parameter(f"W_{which}", nn.Parameter(torch.empty(heads, d_head, d_model)))
            self.register_parameter(f"b_{which}", nn.Parameter(torch.zeros(heads, d_head)))
        self.W_Q: nn.Parameter
        self.W_K: nn.Parameter
        self.W_V: nn.Parameter
        self.b_Q: nn.Parameter
        self.b_K: nn.Parameter
        self.b_V: nn.Parameter
        self.W_O = nn.Parameter(torch.empty(d_model, heads, d_head))
        self.b_O = nn.Parameter(torch.zeros(d_model))
        self.attention_dropout = dropout.attention
        self.rotary = rotary
        self.fused = True  # False: the formula spelt out, for tests and for reading the weights

    def transform(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        allowed: Tensor | SameOwner | Seen | None = None,
        is_causal: bool = False,
        cache: KeyValues | None = None,
        places: Tensor | None = None,
    ) -> Tensor:
        """x: (batch, queries, d_model); memory: (batch, keys, d_model); allowed: (batch, 1, 1 or queries, keys).

        places: (batch, positions), where each token of a packed line stands in its own sequence; or (1, 1), for all.
        """
        if isinstance(allowed, SameOwner):
            own = self.project_together(x, "QKV" if memory is None else "Q")
            of_memory = None if memory is None else self.project_together(memory, "KV")
            return self.mix_heads(line_attention(own, of_memory, allowed))
        query = project(x, self.W_Q, self.b_Q)  # (batch, heads, queries, d_head)
        if memory is not None and cache is not None and cache.kept is not None:
            key, value = cache.kept  # the source does not change while the target grows
        else:
            attended_to = x if memory is None else memory
            key = project(attended_to, self.W_K, self.b_K)  # (batch, heads, keys, d_head)
            value = project(attended_to, self.W_V, self.b_V)
            if self.rotary is not None:
                start = 0 if cache is None else cache.positions
                query, key = self.rotary(query, start, places), self.rotary(key, start, places)
            if cache is not None:
                key, value = cache.extend(key, value) if memory is None else cache.keep(key, value)
        mixed = self.attend(query, key, value, allowed, is_causal)  # (batch, heads, queries, d_head)
        return self.mix_heads(mixed.transpose(1, 2))

    def project_together(self, x: Tensor, which: str) -> Tensor:
        """(batch, positions, d_model) → (batch, positions, which, heads, d_head), all of it in one product.

        Worth putting the weights together only where there are very many positions.
        """
        weights = [getattr(self, f"W_{one}") for one in which]  # (heads, d_head, d_model) each
        biases = [getattr(self, f"b_{one}") for one in which]
        flat = F.linear(x, torch.cat(weights).flatten(0, 1), torch.cat(biases).flatten())
        return flat.view(*x.shape[:2], len(which), *biases[0].shape)

    def mix_heads(self, mixed: Tensor) -> Tensor:
        """(batch, queries, heads, d_head) → (batch, queries, d_model)"""
        return F.linear(mixed.flatten(2), self.W_O.flatten(1), self.b_O)

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, allowed: Tensor | Seen | None, is_causal: bool
    ) -> Tensor:
        queries, keys = query.shape[-2], key.shape[-2]
        if isinstance(allowed, Seen):
            if self.fused and is_usable(query, key, value, allowed.added):
                return step_attention(query, key, value, allowed.added, allowed.counts)
            allowed = allowed.mask(keys, query.dtype)
        dropout = self.attention_dropout if self.training else 0.0
        if self.fused:
            if is_causal and queries != keys:  # a cache holds earlier keys: the kernel's diagonal would be off
                is_causal, allowed = False, None if queries == 1 else causal(queries, keys, query.device)
            if not is_causal and not dropout and is_usable(query, key, value, allowed):
                return step_attention(query, key, value, allowed)
            return F.scaled_dot_product_attention(
                query, key, value, attn_mask=allowed, dropout_p=dropout, is_causal=is_causal
            )
        if is_causal:
            allowed = causal(queries, keys, query.device)
        mixed, weights = attention(query, key, value, allowed)
        return F.dropout(weights, dropout) @ value if dropout else mixed


def project(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(batch, positions, d_model) → (batch, heads, positions, d_head), all heads in one product."""
    flat = F.linear(x, weight.flatten(0, 1), bias.flatten())  # (batch, positions, heads · d_head)
    return flat.view(*x.shape[:2], *bias.shape).transpose(1, 2)
