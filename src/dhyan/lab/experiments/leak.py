"""Training with and without the mask: the loss, and then real generation."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import END, PAD, START
from dhyan.lab.framework import fit as fitting
from dhyan.lab.framework import seed_stats
from dhyan.lab.framework.experiment import Experiment, Knobs, Measured, Numbers, Result, Table
from dhyan.lab.framework.fit import fit, size_of
from dhyan.lab.framework.inputs import code_of
from dhyan.lab.framework.plots import Bars, Lines, Series
from dhyan.model.architecture import Architecture
from dhyan.model.generation.generate import generate
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer

DIGITS, FIRST_DIGIT = 10, 5
ROWS, TESTED, SMOOTH = 64, 200, 10
MASKED, UNMASKED = CASES = ("masked", "unmasked")


class LeakKnobs(Knobs):
    digits: int = Field(4, ge=1, le=20, description="digits of a source; the target is the same backwards")
    unknowable: int = Field(3, ge=0, le=20, description="random digits behind them, which no source tells")
    steps: int = Field(600, ge=SMOOTH, description="updates, of 64 rows each")
    d_model: int = Field(64, ge=8, multiple_of=4, description="size of the models; 4 heads, 2 + 1 layers")
    rate: float = Field(4e-3, gt=0, description="learning rate")


class Leak(Experiment[LeakKnobs]):
    knobs = LeakKnobs
    quick: ClassVar = {"steps": 250}

    def cases(self, knobs: LeakKnobs) -> tuple[str, ...]:
        return CASES

    def measure(self, knobs: LeakKnobs, case: str, seed: int, report: Progress) -> Numbers:
        torch.manual_seed(seed)
        model, draw = _model(knobs), torch.Generator().manual_seed(seed)
        model.decoder.is_causal = case == MASKED
        losses: list[float] = []

        def loss_of_batch() -> Tensor:
            source, target = _rows(knobs, ROWS, draw)
            logits = model(F.pad(target[:, :-1], (1, 0), value=START), source)  # (rows, words, vocabulary)
            loss = F.cross_entropy(logits.flatten(0, 1), target.flatten())
            losses.append(loss.item())
            return loss

        last = fit(model, loss_of_batch, knobs.steps, knobs.rate, report, f"{case}, seed {seed}")
        source, target = _rows(knobs, TESTED, draw)
        digits = _generated_right(knobs, model, source, target)
        curve = [sum(losses[at : at + SMOOTH]) / SMOOTH for at in range(0, knobs.steps - SMOOTH + 1, SMOOTH)]
        return {
            "loss": last,
            "curve": [round(value, 5) for value in curve],
            "digits": float(digits.float().mean()),
            "whole": float(digits.all(dim=1).float().mean()),
            "parameters": size_of(model),
        }

    def conclude(self, knobs: LeakKnobs, measured: Measured) -> Result:
        of = {case: {fact: [one[fact] for one in measured[case]] for fact in measured[case][0]} for case in CASES}
        wonderful = max(of[UNMASKED]["loss"]) < 0.5 * min(of[MASKED]["loss"])
        fails = max(of[UNMASKED]["digits"]) < 0.5 * min(of[MASKED]["digits"])
        honest = _least_loss(knobs)
        return Result(
            verdict="held" if wonderful and fails else "held in part" if wonderful or fails else "did not hold",
            because=(
                f"without the mask the training loss came to {seed_stats.mean(of[UNMASKED]['loss']):.3f}, below the"
                f" {honest:.3f} that nobody who cannot see the future can get below (with it:"
                f" {seed_stats.mean(of[MASKED]['loss']):.3f}); then, writing by itself, it got"
                f" {seed_stats.mean(of[UNMASKED]['digits']):.0%} of the digits right (with the mask:"
                f" {seed_stats.mean(of[MASKED]['digits']):.0%})."
            ),
            fair=[
                f"both models have {of[MASKED]['parameters'][0]:,} parameters, start from the same weights for a seed"
                f" and see the same {knobs.steps} × {ROWS} rows; both write greedily, {TESTED} rows each"
            ],
            tables=[_table(of)],
            plots=[
                Lines(
                    name="loss",
                    title="Training loss",
                    x_label="update",
                    y_label="loss",
                    series=_curves(knobs, of),
                    log_y=True,
                ),
                Bars(
                    name="generation",
                    title="Then they write by themselves",
                    y_label="share of digits right",
                    groups=list(CASES),
                    series=["right"],
                    bars=[[seed_stats.bar(of[case]["digits"])] for case in CASES],
                ),
            ],
        )

    def rests_on(self, knobs: LeakKnobs) -> str:
        return code_of(fitting)


def _rows(knobs: LeakKnobs, rows: int, draw: torch.Generator) -> tuple[Tensor, Tensor]:
    """Digits and END; the same backwards, digits that nobody can know, and END."""
    digits = torch.randint(FIRST_DIGIT, FIRST_DIGIT + DIGITS, (rows, knobs.digits), generator=draw)
    unknowable = torch.randint(FIRST_DIGIT, FIRST_DIGIT + DIGITS, (rows, knobs.unknowable), generator=draw)
    end = torch.full((rows, 1), END)
    return torch.cat([digits, end], dim=1), torch.cat([digits.flip(1), unknowable, end], dim=1)


def _least_loss(knobs: LeakKnobs) -> float:
    """A mean over the target's words: log 10 for each digit that nobody can know, nothing for the others."""
    words = knobs.digits + knobs.unknowable + 1
    return float(torch.tensor(float(DIGITS)).log()) * knobs.unknowable / words


def _generated_right(knobs: LeakKnobs, model: Transformer, source: Tensor, target: Tensor) -> Tensor:
    """(rows, digits): which of the digits that the source tells were written, in their places."""
    length = knobs.digits + knobs.unknowable + 1
    prompt = torch.full((source.shape[0], 1), START)
    written = generate(model, GenerationSettings(beam=1, max_length=length), source, prompt)
    said = torch.full((source.shape[0], knobs.digits), PAD)
    for row, hypotheses in enumerate(written):
        tokens = hypotheses[0].ids[: knobs.digits]
        said[row, : len(tokens)] = torch.tensor(tokens, dtype=said.dtype)
    return said == target[:, : knobs.digits]


def _model(knobs: LeakKnobs) -> Transformer:
    architecture = Architecture(
        shape="encoder-decoder",
        d_model=knobs.d_model,
        heads=4,
        d_ff=2 * knobs.d_model,
        encoder_layers=2,
        decoder_layers=1,
        source_vocabulary=FIRST_DIGIT + DIGITS,
        target_vocabulary=FIRST_DIGIT + DIGITS,
    )
    return Transformer(architecture)


def _table(of: Mapping[str, Mapping[str, Sequence[float]]]) -> Table:
    rows = [
        [
            case,
            seed_stats.mean_and_range(of[case]["loss"], 3),
            seed_stats.mean_and_range([100 * share for share in of[case]["digits"]], 1),
            seed_stats.mean_and_range([100 * share for share in of[case]["whole"]], 1),
        ]
        for case in CASES
    ]
    headers = ["trained", "loss at the end", "digits written right, %", "whole answers right, %"]
    return Table(title="The loss, and what it is worth", headers=headers, rows=rows)


def _curves(knobs: LeakKnobs, of: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> list[Series]:
    steps = [float(at + SMOOTH) for at in range(0, knobs.steps - SMOOTH + 1, SMOOTH)]
    curves = [seed_stats.series(case, steps, of[case]["curve"]) for case in CASES]
    honest = Series(label="the least that is honest", x=[steps[0], steps[-1]], y=[_least_loss(knobs)] * 2)
    return [*curves, honest] if knobs.unknowable else curves


EXPERIMENT = Leak()
