"""What the axes of an array stand for: so that a table, a figure and the page label it alike."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dhyan.explain.address import Address
from dhyan.explain.token_view import Tokens, Word
from dhyan.explain.trace import PER_HEAD, PER_HEAD_WEIGHTS

if TYPE_CHECKING:
    from dhyan.explain.explanation import Explanation

# The last axis of arrays that have a row a token and no heads.
FEATURES = {"widened": "d_ff", "hidden": "d_ff", "gate": "d_ff", "logits": "vocabulary", "probs": "vocabulary"}


@dataclass(frozen=True, slots=True)
class Axis:
    """name: source, target, predicting, head, layer, d_model, d_head, d_ff, vocabulary, label or size.

    labels: one a place, None where they are only counted. words: how the places merge into words, for word mode.
    `predicting` is the decoder's rows: row t is computed while predicting the token that is its label.
    """

    name: str
    labels: tuple[str, ...] | None = None
    words: tuple[Word, ...] | None = None

    @property
    def word_labels(self) -> tuple[str, ...] | None:
        return None if self.words is None else tuple(word.text for word in self.words)


def axes_of(trace: Explanation, address: Address) -> tuple[Axis, ...]:
    """The axes of the array as the address cuts it."""
    array = trace.whole(address.name)
    axes = _whole(trace, address.name, array.ndim)
    if address.head is not None:  # its axis is gone
        axes = [axis for axis in axes if axis.name != "head"]
    left: list[Axis] = []
    for place, axis in enumerate(axes):
        cut = address.index[place] if place < len(address.index) else slice(None)
        if isinstance(cut, slice):
            whole = cut == slice(None)
            labels = axis.labels[cut] if axis.labels is not None else None
            left.append(axis if whole else replace(axis, labels=labels, words=None))
    return tuple(left)


def _whole(trace: Explanation, name: str, dimensions: int) -> list[Axis]:
    stack, last = name.split(".")[0], name.rpartition(".")[2]
    source = _tokens("source", trace.source)
    rows = source if stack == "enc" else _tokens("predicting", trace.predicted)
    keys = source if stack == "enc" or ".cross." in name else _tokens("target", trace.target)
    head = Axis("head", tuple(f"h{number}" for number in range(trace.architecture.heads)))
    labels = Axis("label", tuple(trace.explainer.pack.manifest.labels))
    if name in trace.explainer.pack.weights:
        return _of_weights(last, dimensions, head)
    if name in ("occlusion", "alignment"):
        given = tuple(word for word in trace.source.words if not word.special)
        lost = trace.occlusion.target if name == "occlusion" else trace.alignment.target
        return [Axis("target", tuple(lost)), Axis("source", tuple(word.text for word in given))]
    if name.endswith("lens.probs"):
        layers = trace.architecture.decoder_layers if stack == "dec" else trace.architecture.encoder_layers
        layer = Axis("layer", ("before", *(f"{stack}.{number}" for number in range(layers))))
        return [layer, labels] if stack == "enc" else [layer, rows, Axis("vocabulary")]
    if stack == "cls":
        return [labels]
    if stack == "mlm":
        return [source, Axis("vocabulary")]
    if name == "pool":
        return [Axis("d_model")]
    if last in ("scores", "scaled", "masked", "weights"):
        return [head, rows, keys]
    if last in PER_HEAD:
        size = "d_model" if last == "share" else "d_head"
        return [head, keys if last in ("key", "value", "turned_key") else rows, Axis(size)]
    features = Axis("vocabulary" if name.startswith("dec.out") else FEATURES.get(last, "d_model"))
    return [rows, features]


def _tokens(name: str, tokens: Tokens) -> Axis:
    return Axis(name, tuple(tokens.texts), tokens.words)


def _of_weights(last: str, dimensions: int, head: Axis) -> list[Axis]:
    if last == "W_O":
        return [Axis("d_model"), head, Axis("d_head")]
    if last in PER_HEAD_WEIGHTS:
        return [head, Axis("d_head"), Axis("d_model")][:dimensions]
    known = {"E": ["vocabulary", "d_model"], "P": ["position", "d_model"], "W_2": ["d_model", "d_ff"]}
    known |= {"W_1": ["d_ff", "d_model"], "W_G": ["d_ff", "d_model"], "b_1": ["d_ff"], "b_G": ["d_ff"]}
    names = known.get(last, ["d_model"] if dimensions == 1 else ["size"] * dimensions)
    return [Axis(name) for name in names]
