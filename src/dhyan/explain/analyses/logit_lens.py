"""The logit lens: what the model would say if it stopped after an earlier layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.explain import formulas
from dhyan.explain.analyses.guesses import Guess, likeliest
from dhyan.explain.formulas import Array

if TYPE_CHECKING:
    from dhyan.explain.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What one layer would have said at one step; `chosen` is how likely it finds the token that came in the end."""

    layer: str  # "before", dec.0, dec.1, …
    guesses: tuple[Guess, ...]
    chosen: Guess
    rank: int  # of the chosen one: 0 is the likeliest


def streams(trace: Explanation, stack: str) -> list[Array]:
    """What runs between the layers: in front of the first, and behind each."""
    a = trace.architecture
    layers = a.encoder_layers if stack == "enc" else a.decoder_layers
    last = "added" if a.norm == "pre" else "normed"
    return [trace.whole(f"{stack}.input"), *(trace.whole(f"{stack}.{i}.ffn.{last}") for i in range(layers))]


def lens(trace: Explanation) -> Array:
    """(layers + 1, rows, vocabulary), or (layers + 1, labels) of a classifier: probabilities, layer by layer.

    The stream behind each layer goes through the last norm and the output at once; behind the last layer that is what
    the model does, so the last entry is the model's own.
    """
    model, w = trace.model, trace.model.weights
    if trace.architecture.has_decoder:
        found = [model.logits(model.settled("dec", x)) for x in streams(trace, "dec")]
    else:
        pooled = [model.settled("enc", x).mean(axis=0) for x in streams(trace, "enc")]
        found = [w["cls.W"] @ vector + w["cls.b"] for vector in pooled]
    return np.stack([formulas.softmax(logits) for logits in found])


def glimpses(trace: Explanation, top: int) -> tuple[tuple[Glimpse, ...], ...]:
    if not trace.architecture.has_decoder:
        raise DhyanError("the lens by step is for packs that write; an encoder's is trace['enc.lens.probs'].")
    probs = trace.whole("dec.lens.probs")  # (layers + 1, rows, vocabulary)
    layers = ["before", *(f"dec.{number}" for number in range(trace.architecture.decoder_layers))]

    def guess(layer: int, row: int, number: int) -> Guess:
        address = f"dec.lens.probs[{layer},{row},{number}]"
        return Guess(number, trace.piece(number), float(probs[layer, row, number]), address)

    found = []
    for step, token in enumerate(trace.written):
        row = trace.first_row + step
        of_step = []
        for number, name in enumerate(layers):
            here = probs[number, row]
            rank = int((here > here[token.id]).sum())
            guesses = tuple(guess(number, row, one) for one in likeliest(here, top))
            of_step.append(Glimpse(name, guesses, guess(number, row, token.id), rank))
        found.append(tuple(of_step))
    return tuple(found)
