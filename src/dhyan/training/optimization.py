"""What turns gradients into steps."""

import torch
from torch import nn

from dhyan.model.transformer import Transformer


def make_optimizer(model: Transformer, rate: float, decay: float, beta2: float) -> torch.optim.AdamW:
    """AdamW; biases and norms are not pulled towards zero, for they are not what grows too large."""
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        is_matrix = name.rsplit(".", 1)[-1][0] in "WEP"  # W_Q, E, P; not by its axes: a head's bias has two
        (matrices if is_matrix else others).append(parameter)
    groups = [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    fused = next(model.parameters()).is_cuda
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, beta2), eps=1e-9, fused=fused)
