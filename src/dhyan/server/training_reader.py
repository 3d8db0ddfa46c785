"""A training's folder, read while it grows: what a page shows of it. Nothing is written, locked or held open.

Files may be replaced at any moment, by a checkpoint or by a training that is resumed: whatever is not there now is
there the next time somebody looks.
"""

import json
import math
import os
import socket
import time
from collections import deque
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from pydantic import BaseModel

from dhyan.core.errors import DhyanError
from dhyan.core.settings import read_toml
from dhyan.explain.token_view import Tokens
from dhyan.explain.trace import Trace
from dhyan.pack.manifest import Task
from dhyan.pack.pack import MANIFEST
from dhyan.pack.training_folder import (
    ABOUT,
    DATA,
    LOG,
    RECIPE,
    SUFFIX,
    Samples,
    log_entry,
    read_attention,
    read_samples,
    sampled_steps,
)
from dhyan.text.tokenizer import Tokenizer

MOST_POINTS = 800  # of a curve: about as many as a screen has columns for it
MOST_VALIDATIONS = 1000
RECENT = 500  # log entries from which the time that is left is told
LIVELY_SECONDS = 120  # a log without starts and ends that was written to so lately belongs to a running training

How = Literal["preparing", "prepared", "running", "finished", "stopped", "failed", "killed"]


class RecipeSummary(BaseModel):
    """What the page needs to know of a recipe, whatever else it has."""

    class Training(BaseModel):
        objective: str = ""
        steps: int = 0
        validate_every: int = 0
        metric: str = "loss"
        clip: float = 0

    task: Task = "translate"
    training: Training = Training()


class Curve:
    """Columns of numbers over steps. Where there are too many entries, neighbours become their mean."""

    COLUMNS = ("loss", "learning_rate", "tokens_per_second", "gradient_norm")

    def __init__(self) -> None:
        self.per_point = 1  # entries
        self.points: list[dict[str, Any]] = []
        self._waiting: list[dict[str, Any]] = []  # entries of the point that is not yet whole

    def add(self, entry: dict[str, Any]) -> None:
        self._waiting.append({"step": entry["step"], **{name: entry.get(name) for name in self.COLUMNS}})
        if len(self._waiting) < self.per_point:
            return
        self.points.append(_mean(self._waiting))
        self._waiting = []
        if len(self.points) == 2 * MOST_POINTS:
            self.points = [_mean(list(pair)) for pair in zip(self.points[::2], self.points[1::2], strict=True)]
            self.per_point *= 2

    def columns(self) -> dict[str, list[Any]]:
        points = [*self.points, *([_mean(self._waiting)] if self._waiting else [])]
        return {name: [point[name] for point in points] for name in ("step", *self.COLUMNS)}


def _mean(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """The mean of each column, at the last step."""
    found: dict[str, Any] = {"step": entries[-1]["step"]}
    for name in Curve.COLUMNS:
        values = [entry[name] for entry in entries if _is_number(entry[name])]
        found[name] = sum(values) / len(values) if values else None
    return found


def _is_number(value: Any) -> bool:
    """Not so the loss of a training that has failed: JSON has no word for it."""
    return isinstance(value, int | float) and math.isfinite(value)


class GrowingLog:
    """`log.jsonl`, line by line as it is written; begun anew where the file was replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._forget()

    def _forget(self) -> None:
        self.identity: tuple[int, int] | None = None
        self.offset = 0
        self.curve = Curve()
        self.validations: list[dict[str, Any]] = []
        self.starts: list[dict[str, Any]] = []
        self.end: dict[str, Any] | None = None  # of the newest run, where it has ended
        self.newest: dict[str, Any] | None = None
        self.recent: deque[tuple[int, float]] = deque(maxlen=RECENT)  # step, time; of the newest run
        self.written = 0.0  # when, by the file system

    def read(self) -> None:
        try:
            with self.path.open("rb") as file:
                about = os.fstat(file.fileno())
                if (about.st_dev, about.st_ino) != self.identity or about.st_size < self.offset:
                    self._forget()
                    self.identity = (about.st_dev, about.st_ino)
                self.written = about.st_mtime
                file.seek(self.offset)
                for line in file:
                    if not line.endswith(b"\n"):  # it is being written
                        break
                    self.offset += len(line)
                    entry = log_entry(line.decode("utf-8", errors="replace"))
                    if entry is not None:
                        self._take(entry)
        except OSError:
            pass  # not yet there, or being replaced

    def _take(self, entry: dict[str, Any]) -> None:
        self.newest = entry
        match entry["kind"]:
            case "start":
                self.starts.append(entry)
                self.end = None
                self.recent.clear()
            case "end":
                self.end = entry
            case "train":
                self.curve.add(entry)
            case "valid":
                self.validations.append(entry)
        if "time" in entry:
            self.recent.append((entry["step"], entry["time"]))


class TrainingReader:
    """One training, for many threads at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = name_of(folder)
        self._log = GrowingLog(folder / LOG)
        self._lock = Lock()

    def look(self) -> dict[str, Any]:
        """All that there is to say of it now, but for its samples."""
        with self._lock:
            self._log.read()
            log, recipe = self._log, self.recipe()
            steps = log.starts[-1].get("steps") if log.starts else None
            newest = log.newest or {}
            how, said = self.how()
            return {
                "name": self.name,
                "how": how,
                "said": said,
                "task": recipe.task,
                "objective": recipe.training.objective,
                "metric": recipe.training.metric,
                "clip": recipe.training.clip,
                "step": newest.get("step", 0),
                "steps": steps or recipe.training.steps,
                "seconds_left": self.seconds_left(steps or recipe.training.steps) if how == "running" else None,
                "heard": newest.get("time", log.written or None),
                "began": log.starts[0].get("time") if log.starts else None,
                "resumed": [one["step"] for one in log.starts[1:]],
                "entries_per_point": log.curve.per_point,
                "train": log.curve.columns(),
                "validations": [_validation(one) for one in _some(log.validations, MOST_VALIDATIONS)],
                "checkpoints": sampled_steps(self.folder),
            }

    def recipe(self) -> RecipeSummary:
        try:
            return RecipeSummary.model_validate(read_toml(self.folder / RECIPE))
        except (DhyanError, OSError, ValueError):
            return RecipeSummary()

    def how(self) -> tuple[How, str]:
        """Whether it runs, and where it has failed, why."""
        log = self._log
        if not self.folder.exists():
            return "preparing", ""
        if log.end is not None:
            how = log.end.get("how")
            return how if how in ("finished", "stopped") else "failed", str(log.end.get("said", ""))
        if log.starts:
            return "running" if _may_live(log.starts[-1]) else "killed", ""
        if (self.folder.with_name(self.name) / MANIFEST).exists():
            return "finished", ""
        if log.newest is None:
            return "prepared", ""
        return "running" if time.time() - log.written < LIVELY_SECONDS else "stopped", ""

    def seconds_left(self, steps: int) -> float | None:
        """At the pace of the last two validations or so, their own time included."""
        recent = list(self._log.recent)
        if not recent:
            return None
        step, now = recent[-1]
        far = max(1, 2 * self.recipe().training.validate_every)
        first = next((one for one in reversed(recent) if one[0] <= step - far), recent[0])
        if step <= first[0]:
            return None
        return (now - first[1]) / (step - first[0]) * max(0, steps - step)

    # -- samples -----------------------------------------------------------------------------------------------

    def samples(self, step: int) -> Samples:
        return read_samples(self.folder, step)

    def attention(self, step: int) -> Trace:
        """The recorded weights by address, in the order in which numbers pass through the model."""
        trace = Trace()
        for name, weights in sorted(read_attention(self.folder, step).items(), key=lambda one: _in_order(one[0])):
            trace.record(name, weights)
        return trace

    def tokens(self, side: str, ids: list[int]) -> Tokens:
        return Tokens.of(self.tokenizers[side], ids)

    @cached_property
    def tokenizers(self) -> dict[str, Tokenizer]:
        """side → tokenizer; they stay as they are for as long as the training does."""
        try:
            files = json.loads((self.folder / DATA / ABOUT).read_text(encoding="utf-8"))["tokenizers"]
            loaded = {file: Tokenizer.load(self.folder / DATA / Path(file).name) for file in set(files.values())}
            return {side: loaded[file] for side, file in files.items()}
        except (OSError, ValueError, KeyError, AttributeError):
            raise DhyanError(f"{self.folder / DATA} has no tokenizers that can be read; copy it again.") from None


def name_of(folder: Path) -> str:
    return folder.resolve().name.removesuffix(SUFFIX)


def _validation(entry: dict[str, Any]) -> dict[str, Any]:
    metrics = {name: one for name, one in entry.items() if name not in ("step", "kind", "time") and _is_number(one)}
    return {"step": entry["step"], "metrics": metrics}


def _some(entries: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Every so-manieth, the last one in any case."""
    every = -(-len(entries) // most) or 1
    return entries[::-1][::every][::-1]


def _may_live(start: dict[str, Any]) -> bool:
    """Whether the process that wrote this may still be there: on another machine nobody can tell."""
    if os.name != "posix" or start.get("host") != socket.gethostname():
        return True
    try:
        os.kill(int(start["process"]), 0)  # asks, and does nothing
    except ProcessLookupError:
        return False
    except (OSError, KeyError, ValueError, OverflowError):
        return True
    return True


def _in_order(name: str) -> tuple[bool, int, bool]:
    stack, layer, part = (*name.split("."), "", "")[:3]
    return stack != "enc", int(layer) if layer.isdecimal() else 0, part != "self"
