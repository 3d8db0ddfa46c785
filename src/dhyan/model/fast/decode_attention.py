"""Attention in a step of generation, on a GPU: few queries, many keys, each of which is read but once.

PyTorch's own kernels are made for long rows of queries, and take their time over a row of four beams. Here reading
the keys and values, where they lie in the cache, is all that takes time.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from dhyan.model.fast.kernels import usable_without_gradient

MOST_QUERIES = 16  # the fewest rows that a GPU multiplies at once; those that are missing are zeros
LARGEST_HEAD = 128
KEYS_AT_ONCE = 32
WARPS = 1  # a head of a sentence has little to do, and there are very many of them
STAGES = 2  # the next keys are fetched while these are multiplied
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class Seen(NamedTuple):
    """Who may look at what: each sentence at its first so many keys, none at all if it is done."""

    counts: Tensor  # (batch,) int32
    added: Tensor | None  # (batch, 1, 1 or queries, keys): 0, or −∞ where a query may not look even so

    def mask(self, keys: int, dtype: torch.dtype) -> Tensor:
        """The same as one tensor, to be added to the scores: (batch, 1, 1 or queries, keys)."""
        beyond = torch.arange(keys, device=self.counts.device) >= self.counts[:, None, None, None]
        added = torch.zeros_like(beyond, dtype=dtype) if self.added is None else self.added
        return added.masked_fill(beyond, -torch.inf)


def is_usable(query: Tensor, key: Tensor, value: Tensor, added: Tensor | None) -> bool:
    return (
        usable_without_gradient(query)
        and query.shape[-2] <= MOST_QUERIES
        and query.shape[-1] <= LARGEST_HEAD
        and query.dtype in DTYPES
        and query.dtype == key.dtype == value.dtype
        and query.stride(-1) == key.stride(-1) == value.stride(-1) == 1
        and (added is None or added.is_floating_point())
    )


def step_attention(
    query: Tensor, key: Tensor, value: Tensor, added: Tensor | None, counts: Tensor | None = None
) -> Tensor:
    """softmax(QKᵀ / √d_head + added) V: (batch, heads, queries, d_head).

    query: (batch, heads, queries, d_head); key, value: (batch, heads, keys, d_head), in whatever order they lie;
    added: 0 where a query may look at a key and −∞ elsewhere; any shape that widens to (batch, heads, queries, keys);
    counts: (batch,) int32, the first so many keys are all that a sentence looks at: no others are even read.
    """
    from dhyan.model.fast.kernels.decode_attention import attend

    batch, heads, queries, d_head = query.shape
    keys = key.shape[-2]
    mixed = query.new_empty(batch, queries, heads, d_head).transpose(1, 2)  # heads of a token side by side, for W_O
    with torch.cuda.device_of(query):  # type: ignore[no-untyped-call]
        attend[(batch * heads,)](
            query,
            key,
            value,
            added,
            counts,
            mixed,
            *query.stride()[:3],
            *key.stride()[:3],
            *value.stride()[:3],
            *((0, 0, 0, 0) if added is None else added.expand(batch, heads, queries, keys).stride()),
            *mixed.stride()[:3],
            heads,
            queries,
            keys,
            d_head**-0.5,
            D_HEAD=d_head,
            ROWS=MOST_QUERIES,
            COLUMNS=max(16, 1 << (d_head - 1).bit_length()),  # a power of two
            KEYS_AT_ONCE=KEYS_AT_ONCE,
            num_warps=WARPS,
            num_stages=STAGES,
        )
    return mixed
