"""AdamW and the learning-rate schedule."""

import math

import torch
from torch import nn

from dhyan.model.transformer import Transformer
from dhyan.pack.parameter_shapes import matrix_names
from dhyan.training.recipe import TrainingSettings


def make_optimizer(model: Transformer, rate: float, decay: float, beta2: float) -> torch.optim.AdamW:
    """AdamW with weight decay on matrices and embeddings; biases and norms have none."""
    decayed: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    matrices = matrix_names(model.architecture)
    for name, parameter in model.named_parameters():
        (decayed if name in matrices else others).append(parameter)
    groups = [{"params": decayed, "weight_decay": decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, beta2), eps=1e-9, fused=True)


def learning_rate(settings: TrainingSettings, step: int) -> float:
    """The rate at a step (the first is 1): linear warm-up, then the schedule's decay."""
    peak, warmup = settings.learning_rate, settings.warmup
    if step < warmup:
        return peak * step / warmup
    if settings.schedule == "inverse-sqrt":
        return peak * math.sqrt(max(1, warmup) / step)
    if settings.schedule == "cosine":
        done = min(1.0, (step - warmup) / max(1, settings.steps - warmup))
        return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done)))  # never quite zero
    return peak
