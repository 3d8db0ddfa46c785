"""What was seen since the last line of the log."""

import torch
from torch import Tensor

from dhyan.training.objectives import Batch


class Window:
    """Losses and rates between two lines of the log. Losses stay on the device until the line is written."""

    def __init__(self) -> None:
        self.losses: list[Tensor] = []
        self.tokens = 0
        self.seconds = 0.0

    def add(self, loss: Tensor, batch: Batch, seconds: float) -> None:
        self.losses.append(loss)
        self.tokens += batch.tokens
        self.seconds += seconds

    def summary(self) -> dict[str, float]:
        loss = float(torch.stack(self.losses).mean())
        return {"loss": loss, "tokens_per_second": self.tokens / max(self.seconds, 1e-9)}
