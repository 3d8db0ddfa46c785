"""A running average of the weights: steadier than the last step, and usually better."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Average:
    """average ← decay · average + (1 − decay) · weights, with a smaller decay while there is little to remember."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.live: list[Tensor] = list(model.parameters())
        self.mean: list[Tensor] = [parameter.detach().clone() for parameter in self.live]

    @torch.no_grad()
    def update(self, step: int) -> None:
        decay = min(self.decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(self.mean, self.live, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within the block the model has the averaged weights."""
        with torch.no_grad():
            kept = [parameter.detach().clone() for parameter in self.live]
            copy_each(self.live, self.mean)
            try:
                yield
            finally:
                copy_each(self.live, kept)


def copy_each(to: list[Tensor], what: list[Tensor]) -> None:
    for one, new in zip(to, what, strict=True):  # one by one, for weights that are cut up know no other way
        one.copy_(new)
