"""The training log: one JSON line per entry (`log.jsonl`), the same for TensorBoard, and the curve as SVG."""

import io
import json
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from dhyan.core.atomic import write_atomic
from dhyan.core.shown import Svg
from dhyan.pack.training_folder import LOG, forget_samples_after, read_log
from dhyan.training.signals import Interrupted

TENSORBOARD = "tensorboard"


class TrainingLog:
    """Appends to the log; a resumed training first removes what came after its checkpoint.

    `with log:` around the training says in the end how it ended.
    """

    def __init__(self, folder: Path, step: int, steps: int) -> None:
        self.path, self.step = folder / LOG, step
        entries = [entry for entry in read_log(self.path) if entry["step"] <= step]
        write_atomic(self.path, "".join(json.dumps(entry) + "\n" for entry in entries))  # somebody may be reading it
        forget_samples_after(folder, step)
        from torch.utils.tensorboard import SummaryWriter  # slow to import: only when a training really starts

        self.tensorboard = SummaryWriter(str(folder / TENSORBOARD), purge_step=step + 1)
        self._append(step, "start", {"steps": steps, "process": os.getpid(), "host": socket.gethostname()})

    def write(self, step: int, kind: str, values: dict[str, float]) -> None:
        self._append(step, kind, values)
        for name, value in values.items():
            self.tensorboard.add_scalar(f"{kind}/{name}", value, step)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        stopped = isinstance(error, Interrupted | KeyboardInterrupt)
        how = "finished" if error is None else "stopped" if stopped else "failed"
        with suppress(OSError):  # a full disk, say: what went wrong before is what is told
            self._append(self.step, "end", {"how": how, "said": str(error or "")})
        self.tensorboard.close()

    def _append(self, step: int, kind: str, values: dict[str, Any]) -> None:
        self.step = step
        entry = {"step": step, "kind": kind, "time": round(time.time(), 2), **values}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


class NoTrainingLog(TrainingLog):
    """For the processes that do not write: the main process does."""

    def __init__(self) -> None:
        pass

    def write(self, step: int, kind: str, values: dict[str, float]) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        pass


class LogWindow:
    """Losses, norms and speed since the last entry. They stay on the device until the entry is written."""

    def __init__(self) -> None:
        self.losses: list[Tensor] = []
        self.norms: list[Tensor] = []
        self.tokens = 0
        self.seconds = 0.0

    def add(self, loss: Tensor, norm: Tensor, tokens: int, seconds: float) -> None:
        self.losses.append(loss)
        self.norms.append(norm)
        self.tokens += tokens
        self.seconds += seconds

    def summary(self) -> dict[str, float]:
        loss, norm = (float(torch.stack(values).mean()) for values in (self.losses, self.norms))
        speed = self.tokens / max(self.seconds, 1e-9)
        return {"loss": loss, "gradient_norm": norm, "tokens_per_second": speed}


def training_curve(entries: list[dict[str, Any]], metric: str) -> Svg:
    """SVG: training and validation loss, and the metric that decides which checkpoint is best."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    lines = []
    for kind, style in (("train", {"color": "0.6", "linewidth": 1}), ("valid", {"color": "black", "marker": "o"})):
        points = [(entry["step"], entry["loss"]) for entry in entries if entry["kind"] == kind]
        if points:
            lines += axes.plot(*zip(*points, strict=True), label=f"{kind} loss", markersize=3, **style)
    axes.set_xlabel("step")
    axes.set_ylabel("loss")
    axes.grid(alpha=0.3)
    scores = [(e["step"], e[metric]) for e in entries if e["kind"] == "valid" and metric != "loss" and metric in e]
    if scores:
        other = axes.twinx()
        lines += other.plot(*zip(*scores, strict=True), label=f"valid {metric}", color="tab:blue", linestyle="--")
        other.set_ylabel(metric)
    if lines:
        axes.legend(handles=lines, loc="center right")  # curves meet at the right's top and bottom
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    pyplot.close(figure)
    return Svg(drawn.getvalue())
