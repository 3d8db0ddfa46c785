"""The light experiments with their knobs, well under a second per call, without PyTorch: for the page or Python.

    from dhyan.lab.framework.live import LIVE, run_live
    knobs_of, _ = LIVE["sqrt-dk"]
    run_live("sqrt-dk", {"sizes": [16, 256], "keys": 8}, seed=1).plots

What they show is computed at the call; what needs a training stands in the experiments themselves.
"""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.explain.formulas import batch_norm, layer_norm
from dhyan.lab.experiments import norms_numpy, positions_numpy
from dhyan.lab.experiments.autoregressive_numpy import StepKnobs, differences, multiplications, work_plot
from dhyan.lab.experiments.norms_numpy import BATCH, LAYER, WAYS, PaddedKnobs
from dhyan.lab.experiments.positions_numpy import SCHEMES, EncodingKnobs
from dhyan.lab.experiments.sqrt_dk_numpy import Facts, ScoreKnobs, by_size
from dhyan.lab.framework.experiment import Knobs, Table
from dhyan.lab.framework.plots import Bar, Bars, HeatMap, Lines, Plot, Series
from dhyan.lab.framework.scales import short


class Live(BaseModel):
    """What the knobs make of it, now."""

    sentence: str = Field(description="the numbers that matter, with {names} for them: so that it can be translated")
    numbers: dict[str, str] = Field(description="name in the sentence → what stands there")
    tables: list[Table]
    plots: list[Annotated[Plot, Field(discriminator="kind")]]

    @property
    def says(self) -> str:
        return self.sentence.format_map(self.numbers)


def sqrt_dk(knobs: ScoreKnobs, seed: int = 0) -> Live:
    """Softmax of q·k and of q·k / √d over random keys, by size."""
    found = by_size(knobs, seed)
    size, (plain, divided) = list(found.items())[-1]
    rows = [
        [str(d), label, *map(short, (facts.variance, facts.entropy, facts.largest, facts.gradient))]
        for d, both in found.items()
        for label, facts in zip(("q·k", "q·k / √d"), both, strict=True)
    ]
    headers = ["d", "scores", "variance", "entropy (1: even)", "largest weight", "gradient"]

    def plot(name: str, label: str, value: Callable[[Facts], float], log: bool = False) -> Lines:
        series = [
            Series(label=way, x=[float(d) for d in found], y=[value(both[index]) for both in found.values()])
            for index, way in enumerate(("q·k", "q·k / √d"))
        ]
        return Lines(name=name, title=label, x_label="d", y_label=label, series=series, log_x=True, log_y=log)

    return Live(
        sentence=(
            "At d = {d} the variance of q·k is {variance}; softmax gives its largest weight {plain}, and {divided}"
            " once scores are divided by √d."
        ),
        numbers={
            "d": str(size),
            "variance": f"{plain.variance:,.1f}",
            "plain": f"{plain.largest:.0%}",
            "divided": f"{divided.largest:.0%}",
        },
        tables=[Table(title=f"Softmax over {knobs.keys} random keys", headers=headers, rows=rows)],
        plots=[
            plot("variance", "variance of the scores", lambda facts: facts.variance, log=True),
            plot("entropy", "entropy of softmax, share of the most", lambda facts: facts.entropy),
            plot("gradient", "gradient of softmax, norm", lambda facts: facts.gradient),
        ],
    )


def positions(knobs: EncodingKnobs, seed: int = 0) -> Live:
    """The picture, what each scheme is like, and a sentence said backwards."""
    order = {scheme: positions_numpy.word_order(scheme, knobs.words, knobs.d_model, seed) for scheme in SCHEMES}
    rows = [
        [
            scheme,
            f"{positions_numpy.size(scheme, knobs.positions, knobs.d_model, seed):.2f}",
            f"{positions_numpy.nearest(scheme, knobs.positions, knobs.d_model, seed):.3f}",
            f"{positions_numpy.unevenness(scheme, knobs.positions, knobs.d_model, seed):.2f}",
            f"{order[scheme]:.2f}",
        ]
        for scheme in SCHEMES
    ]
    headers = ["positions", "longest vector", "nearest two", "unevenness (0: relative)", "said backwards, change"]
    words = " ".join(knobs.words)
    backwards = " ".join(reversed(knobs.words))
    return Live(
        sentence=(
            "Without positions '{words}' and '{backwards}' give every word the same vector (change {without}); with"
            " sinusoidal ones they change by {with_sines}."
        ),
        numbers={
            "words": words,
            "backwards": backwards,
            "without": f"{order['none']:.0e}",
            "with_sines": f"{order['sinusoidal']:.0%}",
        },
        tables=[Table(title=f"{knobs.positions} positions, {knobs.d_model} dimensions", headers=headers, rows=rows)],
        plots=[
            positions_numpy.picture(knobs),
            HeatMap(
                name="counter",
                title="The same positions in binary, lowest bit first",
                row_label="word",
                column_label="bit",
                values=positions_numpy.counter(knobs.positions).tolist(),
            ),
            Bars(
                name="word-order",
                title=f"'{words}' said backwards",
                y_label="change of the words' vectors",
                groups=list(SCHEMES),
                series=["change"],
                bars=[[Bar(value=order[scheme])] for scheme in SCHEMES],
            ),
        ],
    )


def norms(knobs: PaddedKnobs, seed: int = 0) -> Live:
    """The same sentence beside longer and longer neighbours, after each norm; and the notes' table."""
    shares = [100 * norms_numpy.padding(knobs, length) for length in knobs.neighbour_lengths]
    moved = {way: norms_numpy.changes(knobs, way, seed) for way in WAYS}
    rows = [
        [f"{length} words", f"{share:.0f}%", *(f"{moved[way][index]:.3f}" for way in WAYS)]
        for index, (length, share) in enumerate(zip(knobs.neighbour_lengths, shares, strict=True))
    ]
    by_batch, by_layer = batch_norm(norms_numpy.NOTES, epsilon=0.0), layer_norm(norms_numpy.NOTES, epsilon=0.0)
    notes = [
        [", ".join(f"{value:.4g}".replace("-", "−") for value in values) for values in of]
        for of in zip(norms_numpy.NOTES, by_batch, by_layer, strict=True)
    ]
    return Live(
        sentence=(
            "Beside a sentence of {longest} words the same {length} words move by {batch} after batch norm and by"
            " {layer} after layer norm."
        ),
        numbers={
            "longest": str(knobs.neighbour_lengths[-1]),
            "length": str(knobs.length),
            "batch": f"{moved[BATCH][-1]:.2f}",
            "layer": f"{moved[LAYER][-1]:.2f}",
        },
        tables=[
            Table(
                title="How far a sentence's numbers move", headers=["longest beside it", "padding", *WAYS], rows=rows
            ),
            Table(title="The notes' table", headers=["z₁, z₂, z₃", "batch norm", "layer norm"], rows=notes),
        ],
        plots=[
            Lines(
                name="neighbours",
                title="The same sentence beside longer and longer neighbours",
                x_label="padding in the batch, %",
                y_label="mean change of its numbers",
                series=[Series(label=way, x=shares, y=list(moved[way])) for way in WAYS],
            )
        ],
    )


def autoregressive(knobs: StepKnobs, seed: int = 0) -> Live:
    """A random decoder word by word and all at once; the work that a cache saves."""
    found = differences(knobs, seed)
    plain, cached = (multiplications(knobs.length, knobs.d_model, knobs.layers, kept) for kept in (False, True))
    rows = [
        ["word by word, without a cache", f"{found['without a cache']:.1e}", f"{plain:,}"],
        ["word by word, with a cache", f"{found['with a cache']:.1e}", f"{cached:,}"],
        ["all at once, without the mask", f"{found['unmasked']:.1e}", ""],
    ]
    headers = ["the decoder", "largest difference from all at once", "multiplications"]
    doubled = [2**power for power in range(12) if 2**power < knobs.length]
    return Live(
        sentence=(
            "Word by word and all at once, no logit of {length} words differs by more than {difference}; a cache"
            " saves {saved} of the multiplications."
        ),
        numbers={
            "length": str(knobs.length),
            "difference": f"{max(found['without a cache'], found['with a cache']):.0e}",
            "saved": f"{1 - cached / plain:.0%}",
        },
        tables=[Table(title=f"A decoder writes {knobs.length} words", headers=headers, rows=rows)],
        plots=[work_plot([*doubled, knobs.length], knobs.d_model, knobs.layers)],
    )


LIVE: dict[str, tuple[type[Knobs], Callable[[Any, int], Live]]] = {
    "sqrt-dk": (ScoreKnobs, sqrt_dk),
    "positions": (EncodingKnobs, positions),
    "norms": (PaddedKnobs, norms),
    "autoregressive": (StepKnobs, autoregressive),
}


def run_live(name: str, values: dict[str, Any] | None = None, seed: int = 0) -> Live:
    """Turn the knobs of a light experiment. A wrong knob, or another experiment, is a DhyanError."""
    if name not in LIVE:
        raise DhyanError(f"'{name}' is not live{did_you_mean(name, LIVE)}; live are {', '.join(LIVE)}.")
    knobs, function = LIVE[name]
    return function(knobs.checked(values or {}, name), seed)
