"""What a training says of itself while it runs: written by whoever trains, read by whoever watches, without PyTorch.

`log.jsonl` has one JSON object per line, with its step, time and kind:

| kind | what else it has |
|---|---|
| start | how many steps it is to have, process and host; a training that was resumed has several |
| train | loss, learning rate, tokens per second and norm of the gradient: means since the line before |
| valid | the metrics of a validation |
| end | how: finished, stopped, or failed; missing where it was killed |

`samples/STEP.json` has what the model made of a few fixed texts at that validation, `samples/STEP.safetensors` the
attention weights of the first of them, by address. The JSON is written last: where it is, the other is whole.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field, ValidationError

from dhyan.core.atomic import write_atomic
from dhyan.core.errors import DhyanError
from dhyan.core.json_object import read_bounded_text
from dhyan.pack.weights_file import Weights, load_weights, save_weights

SUFFIX = ".training"  # of the training's folder, beside the pack
LOG, SAMPLES, RECIPE = "log.jsonl", "samples", "recipe.toml"
DATA, ABOUT = "data", "prepared.json"
MAX_SAMPLE_BYTES = 1_000_000  # far above what a few sentences need


class SampleResult(BaseModel):
    """What the model made of one text."""

    text: str
    said: str = Field(description="its translation, label or continuation; the masked word; the nearest text")
    reference: str = Field("", description="what the data says; empty where that is not known")
    probability: float | None = Field(None, description="of a label or a masked word")
    cosine: float | None = Field(None, description="with the nearest text")


class Samples(BaseModel):
    """What a checkpoint made of a few texts that stay the same, and which tokens its attention is shown for."""

    step: int
    source: list[int] = Field(description="ids that the encoder read; none without an encoder")
    target: list[int] = Field(description="ids that the decoder read, start mark first; none without a decoder")
    predicted: list[int] = Field(description="the id that each of them should be followed by")
    results: list[SampleResult]


def read_log(path: Path) -> list[dict[str, Any]]:
    """The entries so far; a last line that a kill has torn is left out."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return list(filter(None, map(log_entry, text.splitlines())))


def log_entry(line: str) -> dict[str, Any] | None:
    """One line of the log; None for one that is torn."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("step"), int) and "kind" in entry else None


def write_samples(folder: Path, samples: Samples, attention: Mapping[str, NDArray[np.float32]]) -> None:
    """folder: the training's. attention: address → (heads, queries, keys)."""
    (folder / SAMPLES).mkdir(exist_ok=True)
    save_weights(_attention_path(folder, samples.step), attention, "float32")
    write_atomic(_samples_path(folder, samples.step), samples.model_dump_json(indent=1))


def forget_samples_after(folder: Path, step: int) -> None:
    """A resumed training makes them again."""
    for later in [one for one in sampled_steps(folder) if one > step]:
        _samples_path(folder, later).unlink(missing_ok=True)
        _attention_path(folder, later).unlink(missing_ok=True)


def sampled_steps(folder: Path) -> list[int]:
    """The steps with samples, in order."""
    return sorted(int(file.stem) for file in (folder / SAMPLES).glob("*.json") if file.stem.isdecimal())


def read_samples(folder: Path, step: int) -> Samples:
    try:
        return Samples.model_validate_json(read_bounded_text(_samples_path(folder, step), MAX_SAMPLE_BYTES))
    except (OSError, ValueError, ValidationError):
        raise DhyanError(f"{folder} has no samples of step {step}; a resumed training makes them again.") from None


def read_attention(folder: Path, step: int) -> Weights:
    """Address → (heads, queries, keys)."""
    return load_weights(_attention_path(folder, step))


def _samples_path(folder: Path, step: int) -> Path:
    return folder / SAMPLES / f"{step}.json"


def _attention_path(folder: Path, step: int) -> Path:
    return folder / SAMPLES / f"{step}.safetensors"
