"""The learning rate, step by step: a warm-up, then a fall."""

import math

from dhyan.training.recipe import TrainingSettings


def learning_rate(settings: TrainingSettings, step: int) -> float:
    """The rate of the given step (the first is 1)."""
    peak, warmup = settings.learning_rate, settings.warmup
    if step < warmup:
        return peak * step / warmup
    if settings.schedule == "inverse-sqrt":
        return peak * math.sqrt(max(1, warmup) / step)
    if settings.schedule == "cosine":
        done = min(1.0, (step - warmup) / max(1, settings.steps - warmup))
        return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * done)))  # never quite zero
    return peak
