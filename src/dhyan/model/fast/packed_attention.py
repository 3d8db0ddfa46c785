"""Attention for lines that several sequences share, on a GPU: a whole line is one tile, so it is read but once.

PyTorch's own kernels want a mask with a number for every pair of positions, and take the softmax piece by piece. A
line of 128 positions needs neither: its scores fit into a processor's registers, and whether one position may look at
another is seen by comparing whose they are. The way back computes the weights again rather than reading them.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dhyan.model.fast.kernels import work_on

WIDTH = 128  # of a line
SIZES_OF_A_HEAD = (16, 32, 64, 128)


class SameOwner(NamedTuple):
    """Who may look at whom: a query at the keys of its own sequence.

    What fills up a line may look at everything: a row of nothing has no softmax.
    """

    queries: Tensor  # (lines, width): whose each position is, from 1; 0 where the line is filled up
    keys: Tensor  # (lines, width)
    is_causal: bool


def is_usable(device: torch.device, width: int, d_head: int) -> bool:
    return width == WIDTH and d_head in SIZES_OF_A_HEAD and device.type == "cuda" and work_on(device)


def line_attention(own: Tensor, of_memory: Tensor | None, mask: SameOwner) -> Tensor:
    """→ (lines, width, heads, d_head).

    own: (lines, width, 3, heads, d_head), queries, keys and values; or queries alone, (lines, width, 1, …), where
    of_memory, (lines, width, 2, …), has the keys and values.
    """
    mixed: Tensor = _mixed(own, of_memory, mask.queries, mask.keys, mask.is_causal)
    return mixed


@torch.library.custom_op("dhyan::line_attention", mutates_args=())
def _mixed(own: Tensor, of_memory: Tensor | None, queries: Tensor, keys: Tensor, is_causal: bool) -> Tensor:
    from dhyan.model.fast.kernels.packed_attention import forward

    mixed = own.new_empty(own.shape[0], own.shape[1], *own.shape[3:])
    _launch(forward, own, of_memory, (mixed,), SameOwner(queries, keys, is_causal))
    return mixed


@_mixed.register_fake
def _(own: Tensor, of_memory: Tensor | None, queries: Tensor, keys: Tensor, is_causal: bool) -> Tensor:
    return own.new_empty(own.shape[0], own.shape[1], *own.shape[3:])


@torch.library.custom_op("dhyan::line_attention_slope", mutates_args=())
def _slope(
    above: Tensor, own: Tensor, of_memory: Tensor | None, queries: Tensor, keys: Tensor, is_causal: bool
) -> list[Tensor]:
    """The gradients of `own` and, if there is one, of `of_memory`."""
    from dhyan.model.fast.kernels.packed_attention import backward

    to_own = torch.empty_like(own, memory_format=torch.contiguous_format)
    slopes = [to_own]
    if of_memory is not None:
        slopes.append(torch.empty_like(of_memory, memory_format=torch.contiguous_format))
    to_beside = to_own[:, :, 1:] if of_memory is None else slopes[1]
    others = (above.contiguous(), to_own, to_beside)
    _launch(backward, own, of_memory, others, SameOwner(queries, keys, is_causal), OWN=own.shape[2])
    return slopes


@_slope.register_fake
def _(
    above: Tensor, own: Tensor, of_memory: Tensor | None, queries: Tensor, keys: Tensor, is_causal: bool
) -> list[Tensor]:
    given = [own] if of_memory is None else [own, of_memory]
    return [torch.empty_like(one, memory_format=torch.contiguous_format) for one in given]


def _remember(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    own, of_memory, queries, keys, ctx.is_causal = inputs
    ctx.save_for_backward(own, of_memory, queries, keys)


def _back(ctx: Any, above: Tensor) -> tuple[Tensor | None, ...]:
    own, of_memory, queries, keys = ctx.saved_tensors
    slopes = _slope(above, own, of_memory, queries, keys, ctx.is_causal)
    return slopes[0], slopes[1] if len(slopes) > 1 else None, None, None, None


_mixed.register_autograd(_back, setup_context=_remember)


def _launch(
    kernel: Any, own: Tensor, of_memory: Tensor | None, others: tuple[Tensor, ...], mask: SameOwner, **more: int
) -> None:
    """One program for each head of each line. Keys and values lie behind the queries, or side by side on their own.

    The numbers of a head must lie side by side; where lines and positions begin is told to the kernel.
    """
    lines, width, _, heads, d_head = own.shape
    beside = own[:, :, 1:] if of_memory is None else of_memory  # (lines, width, 2, heads, d_head)
    strides = [stride for one in (own, beside) for stride in one.stride()[:4]]
    with torch.cuda.device_of(own):  # type: ignore[no-untyped-call]
        kernel[(lines * heads,)](
            own,
            beside,
            *others,
            mask.queries.contiguous(),
            mask.keys.contiguous(),
            1 / math.sqrt(d_head),
            *strides,
            heads,
            IS_CAUSAL=mask.is_causal,
            WIDTH=width,
            D_HEAD=d_head,
            num_warps=8,
            num_stages=1,
            **more,
        )
