"""Batch norm against layer norm on padded sentences: what neighbours do to a sentence, and to a training."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.core.special_tokens import PAD
from dhyan.explain.formulas import batch_norm, layer_norm
from dhyan.lab.experiments import norms_numpy as padded
from dhyan.lab.experiments.norms_numpy import BATCH, BATCH_WITHOUT, LAYER, WAYS, PaddedKnobs
from dhyan.lab.framework import fit as fitting
from dhyan.lab.framework.experiment import Experiment, Measured, Numbers, Result, Table
from dhyan.lab.framework.fit import fit, size_of
from dhyan.lab.framework.inputs import code_of
from dhyan.lab.framework.plots import Lines
from dhyan.lab.framework.seed_stats import mean, mean_and_range, series
from dhyan.model.architecture import Architecture, Variant
from dhyan.model.layers import NORMS
from dhyan.model.transformer import Transformer

LETTERS, FIRST_LETTER = 15, 5
TESTED, WATCHED, RATE = 256, 20, 5e-3
MOMENTUM = 0.1
SMOOTH = 20  # updates that a point of the curve is the mean of
CASES = {"layer": LAYER, "batch": BATCH, "batch-without-padding": BATCH_WITHOUT}  # a norm's name → what it is


class NormKnobs(PaddedKnobs):
    steps: int = Field(600, ge=SMOOTH, description="updates of the trained models")
    rows: int = Field(16, ge=2, le=256, description="texts in a batch")
    longest: int = Field(32, ge=4, le=128, description="letters of the longest text in training; lengths vary")
    size: int = Field(32, ge=8, le=256, multiple_of=4, description="d_model of the trained models; 2 heads, 2 layers")


class BatchNorm(nn.Module):
    """(x − μ) / √(σ² + ε) · γ + β with the batch's own μ and σ in training, and their running means afterwards."""

    def __init__(self, d_model: int, epsilon: float, counts_padding: bool) -> None:
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.counts_padding, self.epsilon = counts_padding, epsilon
        self.real: Tensor | None = None  # (rows, positions): False where padding stands
        self.register_buffer("mean", torch.zeros(d_model))
        self.register_buffer("variance", torch.ones(d_model))
        self.mean: Tensor
        self.variance: Tensor

    def forward(self, x: Tensor) -> Tensor:
        """x: (rows, positions, d_model). Padding is zero, as in the notes."""
        assert self.real is not None
        x = x * self.real[..., None]
        mean, variance = self.mean, self.variance
        if self.training:
            tokens = x.flatten(0, 1) if self.counts_padding else x[self.real]  # (tokens, d_model)
            mean, variance = tokens.mean(dim=0), tokens.var(dim=0, unbiased=False)
            self.mean.lerp_(mean.detach(), MOMENTUM)
            self.variance.lerp_(variance.detach(), MOMENTUM)
        return (x - mean) / torch.sqrt(variance + self.epsilon) * self.gamma + self.beta


NORMS["batch"] = partial(BatchNorm, counts_padding=True)
NORMS["batch-without-padding"] = partial(BatchNorm, counts_padding=False)


class Norms(Experiment[NormKnobs]):
    knobs = NormKnobs
    quick: ClassVar = {"steps": 240}

    def cases(self, knobs: NormKnobs) -> list[str]:
        return list(CASES)

    def measure(self, knobs: NormKnobs, case: str, seed: int, report: Progress) -> Numbers:
        way = CASES[case]
        return {"changes": padded.changes(knobs, way, seed), **_trained(knobs, case, seed, report)}

    def conclude(self, knobs: NormKnobs, measured: Measured) -> Result:
        of = {
            CASES[case]: {fact: [one[fact] for one in seeds] for fact in seeds[0]} for case, seeds in measured.items()
        }
        change = {way: [run[-1] for run in facts["changes"]] for way, facts in of.items()}
        alone = max(change[LAYER]) == 0 and max(of[LAYER]["moved"]) < 1e-4
        distorts = min(change[BATCH]) > 2 * max(change[BATCH_WITHOUT])
        moves = min(of[BATCH]["moved"]) > 0.01
        final = {way: [run[-1] for run in facts["losses"]] for way, facts in of.items()}
        held = (alone, distorts, moves)
        share = padded.padding(knobs, knobs.neighbour_lengths[-1])
        return Result(
            verdict="held" if all(held) else "held in part" if any(held) else "did not hold",
            because=(
                f"beside a sentence of {knobs.neighbour_lengths[-1]} words ({share:.0%} padding) batch norm moved the"
                f" same sentence's numbers by {mean(change[BATCH]):.2f} on average,"
                f" {mean(change[BATCH_WITHOUT]):.2f} with padding left out, layer norm by"
                f" {mean(change[LAYER]):.0f}; in trained models neighbours changed"
                f" {mean(of[BATCH]['flipped']):.1%} of the answers with batch norm,"
                f" {mean(of[LAYER]['flipped']):.1%} with layer norm (their trainings ended at losses of"
                f" {mean(final[BATCH]):.3f} and {mean(final[LAYER]):.3f}, which the claim says nothing"
                f" about)."
            ),
            fair=[
                f"every model has {of[LAYER]['parameters'][0]:,} parameters, starts from the same weights for a seed"
                f" and sees the same {knobs.steps} × {knobs.rows} texts of 2 to {knobs.longest} letters"
            ],
            tables=[_notes(), _beside(knobs, of), _training(of, final)],
            plots=[_change_plot(knobs, of), _curves(knobs, of)],
        )

    def rests_on(self, knobs: NormKnobs) -> str:
        return code_of(padded, fitting)


def _trained(knobs: NormKnobs, case: str, seed: int, report: Progress) -> Numbers:
    """Every position learns to say the letter before it. Then one text is looked at beside different neighbours."""
    torch.manual_seed(seed)
    model, draw = _model(knobs, case), torch.Generator().manual_seed(seed)
    losses: list[float] = []

    def loss_of_batch() -> Tensor:
        texts = _texts(knobs.rows, knobs.longest, draw)
        loss = F.cross_entropy(_logits(model, texts).flatten(0, 1), _before(texts).flatten(), ignore_index=PAD)
        losses.append(loss.item())
        return loss

    fit(model, loss_of_batch, knobs.steps, RATE, report, f"{CASES[case]}, seed {seed}")
    tested = _texts(TESTED, knobs.longest, draw)
    with torch.inference_mode():
        right = (_logits(model, tested).argmax(-1) == _before(tested))[_before(tested) != PAD]
        moved, flipped = _beside_others(knobs, model, draw)
    return {
        "losses": [
            round(sum(losses[at : at + SMOOTH]) / SMOOTH, 4) for at in range(0, knobs.steps - SMOOTH + 1, SMOOTH)
        ],
        "accuracy": float(right.float().mean()),
        "moved": moved,
        "flipped": flipped,
        "parameters": size_of(model),
    }


def _beside_others(knobs: NormKnobs, model: Transformer, draw: torch.Generator) -> tuple[float, float]:
    """A short text beside short ones, then beside long ones: how far its logits move, how many answers change."""
    short = max(2, knobs.longest // 4)
    model.train()  # statistics are the batch's, as they are while the model learns
    moved, flipped = [], []
    for _ in range(WATCHED):
        watched = _texts(1, short, draw, shortest=short)
        said = []
        for length in (short, knobs.longest):
            others = _texts(knobs.rows - 1, length, draw, shortest=length)
            said.append(_logits(model, torch.cat([F.pad(watched, (0, length - short)), others]))[0, :short])
        moved.append(float((said[0] - said[1]).abs().mean()))
        flipped.append(float((said[0].argmax(-1) != said[1].argmax(-1)).float().mean()))
    return sum(moved) / WATCHED, sum(flipped) / WATCHED


def _model(knobs: NormKnobs, norm: str) -> Transformer:
    return Transformer(
        Architecture(
            shape="encoder",
            d_model=knobs.size,
            heads=2,
            d_ff=2 * knobs.size,
            encoder_layers=2,
            positions="rotary",
            source_vocabulary=FIRST_LETTER + LETTERS,
        ),
        variant=Variant(norm=norm),
    )


def _logits(model: Transformer, texts: Tensor) -> Tensor:
    """(rows, positions) → (rows, positions, vocabulary)."""
    for module in model.modules():
        if isinstance(module, BatchNorm):
            module.real = texts != PAD
    hidden, _ = model.encode(texts)
    return F.linear(hidden, model.encoder.E) * 2 / math.sqrt(model.architecture.d_model)


def _texts(rows: int, longest: int, draw: torch.Generator, shortest: int = 2) -> Tensor:
    """(rows, positions): letters of different lengths, padded at the end."""
    lengths = torch.randint(shortest, longest + 1, (rows, 1), generator=draw)
    texts = torch.randint(FIRST_LETTER, FIRST_LETTER + LETTERS, (rows, int(lengths.max())), generator=draw)
    return texts.masked_fill(torch.arange(texts.shape[1]) >= lengths, PAD)


def _before(texts: Tensor) -> Tensor:
    """The letter before each; the first letter for the first; padding stays."""
    return torch.cat([texts[:, :1], texts[:, :-1]], dim=1).masked_fill(texts == PAD, PAD)


def _notes() -> Table:
    """The notes' own numbers, computed."""
    by_batch, by_layer = batch_norm(padded.NOTES, epsilon=0.0), layer_norm(padded.NOTES, epsilon=0.0)

    def row(values: NDArray[Any]) -> str:
        return ", ".join(f"{value:.4f}".replace("-", "−") for value in values)

    rows = [
        [", ".join(f"{v:g}" for v in x), row(b), row(n)]
        for x, b, n in zip(padded.NOTES, by_batch, by_layer, strict=True)
    ]
    return Table(title="The notes' table", headers=["z₁, z₂, z₃", "batch norm", "layer norm"], rows=rows)


def _beside(knobs: NormKnobs, of: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> Table:
    lengths = knobs.neighbour_lengths
    rows = [
        [f"{length} words", f"{padded.padding(knobs, length):.0%}"]
        + [mean_and_range([run[index] for run in of[way]["changes"]], 2) for way in WAYS]
        for index, length in enumerate(lengths)
    ]
    title = f"How far a sentence's numbers move beside a longer one (from {lengths[0]} words)"
    return Table(title=title, headers=["longest beside it", "padding", *WAYS], rows=rows)


def _training(of: Mapping[str, Mapping[str, Sequence[float]]], final: Mapping[str, Sequence[float]]) -> Table:
    rows = [
        [
            way,
            mean_and_range(final[way], 3),
            mean_and_range([100 * share for share in of[way]["accuracy"]], 1),
            mean_and_range(of[way]["moved"], 2),
            mean_and_range([100 * share for share in of[way]["flipped"]], 1),
        ]
        for way in WAYS
    ]
    headers = ["trained with", "last loss", "letters right, %", "logits moved by neighbours", "answers changed, %"]
    return Table(title="The letter before, learnt from padded batches", headers=headers, rows=rows)


def _change_plot(knobs: NormKnobs, of: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> Lines:
    shares = [100 * padded.padding(knobs, length) for length in knobs.neighbour_lengths]
    return Lines(
        name="neighbours",
        title="The same sentence beside longer and longer neighbours",
        x_label="padding in the batch, %",
        y_label="mean change of its numbers",
        series=[series(way, shares, of[way]["changes"]) for way in WAYS],
    )


def _curves(knobs: NormKnobs, of: Mapping[str, Mapping[str, Sequence[Sequence[float]]]]) -> Lines:
    steps = [float(at + SMOOTH) for at in range(0, knobs.steps - SMOOTH + 1, SMOOTH)]
    return Lines(
        name="training",
        title="The same model trained with each norm",
        x_label="update",
        y_label="loss",
        series=[series(way, steps, of[way]["losses"]) for way in WAYS],
    )


EXPERIMENT = Norms()
