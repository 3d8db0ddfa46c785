"""What the axes of an array stand for: so that a table, a figure and the page label it alike."""

from dataclasses import dataclass, replace

from dhyan.core.errors import DhyanError
from dhyan.explain.address import Address
from dhyan.explain.analyses.head_alignment import alignment
from dhyan.explain.analyses.occlusion import occlude
from dhyan.explain.explanation import Explanation
from dhyan.explain.formulas import Array
from dhyan.explain.token_view import Tokens, Word, merge_columns, merge_rows
from dhyan.explain.trace import PER_HEAD, PER_HEAD_WEIGHTS

# The last axis of arrays that have one row per token and no heads.
FEATURES = {"widened": "d_ff", "hidden": "d_ff", "gate": "d_ff", "logits": "vocabulary", "probs": "vocabulary"}


@dataclass(frozen=True, slots=True)
class Axis:
    """name: source, target, predicting, head, layer, d_model, d_head, d_ff, vocabulary, label or size.

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
    axes = _axes_of_array(explanation, parsed.name, explanation.array(parsed.name).ndim)
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


def _axes_of_array(explanation: Explanation, name: str, dimensions: int) -> list[Axis]:
    stack, last = name.split(".")[0], name.rpartition(".")[2]
    source = _tokens("source", explanation.source)
    rows = source if stack == "enc" else _tokens("predicting", explanation.predicted)
    keys = source if stack == "enc" or ".cross." in name else _tokens("target", explanation.target)
    head = Axis("head", tuple(f"h{number}" for number in range(explanation.architecture.heads)))
    labels = Axis("label", tuple(explanation.pack.manifest.labels))
    if name in explanation.pack.weights:
        return _of_weights(last, dimensions, head)
    if name in ("occlusion", "alignment"):
        given = tuple(word for word in explanation.source.words if not word.special)
        written = (explanation.once(occlude) if name == "occlusion" else explanation.once(alignment)).target
        return [Axis("target", written), Axis("source", tuple(word.text for word in given))]
    if name.endswith("lens.probs"):
        layers = (
            explanation.architecture.decoder_layers if stack == "dec" else explanation.architecture.encoder_layers
        )
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
