"""What happened in a training, line by line (`log.jsonl`), for TensorBoard, and as a curve."""

import io
import json
from pathlib import Path
from typing import Any

LOG, BOARD = "log.jsonl", "tensorboard"


class Journal:
    """Appends to the log; a resumed training first forgets what came after its checkpoint."""

    def __init__(self, folder: Path, step: int) -> None:
        self.path = folder / LOG
        entries = [entry for entry in read_log(self.path) if entry["step"] <= step]
        self.path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
        from torch.utils.tensorboard import SummaryWriter  # slow to import: only when a training really starts

        self.board = SummaryWriter(str(folder / BOARD), purge_step=step + 1)

    def write(self, step: int, kind: str, values: dict[str, float]) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, "kind": kind, **values}) + "\n")
        for name, value in values.items():
            self.board.add_scalar(f"{kind}/{name}", value, step)

    def close(self) -> None:
        self.board.close()


class NoJournal(Journal):
    """For a process that has nothing to write, because another one does."""

    def __init__(self) -> None:
        pass

    def write(self, step: int, kind: str, values: dict[str, float]) -> None:
        pass

    def close(self) -> None:
        pass


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


def curve(entries: list[dict[str, Any]], metric: str) -> str:
    """The training curve as SVG: the loss of both kinds, and the metric that decides."""
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
