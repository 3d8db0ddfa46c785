"""Positional encodings compared: word order, texts longer than in training, and what each looks like."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.lab.experiments import positions_numpy
from dhyan.lab.experiments.positions_numpy import SCHEMES, EncodingKnobs, Scheme
from dhyan.lab.framework import fit as fitting
from dhyan.lab.framework.experiment import Experiment, Measured, Numbers, Result, Table
from dhyan.lab.framework.fit import fit, size_of
from dhyan.lab.framework.inputs import code_of
from dhyan.lab.framework.plots import Bars, Lines, Series
from dhyan.lab.framework.seed_stats import bar, mean, mean_and_range, series
from dhyan.model.architecture import Architecture, Variant
from dhyan.model.positions import POSITIONS, PositionIds
from dhyan.model.positions import Positions as PositionalEncoding
from dhyan.model.transformer import Transformer

LETTERS, FIRST_LETTER, VERB = 15, 5, 20
ROWS, TESTED, RATE = 32, 64, 5e-3
FAR = 1000  # positions, when it is asked whether a scheme stays bounded
OWN = ("sinusoidal", "learned", "rotary")  # that `model` has itself


class PositionKnobs(EncodingKnobs):
    train_length: int = Field(16, ge=4, le=64, description="longest text in training")
    test_lengths: list[int] = Field([8, 16, 24, 32, 64], min_length=1, description="lengths of the texts tested")
    steps: int = Field(1200, ge=1, description="updates, of 32 texts each")
    size: int = Field(32, ge=8, le=256, multiple_of=4, description="d_model of the trained models; they have 2 heads")


class Tabled(PositionalEncoding):
    """A table that NumPy makes, added to the embeddings."""

    def __init__(self, scheme: Scheme, architecture: Architecture) -> None:
        super().__init__()
        self.scheme, self.d_model = scheme, architecture.d_model

    def add(self, x: Tensor, at: PositionIds) -> Tensor:
        table = positions_numpy.table(self.scheme, at.start + at.length, self.d_model)
        return x + torch.from_numpy(table[at.start :]).float()  # (length, d_model)


for scheme in SCHEMES:
    if scheme not in OWN:
        POSITIONS[scheme] = partial(Tabled, scheme)


class Positions(Experiment[PositionKnobs]):
    knobs = PositionKnobs
    quick: ClassVar = {"steps": 350}

    def cases(self, knobs: PositionKnobs) -> tuple[Scheme, ...]:
        return SCHEMES

    def measure(self, knobs: PositionKnobs, case: str, seed: int, report: Progress) -> Numbers:
        scheme = next(scheme for scheme in SCHEMES if scheme == case)
        model, before = _previous_letter(knobs, scheme, seed, report)
        return {
            "size": positions_numpy.size(scheme, FAR, knobs.d_model, seed),
            "nearest": positions_numpy.nearest(scheme, knobs.positions, knobs.d_model, seed),
            "unevenness": positions_numpy.unevenness(scheme, knobs.positions, knobs.d_model, seed),
            "order": positions_numpy.word_order(scheme, knobs.words, knobs.d_model, seed),
            "who": _who_was_killed(knobs, scheme, seed, report),
            "before": before,
            "parameters": size_of(model),
        }

    def conclude(self, knobs: PositionKnobs, measured: Measured) -> Result:
        of = {case: {fact: [one[fact] for one in seeds] for fact in seeds[0]} for case, seeds in measured.items()}
        near = [index for index, length in enumerate(knobs.test_lengths) if length <= knobs.train_length]
        known = {case: [_mean(run, near) for run in facts["before"]] for case, facts in of.items()}
        blind = max(of["none"]["order"]) < 1e-9 and mean(of["none"]["who"]) < 0.75
        unbounded = min(of["counting"]["size"]) > 10 * max(of["sinusoidal"]["size"])
        collides = max(of["one-sine"]["nearest"]) < 0.1 * min(of["sinusoidal"]["nearest"])
        sees = min(of["sinusoidal"]["who"]) > 0.9 and min(of["sinusoidal"]["order"]) > 0.01
        better = mean(known["sinusoidal"]) > max(mean(known[c]) for c in ("none", "counting", "one-sine"))
        found = (blind, unbounded, collides, sees, better)
        beyond = {case: [run[-1] for run in facts["before"]] for case, facts in of.items()}
        longest = max(beyond, key=lambda case: mean(beyond[case]))
        return Result(
            verdict="held" if all(found) else "held in part" if any(found) else "did not hold",
            because=(
                f"without positions, '{' '.join(knobs.words)}' said backwards changed no word's vector (by"
                f" {max(of['none']['order']):.0e}), and who was killed was {mean(of['none']['who']):.0%} right"
                f" (sinusoidal: {mean(of['sinusoidal']['who']):.0%}); at position {FAR} a counted position is"
                f" {mean(of['counting']['size']):.0f} long, a sinusoidal one"
                f" {mean(of['sinusoidal']['size']):.1f}; the nearest two of {knobs.positions} positions are"
                f" {min(of['one-sine']['nearest']):.3f} apart with one sine and"
                f" {min(of['sinusoidal']['nearest']):.2f} with many; the letter before was found"
                f" {mean(known['sinusoidal']):.0%} of the time (counting:"
                f" {mean(known['counting']):.0%}); at {knobs.test_lengths[-1]} letters {longest} was best,"
                f" with {mean(beyond[longest]):.0%}."
            ),
            fair=[
                f"every model has {of['none']['parameters'][0]:,} parameters, and learned positions a table besides"
                f" ({of['learned']['parameters'][0]:,} in all; rows beyond {knobs.train_length} are never trained);"
                f" all see the same {knobs.steps} × {ROWS} texts of 3 to {knobs.train_length} letters and, but for"
                f" learned, start from the same weights for a seed"
            ],
            tables=[_qualities(knobs, of), _by_length(knobs, of)],
            plots=[
                _lengths(knobs, of),
                Bars(
                    name="word-order",
                    title="Who was killed? Sentences of three words",
                    y_label="share right (a coin: 0.5)",
                    groups=list(of),
                    series=["right"],
                    bars=[[bar(facts["who"])] for facts in of.values()],
                ),
                positions_numpy.picture(knobs),
                _counter(knobs),
            ],
        )

    def rests_on(self, knobs: PositionKnobs) -> str:
        return code_of(positions_numpy, fitting)


def model_with(scheme: Scheme, knobs: PositionKnobs) -> Transformer:
    """One encoder layer of two heads with the given positional encoding."""
    architecture = Architecture(
        shape="encoder",
        d_model=knobs.size,
        heads=2,
        d_ff=2 * knobs.size,
        encoder_layers=1,
        positions=scheme if scheme in OWN else "sinusoidal",
        max_positions=max(knobs.train_length, *knobs.test_lengths),
        source_vocabulary=VERB + 1,
    )
    return Transformer(architecture, variant=Variant(positions=scheme))


def _previous_letter(
    knobs: PositionKnobs, scheme: Scheme, seed: int, report: Progress
) -> tuple[Transformer, list[float]]:
    """Every position learns to say the letter before it; the share right at each tested length."""
    torch.manual_seed(seed)
    model, draw = model_with(scheme, knobs), torch.Generator().manual_seed(seed)

    def loss_of_batch() -> Tensor:
        length = int(torch.randint(3, knobs.train_length + 1, (1,), generator=draw))
        text = _letters(ROWS, length, draw)
        return F.cross_entropy(_logits(model, text)[:, 1:].flatten(0, 1), text[:, :-1].flatten())

    fit(model, loss_of_batch, knobs.steps, RATE, report, f"{scheme}, seed {seed}: the letter before")
    shares = []
    with torch.inference_mode():
        for length in knobs.test_lengths:
            text = _letters(TESTED, length, draw)
            right = _logits(model, text)[:, 1:].argmax(-1) == text[:, :-1]
            shares.append(float(right.float().mean()))
    return model, shares


def _who_was_killed(knobs: PositionKnobs, scheme: Scheme, seed: int, report: Progress) -> float:
    """'A killed B': the verb learns to say B. A model that sees a bag of words can only toss a coin."""
    torch.manual_seed(seed)
    model, draw = model_with(scheme, knobs), torch.Generator().manual_seed(seed)

    def sentences(rows: int) -> Tensor:
        killer = _letters(rows, 1, draw)
        other = FIRST_LETTER + (killer - FIRST_LETTER + 1 + _letters(rows, 1, draw) % (LETTERS - 1)) % LETTERS
        return torch.cat([killer, torch.full_like(killer, VERB), other], dim=1)  # (rows, 3)

    def loss_of_batch() -> Tensor:
        said = sentences(2 * ROWS)
        return F.cross_entropy(_logits(model, said)[:, 1], said[:, 2])

    fit(model, loss_of_batch, knobs.steps, RATE, report, f"{scheme}, seed {seed}: who was killed")
    with torch.inference_mode():
        said = sentences(4 * TESTED)
        return float((_logits(model, said)[:, 1].argmax(-1) == said[:, 2]).float().mean())


def _letters(rows: int, length: int, draw: torch.Generator) -> Tensor:
    return torch.randint(FIRST_LETTER, FIRST_LETTER + LETTERS, (rows, length), generator=draw)


def _logits(model: Transformer, text: Tensor) -> Tensor:
    """(rows, length) → (rows, length, vocabulary): what the encoder says at each position."""
    hidden, _ = model.encode(text)
    return F.linear(hidden, model.encoder.E) * 2 / math.sqrt(model.architecture.d_model)


def _mean(values: Sequence[float], at: Sequence[int]) -> float:
    return sum(values[index] for index in at) / max(1, len(at))


def _qualities(knobs: PositionKnobs, of: Mapping[str, Mapping[str, list[float]]]) -> Table:
    headers = [
        "positions",
        f"length at {FAR}",
        f"nearest two of {knobs.positions}",
        "unevenness (0: relative)",
        "said backwards, change",
        "who was killed, % right",
    ]
    rows = [
        [
            case,
            "turns, adds nothing" if case == "rotary" else mean_and_range(facts["size"], 1),
            mean_and_range(facts["nearest"], 3),
            mean_and_range(facts["unevenness"], 2),
            mean_and_range(facts["order"], 2),
            mean_and_range([100 * share for share in facts["who"]], 0),
        ]
        for case, facts in of.items()
    ]
    return Table(title="What positions are like", headers=headers, rows=rows)


def _by_length(knobs: PositionKnobs, of: Mapping[str, Mapping[str, list[list[float]]]]) -> Table:
    rows = [
        [
            case,
            *(mean_and_range([100 * share for share in shares], 0) for shares in zip(*facts["before"], strict=True)),
        ]
        for case, facts in of.items()
    ]
    title = f"The letter before, % right, by length; trained up to {knobs.train_length}"
    return Table(title=title, headers=["positions", *map(str, knobs.test_lengths)], rows=rows)


def _lengths(knobs: PositionKnobs, of: Mapping[str, Mapping[str, list[list[float]]]]) -> Lines:
    lengths = [float(length) for length in knobs.test_lengths]
    return Lines(
        name="by-length",
        title=f"The letter before, by length; trained up to {knobs.train_length}",
        x_label="letters in the text",
        y_label="share right",
        series=[series(case, lengths, facts["before"]) for case, facts in of.items()],
    )


def _counter(knobs: PositionKnobs) -> Lines:
    """How often each sine and each bit changes its side: both from fast to slow."""
    sines = positions_numpy.turns(positions_numpy.table("sinusoidal", knobs.positions, knobs.d_model)[:, ::2])
    bits = positions_numpy.turns(positions_numpy.counter(knobs.positions))

    def line(label: str, counts: list[int]) -> Series:
        across = [index / max(1, len(counts) - 1) for index in range(len(counts))]
        return Series(label=label, x=across, y=[float(count) for count in counts])

    return Lines(
        name="counter",
        title=f"Like the bits of a counter: changes of side in {knobs.positions} words",
        x_label="from the first dimension (or lowest bit) to the last",
        y_label="changes",
        series=[line("sines", sines), line("bits of a binary counter", bits)],
    )


EXPERIMENT = Positions()
