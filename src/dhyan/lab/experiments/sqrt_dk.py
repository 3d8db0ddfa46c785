"""Why scores are divided by √d_k: the law, what it does to softmax, and a model trained with and without."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.progress import Progress
from dhyan.lab.experiments import sqrt_dk_numpy as scores
from dhyan.lab.experiments.sqrt_dk_numpy import ScoreKnobs, by_size
from dhyan.lab.framework import fit as fitting
from dhyan.lab.framework import seed_stats
from dhyan.lab.framework.experiment import Experiment, Measured, Numbers, Result, Table
from dhyan.lab.framework.fit import fit, size_of
from dhyan.lab.framework.inputs import code_of
from dhyan.lab.framework.plots import Lines
from dhyan.model.architecture import Architecture, Variant
from dhyan.model.attention import ATTENTIONS, fused
from dhyan.model.masks import Mask
from dhyan.model.transformer import Transformer

SCALED, UNSCALED = "q·k / √d", "q·k"
LETTERS, FIRST_LETTER = 15, 5  # what stands before are the special tokens
ROWS, TESTED = 32, 256
LAW_HOLDS_WITHIN = 0.1  # of d: the seeds' mean of a variance


class SqrtDkKnobs(ScoreKnobs):
    d_head: int = Field(128, ge=2, le=1024, multiple_of=2, description="d_k of the one head of the trained model")
    length: int = Field(16, ge=2, le=64, description="letters of a word that the model learns to say backwards")
    steps: int = Field(300, ge=1, description="updates, of 32 words each")
    rates: list[float] = Field(
        [3e-4, 1e-3, 3e-3], min_length=1, description="learning rates tried; each way of scoring may take its best"
    )


def unscaled(query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, dropout: float) -> Tensor:
    """Attention as it would be without the division: the query is made larger by as much as it will be divided."""
    return fused(query * math.sqrt(query.shape[-1]), key, value, mask, dropout)


ATTENTIONS["unscaled"] = unscaled


class SqrtDk(Experiment[SqrtDkKnobs]):
    knobs = SqrtDkKnobs
    quick: ClassVar = {"steps": 120, "rates": [1e-3, 3e-3]}

    def cases(self, knobs: SqrtDkKnobs) -> list[str]:
        return ["law", "scaled", "unscaled"]

    def measure(self, knobs: SqrtDkKnobs, case: str, seed: int, report: Progress) -> Numbers:
        if case == "law":
            found = by_size(knobs, seed)
            return {
                UNSCALED: [asdict(plain) for plain, _ in found.values()],
                SCALED: [asdict(divided) for _, divided in found.values()],
            }
        runs = [_trained(knobs, case == "scaled", rate, seed, report) for rate in knobs.rates]
        return {"rates": runs, "parameters": runs[0].pop("parameters")}

    def conclude(self, knobs: SqrtDkKnobs, measured: Measured) -> Result:
        law = measured["law"]
        runs = {case: [_best(numbers) for numbers in measured[case]] for case in ("scaled", "unscaled")}
        best = {case: [run["area"] for run in of] for case, of in runs.items()}
        ratios = [seed_stats.mean(_of(law, UNSCALED, "variance", at)) / d for at, d in enumerate(knobs.sizes)]
        expected = knobs.variance**2
        law_holds = all(abs(ratio / expected - 1) < LAW_HOLDS_WITHIN for ratio in ratios)
        last = len(knobs.sizes) - 1
        entropy = {way: seed_stats.mean(_of(law, way, "entropy", last)) for way in (UNSCALED, SCALED)}
        gradient = {way: seed_stats.mean(_of(law, way, "gradient", last)) for way in (UNSCALED, SCALED)}
        saturates = entropy[UNSCALED] < 0.5 * entropy[SCALED] and gradient[UNSCALED] < gradient[SCALED]
        learns = max(best["scaled"]) < min(best["unscaled"])  # every seed, not only on average
        held = sum((law_holds, saturates, learns))
        return Result(
            verdict="held" if held == 3 else "held in part" if held else "did not hold",
            because=(
                f"the variance of q·k was {min(ratios):.2f} to {max(ratios):.2f} times d; at d = {knobs.sizes[last]},"
                f" undivided scores left softmax {entropy[UNSCALED]:.2f} of its largest entropy (divided:"
                f" {entropy[SCALED]:.2f}) and a gradient of {gradient[UNSCALED]:.2f} ({gradient[SCALED]:.2f});"
                f" trained with d_k = {knobs.d_head}, the mean loss was {seed_stats.mean(best['unscaled']):.2f}"
                f" ({seed_stats.mean(best['scaled']):.2f}){'' if learns else ', though not apart with every seed'}."
            ),
            fair=[
                f"both models have {measured['scaled'][0]['parameters']:,} parameters, start from the same weights,"
                f" see the same {knobs.steps} × {ROWS} words, and take the best rate of"
                f" {', '.join(f'{rate:g}' for rate in knobs.rates)}",
            ],
            tables=[_law_table(knobs, law), _training_table(knobs, runs)],
            plots=[
                _by_size(knobs, law, "variance", "variance of the scores", log=True),
                _by_size(knobs, law, "entropy", "entropy of softmax, share of the most"),
                _by_size(knobs, law, "gradient", "gradient of softmax, norm"),
                _curves(knobs, runs),
            ],
        )

    def rests_on(self, knobs: SqrtDkKnobs) -> str:
        return code_of(scores, fitting)


def _trained(knobs: SqrtDkKnobs, scaled: bool, rate: float, seed: int, report: Progress) -> Numbers:
    """One attention layer learns to say words backwards: position i has to find position n − 1 − i."""
    torch.manual_seed(seed)
    model = _model(knobs, Variant() if scaled else Variant(attention="unscaled"))
    draw = torch.Generator().manual_seed(seed)
    losses: list[float] = []

    def loss_of_batch() -> Tensor:
        words = torch.randint(FIRST_LETTER, FIRST_LETTER + LETTERS, (ROWS, knobs.length), generator=draw)
        loss = F.cross_entropy(_logits(model, words).flatten(0, 1), words.flip(1).flatten())
        losses.append(round(loss.item(), 4))
        return loss

    way = "with" if scaled else "without"
    fit(model, loss_of_batch, knobs.steps, rate, report, f"{way} √d, rate {rate:g}, seed {seed}")
    words = torch.randint(FIRST_LETTER, FIRST_LETTER + LETTERS, (TESTED, knobs.length), generator=draw)
    with torch.inference_mode():
        right = _logits(model, words).argmax(-1) == words.flip(1)
    return {
        "rate": rate,
        "losses": losses,
        "area": sum(losses) / len(losses),
        "accuracy": float(right.float().mean()),
        "parameters": size_of(model),
    }


def _model(knobs: SqrtDkKnobs, variant: Variant) -> Transformer:
    return Transformer(
        Architecture(
            shape="encoder",
            d_model=knobs.d_head,
            heads=1,
            d_ff=32,
            encoder_layers=1,
            positions="learned",
            max_positions=knobs.length,
            source_vocabulary=FIRST_LETTER + LETTERS,
        ),
        variant=variant,
    )


def _logits(model: Transformer, words: Tensor) -> Tensor:
    """(rows, length) → (rows, length, vocabulary): what the encoder says at each position."""
    hidden, _ = model.encode(words)
    return F.linear(hidden, model.encoder.E) / math.sqrt(model.architecture.d_model)  # starts at even guesses


def _best(numbers: Numbers) -> Numbers:
    """Of the rates tried, the one whose training went best."""
    best: Numbers = min(numbers["rates"], key=lambda run: run["area"])
    return best


def _of(law: Sequence[Numbers], way: str, fact: str, index: int) -> list[float]:
    """The seeds' values of a fact at one size."""
    return [numbers[way][index][fact] for numbers in law]


def _law_table(knobs: SqrtDkKnobs, law: Sequence[Numbers]) -> Table:
    facts = ("variance", "entropy", "largest", "gradient")
    rows = [
        [str(d), way, *(seed_stats.mean_and_range(_of(law, way, fact, index), 2) for fact in facts)]
        for index, d in enumerate(knobs.sizes)
        for way in (UNSCALED, SCALED)
    ]
    headers = ["d", "scores", "variance", "entropy (1: even)", "largest weight", "gradient"]
    return Table(title=f"Softmax over {knobs.keys} random keys", headers=headers, rows=rows)


def _training_table(knobs: SqrtDkKnobs, runs: Mapping[str, Sequence[Numbers]]) -> Table:
    rows = [
        [
            case,
            seed_stats.mean_and_range([run["area"] for run in of], 2),
            seed_stats.mean_and_range([run["losses"][-1] for run in of], 2),
            seed_stats.mean_and_range([100 * run["accuracy"] for run in of], 0),
            ", ".join(sorted({f"{run['rate']:g}" for run in of})),
        ]
        for case, of in runs.items()
    ]
    title = f"Words of {knobs.length} letters backwards: one head, d_k = {knobs.d_head}, {knobs.steps} updates"
    return Table(
        title=title, headers=["scores", "mean loss", "last loss", "letters right, %", "best rate"], rows=rows
    )


def _by_size(knobs: SqrtDkKnobs, law: Sequence[Numbers], fact: str, label: str, log: bool = False) -> Lines:
    sizes = [float(d) for d in knobs.sizes]
    lines = [
        seed_stats.series(way, sizes, [[one[fact] for one in numbers[way]] for numbers in law])
        for way in (UNSCALED, SCALED)
    ]
    title = f"{label[0].upper()}{label[1:]}, by size"
    return Lines(name=fact, title=title, x_label="d", y_label=label, series=lines, log_x=True, log_y=log)


def _curves(knobs: SqrtDkKnobs, runs: Mapping[str, Sequence[Numbers]]) -> Lines:
    steps = [float(step) for step in range(1, knobs.steps + 1)]
    lines = [seed_stats.series(case, steps, [run["losses"] for run in of]) for case, of in runs.items()]
    title = "The same model trained both ways"
    return Lines(name="training", title=title, x_label="update", y_label="loss", series=lines, log_y=False)


EXPERIMENT = SqrtDk()
