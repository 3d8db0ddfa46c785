"""Add & norm: what stands around every part of a block."""

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.model.architecture import Architecture
from dhyan.model.fast.layer_norm import is_usable, row_norm

EPSILON = 1e-5


class Dropout(NamedTuple):
    """The share of numbers set to zero in training: on each part's way out, in the weights, in the hidden layer."""

    residual: float = 0.0
    attention: float = 0.0
    hidden: float = 0.0


class LayerNorm(nn.Module):
    """(x − μ) / √(σ² + ε) · γ + β along the last axis: one row never sees another, padding least of all."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        if is_usable(x):
            return row_norm(x, self.gamma, self.beta, EPSILON)
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, eps=EPSILON)


class Sublayer(nn.Module):
    """One part of a block with its residual connection and its norm; a subclass says what `transform` does.

    Pre-norm: x + f(norm(x)). Post-norm, as in the first paper: norm(x + f(x)).
    """

    def __init__(self, architecture: Architecture, dropout: Dropout) -> None:
        super().__init__()
        self.norm = LayerNorm(architecture.d_model)
        self.norm_first = architecture.norm == "pre"
        self.residual_dropout = dropout.residual

    def transform(self, x: Tensor, *args: Any, **options: Any) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor, *args: Any, **options: Any) -> Tensor:
        if self.norm_first:
            return x + self.drop(self.transform(self.norm(x), *args, **options))
        added: Tensor = self.norm(x + self.drop(self.transform(x, *args, **options)))
        return added

    def drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.residual_dropout) if self.training else x
