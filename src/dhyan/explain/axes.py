"""What the axes of an array stand for: so that a table, a figure and the page label it alike."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dhyan.core.errors import DhyanError
from dhyan.explain.address import Address
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.occlusion import occlude
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.explain.layout import axis_names, axis_names_of_weights
from dhyan.explain.token_view import Word, merge_columns, merge_rows


@dataclass(frozen=True, slots=True)
class Axis:
    """name: source, target, predicting, head, layer, d_model, d_head, d_ff, vocabulary, label, word (that the words
    head knows of the text), known_word (that it knows at all) or size.

    labels: one per index, None where they are only counted. words: how the indices merge into words, for word mode.
    `predicting` is the decoder's rows: row t is computed while predicting the token that is its label.
    """

    name: str
    labels: tuple[str, ...] | None = None
    words: tuple[Word, ...] | None = None

    @property
    def word_labels(self) -> tuple[str, ...] | None:
        return None if self.words is None else tuple(word.text for word in self.words)


def axes_of(explanation: Explanation, address: str) -> tuple[Axis, ...]:
    """What each axis of `explanation[address]` stands for, with a label for each index where there is one."""
    parsed = Address.parse(address)
    axes = _axes_of_array(explanation, parsed.name, explanation.array(parsed.name).shape)
    if parsed.head is not None:  # its axis is gone
        axes = [axis for axis in axes if axis.name != "head"]
    left: list[Axis] = []
    for number, axis in enumerate(axes):
        cut = parsed.index[number] if number < len(parsed.index) else slice(None)
        if isinstance(cut, slice):
            labels = axis.labels[cut] if axis.labels is not None else None
            left.append(axis if cut == slice(None) else replace(axis, labels=labels, words=None))
    return tuple(left)


def by_words(explanation: Explanation, address: str) -> Array:
    """Word mode: the pieces of each word merged. What goes *to* pieces adds up, what comes *from* them is averaged,
    so rows of attention still sum to 1. Row and column names are the words of `axes_of(explanation, address)`."""
    array, axes = explanation[address], axes_of(explanation, address)
    if len(axes) < 1 or axes[-1].words is None:
        raise DhyanError(f"'{address}' has no tokens side by side to merge into words; try one of its weights.")
    array = merge_columns(array, axes[-1].words)
    if len(axes) > 1 and axes[-2].words is not None:
        array = merge_rows(array, axes[-2].words)
    return array


def _axes_of_array(explanation: Explanation, name: str, shape: Sequence[int]) -> list[Axis]:
    if name in ("occlusion", "alignment"):  # of words, not of pieces
        given = tuple(word.text for word in explanation.source.words if not word.special)
        written = (explanation.once(occlude) if name == "occlusion" else explanation.once(alignment)).target
        return [Axis("target", written), Axis("source", given)]
    is_learnt = name in explanation.model.weights
    names = axis_names_of_weights(name, len(shape)) if is_learnt else axis_names(name)
    return [_axis(explanation, name, axis, size) for axis, size in zip(names, shape, strict=True)]


def _axis(explanation: Explanation, array: str, name: str, size: int) -> Axis:
    a = explanation.architecture
    if name in ("source", "target", "predicting"):
        tokens = {"source": explanation.source, "target": explanation.target, "predicting": explanation.predicted}[
            name
        ]
        return Axis(name, tuple(tokens.texts), tokens.words)
    if name == "head":
        shared_by = a.heads // size  # of keys and values that several heads have in common
        of_several = (f"h{first}–h{first + shared_by - 1}" for first in range(0, a.heads, shared_by))
        return Axis(name, tuple(of_several if shared_by > 1 else (f"h{number}" for number in range(size))))
    if name == "label":
        return Axis(name, tuple(explanation.pack.manifest.labels))
    if name == "word":
        return Axis(name, explanation.model.words.words if explanation.model.words else None)
    if name == "known_word":
        return Axis(name, tuple(explanation.pack.words_head.column) if explanation.pack.words_head else None)
    if name == "layer":
        stack, layers = ("enc", a.encoder_layers) if array.startswith("enc") else ("dec", a.decoder_layers)
        return Axis(name, ("before", *(f"{stack}.{number}" for number in range(layers))))
    return Axis(name)
