"""Attention in a step of generation, on a GPU: few queries, many keys, each of which is read once.

PyTorch's own kernels are made for many queries, and are slow for a row of four beams. Here reading the keys and
values, where they lie in the cache, is all that takes time.
"""

import torch
from torch import Tensor

from dhyan.model.fast.kernels import usable_without_gradient

MOST_QUERIES = 16  # the fewest rows that a GPU multiplies at once; those that are missing are zeros
LARGEST_HEAD = 128
KEYS_AT_ONCE = 32
WARPS = 1  # a head of a sentence has little to do, and there are very many of them
STAGES = 2  # the next keys are fetched while these are multiplied
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def is_usable(query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None) -> bool:
    return (
        usable_without_gradient(query)
        and query.shape[-2] <= MOST_QUERIES
        and query.shape[-1] <= LARGEST_HEAD
        and query.dtype in DTYPES
        and query.dtype == key.dtype == value.dtype
        and query.stride(-1) == key.stride(-1) == value.stride(-1) == 1
        and (bias is None or bias.is_floating_point())
    )


def decode_attention(
    query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None, counts: Tensor | None = None
) -> Tensor:
    """softmax(QKᵀ / √d_head + bias) V: (batch, heads, queries, d_head).

    query: (batch, heads, queries, d_head); key, value: (batch, heads, keys, d_head), in whatever order they lie;
    bias: added to the scores, −∞ where a query may not look; any shape that widens to (batch, heads, queries, keys);
    counts: (batch,) int32: a sentence looks at its first so many keys, and no others are even read.
    """
    from dhyan.model.fast.kernels.decode_attention import attend

    batch, heads, queries, d_head = query.shape
    keys = key.shape[-2]
    context = query.new_empty(batch, queries, heads, d_head).transpose(1, 2)  # heads of a token side by side, for W_O
    with torch.cuda.device_of(query):  # type: ignore[no-untyped-call]
        attend[(batch * heads,)](
            query,
            key,
            value,
            bias,
            counts,
            context,
            *query.stride()[:3],
            *key.stride()[:3],
            *value.stride()[:3],
            *((0, 0, 0, 0) if bias is None else bias.expand(batch, heads, queries, keys).stride()),
            *context.stride()[:3],
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
    return context
