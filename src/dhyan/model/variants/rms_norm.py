"""RMS norm: layer norm without its mean and its shift (Zhang and Sennrich, 2019)."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class RmsNorm(nn.Module):
    """x / √(mean of x² + ε) · γ along the last axis."""

    def __init__(self, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.gamma, self.epsilon = nn.Parameter(torch.ones(d_model)), epsilon

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.gamma.shape, self.gamma, self.epsilon)
