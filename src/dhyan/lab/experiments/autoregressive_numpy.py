"""A decoder word by word and all at once, in NumPy: the same logits, and what a cache of keys and values saves."""

import numpy as np
from pydantic import Field

from dhyan.core.special_tokens import START
from dhyan.explain.formulas import Array
from dhyan.explain.key_value_cache import KeyValueCache
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.trace import Trace
from dhyan.lab.framework.experiment import Knobs
from dhyan.lab.framework.plots import Lines, Series
from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_shapes

VOCABULARY = 50


class StepKnobs(Knobs):
    length: int = Field(12, ge=1, le=48, description="words written")
    d_model: int = Field(32, ge=4, le=64, multiple_of=4, description="size of the model; it has 2 heads")
    layers: int = Field(2, ge=1, le=4, description="decoder blocks")


def decoder(knobs: StepKnobs, seed: int) -> NumpyTransformer:
    """A decoder of random weights: what is to be shown holds for any."""
    architecture = Architecture(
        shape="decoder",
        d_model=knobs.d_model,
        heads=2,
        d_ff=2 * knobs.d_model,
        decoder_layers=knobs.layers,
        target_vocabulary=VOCABULARY,
    )
    draw = np.random.default_rng(seed)
    weights = {
        name: np.ones(shape) if name.endswith("gamma") else draw.normal(scale=knobs.d_model**-0.5, size=shape)
        for name, shape in parameter_shapes(architecture).items()
    }
    return NumpyTransformer(architecture, weights)


def differences(knobs: StepKnobs, seed: int) -> dict[str, float]:
    """The largest difference of any logit between all words at once and word by word, without and with a cache.

    `unmasked` is the same turned round: how far the logits of all words at once move when the mask is taken away.
    """
    model = decoder(knobs, seed)
    ids = [START, *np.random.default_rng([seed, 1]).integers(5, VOCABULARY, size=knobs.length - 1).tolist()]
    together = model.decode(Trace(), ids, None)  # (positions, vocabulary)
    grown = np.stack([model.decode(Trace(), ids[: end + 1], None)[-1] for end in range(len(ids))])
    cache = KeyValueCache()
    cached = np.stack([model.step(cache, np.array([[one]]), None)[0] for one in ids])
    x = model.embed(Trace(), "dec", ids, model.embedding)
    everything = np.ones((len(ids), len(ids)), dtype=bool)
    unmasked = model.logits(model.through_decoder(Trace(), x, None, everything))
    return {
        "without a cache": _largest(together, grown),
        "with a cache": _largest(together, cached),
        "unmasked": _largest(together[:-1], unmasked[:-1]),
    }


def multiplications(length: int, d_model: int, layers: int, cached: bool, d_ff: int | None = None) -> int:
    """To write `length` words: a decoder's projections, feed-forward and attention, counted."""
    a_word = 4 * d_model**2 + 2 * d_model * (d_ff or 4 * d_model)  # W_Q, W_K, W_V, W_O; W_1, W_2
    if cached:  # step n: one new word, which looks at n keys
        return layers * sum(a_word + 2 * d_model * seen for seen in range(1, length + 1))
    return layers * sum(seen * (a_word + 2 * d_model * seen) for seen in range(1, length + 1))


def work_plot(lengths: list[int], d_model: int, layers: int) -> Lines:
    """Multiplications to write so many words: counted, not timed."""
    across = [float(length) for length in lengths]

    def line(label: str, cached: bool) -> Series:
        counts = [float(multiplications(length, d_model, layers, cached)) for length in lengths]
        return Series(label=label, x=across, y=list(counts))

    return Lines(
        name="work",
        title="Multiplications to write a sentence",
        x_label="words",
        y_label="multiplications",
        series=[line("with a cache", True), line("without a cache", False)],
        log_x=True,
        log_y=True,
    )


def _largest(one: Array, other: Array) -> float:
    return float(np.abs(one - other).max()) if one.size else 0.0
