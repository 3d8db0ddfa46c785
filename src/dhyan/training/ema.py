"""EMA: an exponential moving average of the weights, steadier than the last step and usually better."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class WeightAverage:
    """mean ← decay · mean + (1 − decay) · weights, with a smaller decay during the first steps."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay = decay
        self.weights: list[Tensor] = list(model.parameters())
        self.mean: list[Tensor] = [parameter.detach().clone() for parameter in self.weights]

    @torch.no_grad()
    def update(self, step: int) -> None:
        decay = min(self.decay, (1 + step) / (10 + step))
        torch._foreach_lerp_(self.mean, self.weights, 1 - decay)

    @contextmanager
    def swapped_in(self) -> Iterator[None]:
        """Within the block the model has the averaged weights."""
        with torch.no_grad():
            saved = [parameter.detach().clone() for parameter in self.weights]
            _copy_each(self.weights, self.mean)
            try:
                yield
            finally:
                _copy_each(self.weights, saved)


def _copy_each(to: list[Tensor], source: list[Tensor]) -> None:
    for one, new in zip(to, source, strict=True):  # one by one: sharded weights have no foreach copy
        one.copy_(new)
