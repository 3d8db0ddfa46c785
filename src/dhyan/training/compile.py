"""torch.compile for the layers: element-wise work becomes one pass over the memory instead of five.

Only the layers are compiled, one kind at a time: all encoder layers are the same code, and so are all decoder layers.
That takes seconds, where compiling a whole training step takes minutes. Kernels for one shape are far better than
kernels for any, so the few shapes that nearly all batches have get their own, and the other batches run eagerly.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import torch

from dhyan.model.transformer import Transformer

MOST_SHAPES = 2
# Sums down the columns in one kernel with sums along the rows, as in the backward pass of a layer norm: on an H200
# such a kernel took three times as long as two.
MIXED_REDUCTION = "triton.mix_order_reduction"


def compile_layers(model: Transformer, any_shape: bool, backend: str = "inductor") -> None:
    """From now on a layer's forward and backward run as compiled code. Weights and their names stay as they are.

    any_shape: once a second shape comes, compile for all that may follow.
    """
    from torch._inductor import list_options  # slow to import: only when there is something to compile

    options = {MIXED_REDUCTION: False} if backend == "inductor" and MIXED_REDUCTION in list_options() else None
    for stack in (model.enc, model.dec):
        for layer in stack.layers() if stack is not None else ():
            layer.compile(dynamic=None if any_shape else False, backend=backend, options=options)


class FirstShapes:
    """The shapes that come first, which are those of nearly all batches."""

    def __init__(self, most: int = MOST_SHAPES) -> None:
        self.most = most
        self.shapes: set[torch.Size] = set()

    def compiled(self, shape: torch.Size) -> AbstractContextManager[None]:
        """Run a batch of that shape compiled, or eagerly."""
        if len(self.shapes) < self.most:
            self.shapes.add(shape)
        return nullcontext() if shape in self.shapes else run_eagerly()


@contextmanager
def run_eagerly() -> Iterator[None]:
    """Within it, compiled layers run eagerly: validation has too many shapes to compile for."""
    with torch.compiler.set_stance("force_eager"):
        yield
