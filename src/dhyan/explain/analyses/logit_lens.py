"""The logit lens: what the model would say if it stopped after an earlier layer."""

from dataclasses import dataclass

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.explain import formulas
from dhyan.explain.beam_trace import Guess, top_k
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.explain.label_scores import answer_address, label_answer
from dhyan.explain.trace import UNRECORDED


@dataclass(frozen=True, slots=True)
class LayerGuess:
    """What one layer would have said at one step; `chosen` is how likely it finds the token that came in the end."""

    layer: str  # "before", dec.0, dec.1, …
    guesses: tuple[Guess, ...]
    chosen: Guess
    rank: int  # of the chosen one: 0 is the most probable


def residual_stream(explanation: Explanation, stack: str) -> list[Array]:
    """The residual stream between the layers: before the first, and after each."""
    a = explanation.architecture
    layers = a.encoder_layers if stack == "enc" else a.decoder_layers
    last = "added" if a.norm == "pre" else "normed"
    return [
        explanation.array(f"{stack}.input"),
        *(explanation.array(f"{stack}.{i}.ffn.{last}") for i in range(layers)),
    ]


def logit_lens(explanation: Explanation) -> Array:
    """(layers + 1, rows, vocabulary), or (layers + 1, labels) of a classifier: probabilities, layer by layer.

    The residual stream after each layer goes straight to the last norm and the output layer. After the last layer
    that is what the model does, so the last entry is the model's own. Where a number is said, it is the number.
    """
    model, kind = explanation.model, explanation.label_kind
    if explanation.architecture.has_decoder:
        found = [model.logits(model.settled("dec", x)) for x in residual_stream(explanation, "dec")[:-1]]
        return np.stack([*map(formulas.softmax, found), explanation.array("dec.out.probs")])
    pooled = [model.pool(model.settled("enc", x)) for x in residual_stream(explanation, "enc")[:-1]]
    words = explanation.array("cls.words") if "cls.words" in explanation else np.float32(0)  # the same for all
    found = [model.label_logits(UNRECORDED, vector) + words for vector in pooled]
    return np.stack([*(label_answer(kind, logits) for logits in found), explanation.array(answer_address(kind))])


def lens_by_step(explanation: Explanation, top: int) -> tuple[tuple[LayerGuess, ...], ...]:
    """For each written token, what each layer would have said, the first layer first."""
    if not explanation.architecture.has_decoder:
        raise DhyanError("the lens by step is for packs that write; an encoder's is trace['enc.lens.probs'].")
    probs = explanation.array("dec.lens.probs")  # (layers + 1, rows, vocabulary)
    layers = ["before", *(f"dec.{number}" for number in range(explanation.architecture.decoder_layers))]

    def guess(layer: int, row: int, number: int) -> Guess:
        address = f"dec.lens.probs[{layer},{row},{number}]"
        return Guess(number, explanation.piece(number), float(probs[layer, row, number]), address)

    found = []
    for step, token in enumerate(explanation.written):
        row = explanation.first_row + step
        of_step = []
        for number, name in enumerate(layers):
            here = probs[number, row]
            rank = int((here > here[token.id]).sum())
            guesses = tuple(guess(number, row, one) for one in top_k(here, top))
            of_step.append(LayerGuess(name, guesses, guess(number, row, token.id), rank))
        found.append(tuple(of_step))
    return tuple(found)
