"""Kernels made for the model at hand: what is done number by number becomes one pass over the memory, not five.

Only the layers are compiled, one kind at a time: all encoder layers are the same code, and so are all decoder layers.
That takes seconds, where compiling a whole training step takes minutes.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from dhyan.model.transformer import Transformer


def compile_layers(model: Transformer, backend: str = "inductor") -> None:
    """From now on a layer's forward and backward run as compiled code. Weights and their names stay as they are."""
    for stack in (model.enc, model.dec):
        for layer in stack.layers() if stack is not None else ():
            layer.compile(dynamic=True, backend=backend)


@contextmanager
def as_written() -> Iterator[None]:
    """Within it, compiled layers run as they are written: validation has too many shapes to compile for."""
    with torch.compiler.set_stance("force_eager"):
        yield
