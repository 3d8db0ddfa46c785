"""The training log: one JSON line per entry (`log.jsonl`), the same for TensorBoard, and the curve as SVG."""

import io
import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

LOG, TENSORBOARD = "log.jsonl", "tensorboard"


class TrainingLog:
    """Appends to the log; a resumed training first removes what came after its checkpoint."""

    def __init__(self, folder: Path, step: int) -> None:
        self.path = folder / LOG
        entries = [entry for entry in read_log(self.path) if entry["step"] <= step]
        self.path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
        from torch.utils.tensorboard import SummaryWriter  # slow to import: only when a training really starts

        self.tensorboard = SummaryWriter(str(folder / TENSORBOARD), purge_step=step + 1)

    def write(self, step: int, kind: str, values: dict[str, float]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, "kind": kind, **values}) + "\n")
        for name, value in values.items():
            self.tensorboard.add_scalar(f"{kind}/{name}", value, step)

    def close(self) -> None:
        self.tensorboard.close()


class NoTrainingLog(TrainingLog):
    """For the processes that do not write: the main process does."""

    def __init__(self) -> None:
        pass

    def write(self, step: int, kind: str, values: dict[str, float]) -> None:
        pass

    def close(self) -> None:
        pass


class LogWindow:
    """Losses and speed since the last entry. Losses stay on the device until the entry is written."""

    def __init__(self) -> None:
        self.losses: list[Tensor] = []
        self.tokens = 0
        self.seconds = 0.0

    def add(self, loss: Tensor, tokens: int, seconds: float) -> None:
        self.losses.append(loss)
        self.tokens += tokens
        self.seconds += seconds

    def summary(self) -> dict[str, float]:
        loss = float(torch.stack(self.losses).mean())
        return {"loss": loss, "tokens_per_second": self.tokens / max(self.seconds, 1e-9)}


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries so far; a last line that a kill has torn is left out."""
    if not path.exists():
        return []
    entries = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            entries.append(json.loads(line))
        except ValueError:
            continue
    return entries


def training_curve(entries: list[dict[str, Any]], metric: str) -> str:
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
    return drawn.getvalue()
