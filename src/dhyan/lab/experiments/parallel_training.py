"""Masked parallel training against one pass of the decoder for each word: the same gradients, how much time."""

import time
from collections.abc import Callable
from functools import partial
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import START
from dhyan.lab.framework.experiment import Experiment, Knobs, Measured, Numbers, Result, Table
from dhyan.lab.framework.fit import size_of
from dhyan.lab.framework.plots import Lines
from dhyan.lab.framework.seed_stats import mean_and_range, series
from dhyan.model.architecture import Architecture
from dhyan.model.transformer import Transformer

VOCABULARY, FIRST_WORD = 200, 5
SAME_UP_TO = 1e-9  # double precision: what is left is rounding
SLOW_FROM = 10.0  # times as long, at the longest target: the notes say "very slow"

LONG = 1.0  # seconds

Gradients = list[Tensor]


class ParallelKnobs(Knobs):
    lengths: list[int] = Field([10, 30, 100, 300], min_length=1, description="words of the target (the notes: 300)")
    rows: int = Field(16, ge=1, description="rows of a batch (the notes: 16)")
    source_length: int = Field(20, ge=1, description="words of the source")
    d_model: int = Field(64, ge=4, multiple_of=4, description="size of the model; 2 heads, 2 + 2 layers")
    compared_up_to: int = Field(30, ge=1, description="words up to which gradients are compared, in double precision")
    repeats: int = Field(3, ge=1, description="times that each is timed, if it is short; the quickest counts")


class ParallelTraining(Experiment[ParallelKnobs]):
    knobs = ParallelKnobs
    quick: ClassVar = {"d_model": 32}

    def measure(self, knobs: ParallelKnobs, case: str, seed: int, report: Progress) -> Numbers:
        torch.manual_seed(seed)
        draw = torch.Generator().manual_seed(seed)
        seconds: dict[str, list[float]] = {"parallel": [], "step by step": []}
        differences: list[float | None] = []
        with report.working(f"seed {seed}", sum(knobs.lengths)) as progress:
            for index, length in enumerate(knobs.lengths, start=1):
                source, target = _words(knobs.rows, knobs.source_length, draw), _words(knobs.rows, length, draw)
                model = _model(knobs)
                for way in (together, one_by_one):  # the first pass pays for what later ones find ready
                    way(model, source, target[:, :2])
                together(model, source, target)
                seconds["parallel"].append(_quickest(partial(together, model, source, target), knobs.repeats))
                seconds["step by step"].append(_quickest(partial(one_by_one, model, source, target), knobs.repeats))
                differences.append(_difference(model, source, target) if length <= knobs.compared_up_to else None)
                progress(sum(knobs.lengths[:index]))
        return {"seconds": seconds, "differences": differences, "parameters": size_of(_model(knobs))}

    def conclude(self, knobs: ParallelKnobs, measured: Measured) -> Result:
        runs = measured["all"]
        lengths = [float(length) for length in knobs.lengths]
        seconds = {way: [run["seconds"][way] for run in runs] for way in ("parallel", "step by step")}
        times = [
            [slow / quick for quick, slow in zip(*(run["seconds"][way] for way in seconds), strict=True)]
            for run in runs
        ]  # (seeds, lengths)
        compared = [one for run in runs for one in run["differences"] if one is not None]
        same = bool(compared) and max(compared) < SAME_UP_TO
        slow = min(run[-1] for run in times) > SLOW_FROM
        rows = [
            [
                f"{length}",
                *(mean_and_range([1000 * run[index] for run in seconds[way]], 1) for way in seconds),
                mean_and_range([run[index] for run in times], 1),
                _shown_difference([run["differences"][index] for run in runs]),
            ]
            for index, length in enumerate(knobs.lengths)
        ]
        headers = ["words", "parallel, ms", "step by step, ms", "times as long", "largest difference of a gradient"]
        return Result(
            verdict="held" if same and slow else "held in part" if same or slow else "did not hold",
            because=(
                f"the two gradients differ by at most {max(compared, default=float('nan')):.0e} of the largest, in"
                f" double precision, and {knobs.rows} rows of {knobs.lengths[-1]} words took"
                f" {mean_and_range([run[-1] for run in times], 0)} times as long step by step as in parallel."
            ),
            fair=[
                f"one model of {runs[0]['parameters']:,} parameters, one batch of {knobs.rows} rows for both; step"
                f" by step runs the decoder on every prefix, but the encoder only once"
            ],
            tables=[Table(title="One training step, by target length", headers=headers, rows=rows)],
            plots=[
                Lines(
                    name="seconds",
                    title=f"Seconds for one training step of {knobs.rows} rows",
                    x_label="words of the target",
                    y_label="seconds",
                    series=[series(way, lengths, seconds[way]) for way in seconds],
                    log_x=True,
                    log_y=True,
                )
            ],
        )


def together(model: Transformer, source: Tensor, target: Tensor) -> Gradients:
    """All positions at once behind the mask: one pass. The mean loss's gradient for every weight."""
    model.zero_grad()
    logits = model(_shifted(target), source)  # (rows, words, vocabulary)
    F.cross_entropy(logits.flatten(0, 1), target.flatten()).backward()  # type: ignore[no-untyped-call]
    return [p.grad.clone() for p in model.parameters() if p.grad is not None]


def one_by_one(model: Transformer, source: Tensor, target: Tensor) -> Gradients:
    """Word by word: the decoder runs on each prefix and is asked for the next word alone.

    The encoder runs once; what every step says about its output is gathered and sent back at the end.
    """
    model.zero_grad()
    memory, allowed = model.encode(source)
    held = memory.detach().requires_grad_()
    shifted = _shifted(target)
    for end in range(1, target.shape[1] + 1):
        hidden = model.decoder(shifted[:, :end], held, allowed)[:, -1]  # (rows, d_model): the newest word's
        loss = F.cross_entropy(model.decoder.out(hidden), target[:, end - 1])
        (loss / target.shape[1]).backward()  # type: ignore[no-untyped-call]
    memory.backward(held.grad)  # type: ignore[no-untyped-call]
    return [p.grad.clone() for p in model.parameters() if p.grad is not None]


def _difference(model: Transformer, source: Tensor, target: Tensor) -> float:
    """The largest difference of any gradient, as a share of the largest gradient, in double precision."""
    precise = Transformer(model.architecture).double()
    precise.load_state_dict(model.state_dict())
    parallel, stepwise = together(precise, source, target), one_by_one(precise, source, target)
    largest = max(float(gradient.abs().max()) for gradient in parallel)
    pairs = zip(parallel, stepwise, strict=True)
    return max(float((one - other).abs().max()) for one, other in pairs) / largest


def _model(knobs: ParallelKnobs) -> Transformer:
    architecture = Architecture(
        shape="encoder-decoder",
        d_model=knobs.d_model,
        heads=2,
        d_ff=4 * knobs.d_model,
        encoder_layers=2,
        decoder_layers=2,
        source_vocabulary=VOCABULARY,
        target_vocabulary=VOCABULARY,
    )
    return Transformer(architecture)


def _words(rows: int, length: int, draw: torch.Generator) -> Tensor:
    return torch.randint(FIRST_WORD, VOCABULARY, (rows, length), generator=draw)


def _shifted(target: Tensor) -> Tensor:
    """The target behind its start token: what the decoder is given to predict the target."""
    return F.pad(target[:, :-1], (1, 0), value=START)


def _quickest(work: Callable[[], object], repeats: int) -> float:
    """Seconds of one core, so that others at work on the machine do not count; what takes long is timed once."""
    found: list[float] = []
    while len(found) < repeats and sum(found) < LONG:
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def _shown_difference(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{max(known):.0e}".replace("-", "−") if known else "not compared"


EXPERIMENT = ParallelTraining()
