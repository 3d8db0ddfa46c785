"""The small trainings of the experiments: the same steps, rates and order for every model that is compared."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from dhyan.core.progress import Progress

CLIP = 1.0  # the longest gradient: recurrent models need it, the others do not mind
WARM_UP = 0.1  # share of the steps in which the rate rises; then it falls to nothing


def fit(
    model: nn.Module, loss_of_batch: Callable[[], Tensor], steps: int, rate: float, report: Progress, what: str
) -> float:
    """Train with Adam and give back the mean loss of the last tenth. `loss_of_batch` draws its own data."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, max(2, steps), pct_start=WARM_UP)
    model.train()
    losses = []
    with report.working(what, steps) as progress:
        for step in range(1, steps + 1):
            loss = loss_of_batch()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
            progress(step, loss=f"{losses[-1]:.3f}")
    model.eval()
    last = losses[-max(1, steps // 10) :]
    return sum(last) / len(last)


def size_of(model: nn.Module) -> int:
    """Parameters, all of them; a shared one counts once."""
    return sum(parameter.numel() for parameter in model.parameters())


def nearest_size(wanted: int, build: Callable[[int], nn.Module], widths: range) -> int:
    """The width at which a model has most nearly `wanted` parameters: how sizes are made equal."""
    return min(widths, key=lambda width: abs(size_of(build(width)) - wanted))
