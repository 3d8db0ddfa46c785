"""Linear layers by oneDNN, on processors for which PyTorch's own BLAS is slow.

PyTorch multiplies float32 matrices by MKL, which keeps its widest instructions for Intel's processors. oneDNN, which
comes with PyTorch, has them everywhere: on an AMD EPYC a product takes less than half the time, forward and backward.

It keeps what it has prepared for each shape, and its buffers of many sizes leave holes in the heap; batches have many
shapes. So it may keep less than it would, and the holes are given back to the system now and then. Otherwise a
training takes two gigabytes more.
"""

import ctypes
import itertools
import os
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

LEAST_WORK = 1 << 25  # multiplications: preparing for a new shape costs about as much as ten times so many
FASTER = 1.25  # times as fast as MKL: worth a path of its own
KEPT = "256"  # shapes of products; one takes half a megabyte
TIDY_EVERY = 2000  # products: about a dozen steps
TIMED = 5  # products of each kind; the fastest counts


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor | None:
    """x Wᵀ + b: (..., outputs), or None where PyTorch does it as fast or oneDNN cannot."""
    if not is_usable(x, weight):
        return None
    return _Linear.apply(x, weight, bias)  # type: ignore[no-untyped-call, no-any-return]


def is_usable(x: Tensor, weight: Tensor) -> bool:
    return (
        x.dtype == weight.dtype == torch.float32
        and x.device.type == weight.device.type == "cpu"
        and x.numel() * weight.shape[0] >= LEAST_WORK
        and not torch.compiler.is_compiling()
        and not torch.is_autocast_enabled("cpu")
        and is_faster_here()
    )


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        context.save_for_backward(x, weight)
        return product(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        x, weight = context.saved_tensors
        flat = gradient.flatten(0, -2)  # (rows, outputs)
        needs_x, needs_weight, needs_bias = context.needs_input_grad
        return (
            product(gradient, weight.T) if needs_x else None,
            product(flat.T, x.flatten(0, -2).T) if needs_weight else None,  # (outputs, inputs)
            flat.sum(dim=0) if needs_bias else None,
        )


def product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """(..., inputs) and (outputs, inputs) → (..., outputs)"""
    found: Tensor = torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    if next(_products) % TIDY_EVERY == 0:
        give_memory_back()
    return found


_products = itertools.count(1)


def give_memory_back() -> None:
    """What is free in the heap, to the system, where the C library can do that (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)


@cache
def is_faster_here() -> bool:
    """Tried once per process, on a product of the usual size."""
    has_onednn = torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    if not (has_onednn and hasattr(torch.ops.mkldnn, "_linear_pointwise")):
        return False
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", KEPT)  # read at its first product
    with torch.inference_mode():
        x, weight = torch.ones(256, 384), torch.ones(384, 384)
        return _seconds(lambda: F.linear(x, weight)) > FASTER * _seconds(lambda: product(x, weight))


def _seconds(multiply: Callable[[], Tensor]) -> float:
    multiply()  # the first one prepares
    times = []
    for _ in range(TIMED):
        began = time.perf_counter()
        multiply()
        times.append(time.perf_counter() - began)
    return min(times)
