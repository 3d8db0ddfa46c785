"""The decoder word by word against all words at once: the same logits; what a cache of keys and values saves."""

import time
from collections.abc import Sequence
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import START
from dhyan.lab.experiments import autoregressive_numpy as stepwise
from dhyan.lab.experiments.autoregressive_numpy import VOCABULARY, StepKnobs, differences, multiplications, work_plot
from dhyan.lab.framework import seed_stats
from dhyan.lab.framework.experiment import Experiment, Measured, Numbers, Result, Table
from dhyan.lab.framework.inputs import code_of
from dhyan.lab.framework.plots import Lines
from dhyan.model.architecture import Architecture
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.transformer import Transformer

SAME_UP_TO = 1e-9  # double precision: what is left is rounding
WAYS = ("all at once", "with a cache", "without a cache")


class AutoregressiveKnobs(StepKnobs):
    lengths: list[int] = Field(
        [16, 32, 64, 128, 256, 512], min_length=1, description="words written, when it is timed"
    )
    size: int = Field(128, ge=8, multiple_of=4, description="d_model of the timed decoder; 2 heads, 2 layers")
    repeats: int = Field(3, ge=1, description="times that each is timed; the quickest counts")


class Autoregressive(Experiment[AutoregressiveKnobs]):
    knobs = AutoregressiveKnobs
    quick: ClassVar = {"repeats": 1, "size": 64, "lengths": [16, 32, 64, 128, 256]}

    def measure(self, knobs: AutoregressiveKnobs, case: str, seed: int, report: Progress) -> Numbers:
        torch.manual_seed(seed)
        model, draw = _decoder(knobs), torch.Generator().manual_seed(seed)
        seconds: dict[str, list[float]] = {way: [] for way in WAYS}
        with report.working(f"seed {seed}", sum(knobs.lengths)) as progress, torch.inference_mode():
            for index, length in enumerate(knobs.lengths, start=1):
                ids = torch.randint(5, VOCABULARY, (1, length), generator=draw)
                ids[0, 0] = START
                for way in WAYS:
                    seconds[way].append(min(_timed(model, ids, way) for _ in range(knobs.repeats)))
                progress(sum(knobs.lengths[:index]))
        return {"differences": differences(knobs, seed), "seconds": seconds}

    def conclude(self, knobs: AutoregressiveKnobs, measured: Measured) -> Result:
        runs = measured["all"]
        largest = {way: max(run["differences"][way] for run in runs) for way in runs[0]["differences"]}
        same = max(largest["with a cache"], largest["without a cache"]) < SAME_UP_TO
        needs_mask = min(run["differences"]["unmasked"] for run in runs) > 1e-3
        seconds = {way: [run["seconds"][way] for run in runs] for way in WAYS}
        saved = [
            slow[-1] / quick[-1]
            for slow, quick in zip(seconds["without a cache"], seconds["with a cache"], strict=True)
        ]
        last, lengths = knobs.lengths[-1], [float(length) for length in knobs.lengths]
        return Result(
            verdict="held" if same and needs_mask else "held in part" if same or needs_mask else "did not hold",
            because=(
                f"word by word and all at once, no logit of {knobs.length} words differs by more than"
                f" {max(largest['with a cache'], largest['without a cache']):.0e} in double precision, so one pass"
                f" trains what {knobs.length} passes write; without the mask they differ by up to"
                f" {largest['unmasked']:.1f}; for {last} words a cache makes writing"
                f" {seed_stats.mean_and_range(saved, 1)} times as fast."
            ),
            fair=[
                f"one decoder of {knobs.size} dimensions, 2 layers, the same weights and words for all three ways;"
                f" one sentence at a time"
            ],
            tables=[_differences(runs), _seconds(knobs, runs)],
            plots=[
                Lines(
                    name="seconds",
                    title="Seconds to go through a sentence",
                    x_label="words",
                    y_label="seconds",
                    series=[seed_stats.series(way, lengths, seconds[way]) for way in WAYS],
                    log_x=True,
                    log_y=True,
                ),
                work_plot(knobs.lengths, knobs.size, 2),
            ],
        )

    def rests_on(self, knobs: AutoregressiveKnobs) -> str:
        return code_of(stepwise)


def _timed(model: Transformer, ids: Tensor, way: str) -> float:
    """Seconds of one core, so that others at work on the machine do not count."""
    started = time.process_time()
    if way == "all at once":
        model(ids)
    elif way == "with a cache":
        cache = DecoderCache(model.decoder.depth)
        for index in range(ids.shape[1]):
            model.decoder.out(model.decoder(ids[:, index : index + 1], cache=cache))
    else:
        for end in range(1, ids.shape[1] + 1):
            model.decoder.out(model.decoder(ids[:, :end])[:, -1])
    return time.process_time() - started


def _decoder(knobs: AutoregressiveKnobs) -> Transformer:
    architecture = Architecture(
        shape="decoder",
        d_model=knobs.size,
        heads=2,
        d_ff=4 * knobs.size,
        decoder_layers=2,
        target_vocabulary=VOCABULARY,
    )
    return Transformer(architecture).eval()


def _differences(runs: Sequence[Numbers]) -> Table:
    said = {
        "word by word, without a cache": "without a cache",
        "word by word, with a cache": "with a cache",
        "all at once, without the mask": "unmasked",
    }
    rows = [
        [label, f"{max(run['differences'][way] for run in runs):.1e}".replace("-", "−")]
        for label, way in said.items()
    ]
    return Table(
        title="Against all words at once behind the mask", headers=["the decoder", "largest difference"], rows=rows
    )


def _seconds(knobs: AutoregressiveKnobs, runs: Sequence[Numbers]) -> Table:
    rows = []
    for index, length in enumerate(knobs.lengths):
        cells = [seed_stats.mean_and_range([1000 * run["seconds"][way][index] for run in runs], 1) for way in WAYS]
        saved = multiplications(length, knobs.size, 2, False) / multiplications(length, knobs.size, 2, True)
        rows.append([str(length), *cells, f"{saved:.1f}"])
    headers = ["words", *(f"{way}, ms" for way in WAYS), "multiplications saved by the cache, times"]
    return Table(title="Time by length", headers=headers, rows=rows)


EXPERIMENT = Autoregressive()
