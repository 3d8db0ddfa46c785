"""Attention within packed sequences, on a GPU: a whole row is one tile, so it is read once.

PyTorch's own kernels want a mask with a number for every pair of positions, and take the softmax piece by piece. A
row of 128 positions needs neither: its scores fit into a processor's registers, and whether one position may look at
another is seen by comparing segment ids. The backward pass computes the weights again rather than reading them.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.model.attention import fused
from dhyan.model.fast.kernels import work_on
from dhyan.model.layers import MultiHeadAttention
from dhyan.model.masks import Mask, additive

ROW_LENGTH = 128
HEAD_SIZES = (16, 32, 64, 128)


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
class KernelSegmentMask(SegmentMask):
    """A mask for rows that the kernels can take: whoever makes one has asked `is_usable`."""


def is_usable(device: torch.device, row_length: int, d_head: int) -> bool:
    return row_length == ROW_LENGTH and d_head in HEAD_SIZES and device.type == "cuda" and work_on(device)


def project_and_attend(
    part: MultiHeadAttention, x: Tensor, memory: Tensor | None, mask: Mask | None
) -> Tensor | None:
    """→ (rows, row length, heads, d_head), or None where the kernels would leave something out."""
    drops_weights = part.training and part.attention_dropout > 0
    if not isinstance(mask, KernelSegmentMask) or drops_weights or part.attend is not fused:
        return None
    from_x = _project(part, x, "QKV" if memory is None else "Q")
    from_memory = None if memory is None else _project(part, memory, "KV")
    return packed_attention(from_x, from_memory, mask)


def _project(part: MultiHeadAttention, x: Tensor, which: str) -> Tensor:
    """(rows, row length, d_model) → (rows, row length, which, heads, d_head), all of it in one product.

    Worth putting the weights together only where there are very many positions.
    """
    weights = [getattr(part, f"W_{one}") for one in which]  # (heads, d_head, d_model) each
    biases = [getattr(part, f"b_{one}") for one in which]
    flat = F.linear(x, torch.cat(weights).flatten(0, 1), torch.cat(biases).flatten())
    return flat.view(*x.shape[:2], len(which), *biases[0].shape)


class Segments(NamedTuple):
    query_ids: Tensor  # (rows, row length)
    key_ids: Tensor
    is_causal: bool


def packed_attention(from_x: Tensor, from_memory: Tensor | None, mask: SegmentMask) -> Tensor:
    """→ (rows, row length, heads, d_head).

    from_x: (rows, row length, 3, heads, d_head), queries, keys and values; or (rows, row length, 1, …), queries
    alone, where from_memory, (rows, row length, 2, …), has the keys and values.
    """
    context: Tensor = _forward(from_x, from_memory, mask.query_ids, mask.key_ids, mask.is_causal)
    return context


@torch.library.custom_op("dhyan::packed_attention", mutates_args=())
def _forward(
    from_x: Tensor, from_memory: Tensor | None, query_ids: Tensor, key_ids: Tensor, is_causal: bool
) -> Tensor:
    from dhyan.model.fast.kernels.packed_attention import forward

    context = from_x.new_empty(from_x.shape[0], from_x.shape[1], *from_x.shape[3:])
    _launch(forward, from_x, from_memory, (context,), Segments(query_ids, key_ids, is_causal))
    return context


@_forward.register_fake
def _(from_x: Tensor, from_memory: Tensor | None, query_ids: Tensor, key_ids: Tensor, is_causal: bool) -> Tensor:
    return from_x.new_empty(from_x.shape[0], from_x.shape[1], *from_x.shape[3:])


@torch.library.custom_op("dhyan::packed_attention_gradient", mutates_args=())
def _gradient(
    grad_context: Tensor,
    from_x: Tensor,
    from_memory: Tensor | None,
    query_ids: Tensor,
    key_ids: Tensor,
    is_causal: bool,
) -> list[Tensor]:
    """The gradients of `from_x` and, if there is one, of `from_memory`."""
    from dhyan.model.fast.kernels.packed_attention import backward

    grad_x = torch.empty_like(from_x, memory_format=torch.contiguous_format)
    gradients = [grad_x]
    if from_memory is not None:
        gradients.append(torch.empty_like(from_memory, memory_format=torch.contiguous_format))
    grad_key_value = grad_x[:, :, 1:] if from_memory is None else gradients[1]
    others = (grad_context.contiguous(), grad_x, grad_key_value)
    segments = Segments(query_ids, key_ids, is_causal)
    _launch(backward, from_x, from_memory, others, segments, PARTS_OF_X=from_x.shape[2])
    return gradients


@_gradient.register_fake
def _(
    grad_context: Tensor,
    from_x: Tensor,
    from_memory: Tensor | None,
    query_ids: Tensor,
    key_ids: Tensor,
    is_causal: bool,
) -> list[Tensor]:
    given = [from_x] if from_memory is None else [from_x, from_memory]
    return [torch.empty_like(one, memory_format=torch.contiguous_format) for one in given]


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    from_x, from_memory, query_ids, key_ids, ctx.is_causal = inputs
    ctx.save_for_backward(from_x, from_memory, query_ids, key_ids)


def _backward(ctx: Any, grad_context: Tensor) -> tuple[Tensor | None, ...]:
    from_x, from_memory, query_ids, key_ids = ctx.saved_tensors
    gradients = _gradient(grad_context, from_x, from_memory, query_ids, key_ids, ctx.is_causal)
    return gradients[0], gradients[1] if len(gradients) > 1 else None, None, None, None


_forward.register_autograd(_backward, setup_context=_save)


def _launch(
    kernel: Any,
    from_x: Tensor,
    from_memory: Tensor | None,
    others: tuple[Tensor, ...],
    segments: Segments,
    **more: int,
) -> None:
    """One program per head of each row. Keys and values lie behind the queries, or side by side on their own.

    The numbers of a head must lie side by side; where rows and positions begin is given to the kernel.
    """
    rows, row_length, _, heads, d_head = from_x.shape
    key_value = from_x[:, :, 1:] if from_memory is None else from_memory  # (rows, row length, 2, heads, d_head)
    strides = [stride for one in (from_x, key_value) for stride in one.stride()[:4]]
    with torch.cuda.device_of(from_x):  # type: ignore[no-untyped-call]
        kernel[(rows * heads,)](
            from_x,
            key_value,
            *others,
            segments.query_ids.contiguous(),
            segments.key_ids.contiguous(),
            1 / math.sqrt(d_head),
            *strides,
            heads,
            IS_CAUSAL=segments.is_causal,
            ROW_LENGTH=row_length,
            D_HEAD=d_head,
            num_warps=8,
            num_stages=1,
            **more,
        )
