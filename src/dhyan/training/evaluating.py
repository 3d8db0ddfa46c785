"""A model as it is validated, in the middle of its training, which then goes on as if nothing had been."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch

from dhyan.model.transformer import Transformer
from dhyan.training.compile import run_eagerly
from dhyan.training.random_state import random_state, set_random_state


@contextmanager
def evaluating(model: Transformer, compiled: bool) -> Iterator[None]:
    """Without dropout, gradients or compiled code; leaves the training's random state as it was."""
    device = next(model.parameters()).device
    random = random_state(device)
    model.eval()
    try:
        with torch.inference_mode(), run_eagerly() if compiled else nullcontext():
            yield
    finally:
        model.train()
        set_random_state(random, device)
