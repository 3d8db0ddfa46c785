"""Which given word a written word comes from, as cross-attention has it: the mean of all heads, or one head.

Attention weights are not explanations. So the best head is not chosen by its looks: each is compared with occlusion,
which is what hiding words really does, and the result says which was chosen and how well every head agrees.
"""

from dataclasses import dataclass

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.explain.analyses.occlusion import occlude
from dhyan.explain.explanation import Explanation, Question
from dhyan.explain.formulas import Array
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.pictures import word_links
from dhyan.explain.token_view import Tokens, merge_columns, merge_rows
from dhyan.explain.trace import Trace
from dhyan.pack.pack import Pack

MOST_ALIGNED = 1024  # tokens of either text: what attention computes grows with their square


class TooLongToAlign(DhyanError):
    """Whoever can do without the alignment goes on."""


class _CrossWeights(Trace):
    """Keeps what an alignment is made of, and not the many times as much that is computed on the way."""

    def record(self, name: str, array: Array) -> Array:
        return super().record(name, array) if name.endswith(".cross.weights") else array


@dataclass(frozen=True)
class Alignment:
    """weights[i, j]: how much target word i looks at source word j; the rest went to the end mark."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: Array  # (target words, source words): rows sum to at most 1
    links: tuple[tuple[int, int], ...]  # (source word, target word): where each target word looks most
    head: str = "mean"  # dec.1.cross.h3
    agreement: float | None = None  # of a head with occlusion: mean correlation over target words, 1 at most
    ranking: tuple[tuple[str, float], ...] = ()  # the heads that were compared, with their agreement, best first
    said: str = "the mean of all cross-attention heads"  # how the head was chosen, in words

    def _repr_svg_(self) -> str:
        return word_links(self.source, self.target, self.weights, self.said)


def alignment(explanation: Explanation, head: str = "best") -> Alignment:
    """head: "mean" of all, the "best" by agreement with occlusion, or one by name, such as dec.1.cross.h3."""
    a = explanation.architecture
    if not a.has_cross:
        raise DhyanError(
            f"an alignment links two texts, and {explanation.pack.folder.name} is"
            f" {'a decoder' if a.has_decoder else 'an encoder'} alone; look at occlusion instead."
        )
    heads = [address.removesuffix(".weights") for address in explanation.trace.heads("cross")]
    if head == "mean":
        layers = [explanation.array(f"dec.{layer}.cross.weights") for layer in range(a.decoder_layers)]
        return _linked(explanation, np.mean(layers, axis=(0, 1)))
    if head == "best":
        ranking = sorted(((one, agreement(explanation, one)) for one in heads), key=lambda one: -one[1])
        name, agreed = ranking[0]
        many = f"{len(heads)} cross-attention heads"
        said = f"{name} agrees best with occlusion (mean correlation {agreed:.2f}) of {many}"
        if sum(not word.special for word in explanation.source.words) < 2:
            said = (
                f"{name} is the first of {many}: where there is one word to look at, none agrees better than another"
            )
    elif head in heads:
        name, agreed = head, agreement(explanation, head)
        ranking = [(name, agreed)]
        said = f"{name} was asked for (mean correlation with occlusion {agreed:.2f})"
    else:
        raise DhyanError(f"'{head}' is no cross-attention head; they are {heads[0]} to {heads[-1]}.")
    return _linked(explanation, explanation[f"{name}.weights"], name, agreed, tuple(ranking), said)


def weights_of(explanation: Explanation, head: str) -> Alignment:
    """One head's links as they are, without a comparison with occlusion, which takes its time."""
    return _linked(explanation, explanation[f"{head}.weights"], head, said=f"{head} was asked for")


def align_texts(pack: Pack, source: str, target: str) -> Alignment:
    """The mean over all heads for a given pair of texts: nothing is searched for, nothing hidden."""
    if pack.source_tokenizer is None or pack.target_tokenizer is None:
        raise ValueError("an alignment has two sides")
    given, written = pack.source_tokenizer.encode(source), pack.target_tokenizer.encode(target)
    longest = max(len(given), len(written))
    if longest > MOST_ALIGNED:
        raise TooLongToAlign(
            f"a text of {longest:,} tokens is too long to be aligned; at most {MOST_ALIGNED:,}: give one sentence."
        )
    model = NumpyTransformer(pack.manifest.architecture, pack.weights)
    special = pack.manifest.architecture.special
    given = special.around(given)
    reads = [*special.begins_translation, *written]
    written = [*written, special.end]
    trace = _CrossWeights(pack.weights)
    model.decode_without_logits(trace, reads, model.encode(trace, given))
    explanation = Explanation(
        Question(source, target),
        pack,
        model,
        trace,
        source=Tokens.of(pack.source_tokenizer, given, source, len(special.source_prefix)),
        target=Tokens.of(pack.target_tokenizer, reads, before=len(special.begins_translation)),
        predicted=Tokens.of(
            pack.target_tokenizer, [*special.target_prefix, *written], before=len(special.target_prefix)
        ),
        written=Tokens.of(pack.target_tokenizer, written),
        first_row=len(special.target_prefix),
    )
    return alignment(explanation, head="mean")


def agreement(explanation: Explanation, head: str) -> float:
    """The mean, over target words, of the correlation between where they look and what hiding costs them."""
    weights = _by_words(explanation, explanation[f"{head}.weights"])  # (target words, source words)
    written = [number for number, word in enumerate(explanation.written.words) if not word.special]
    cost = -explanation.once(occlude).change[written]
    found = [_correlation(looks, costs) for looks, costs in zip(weights, cost, strict=True)]
    return float(np.mean(found)) if found else 0.0


def _linked(
    explanation: Explanation,
    weights: Array,  # (rows, source tokens)
    head: str = Alignment.head,
    agreed: float | None = None,
    ranking: tuple[tuple[str, float], ...] = (),
    said: str = Alignment.said,
) -> Alignment:
    merged = _by_words(explanation, weights)
    return Alignment(
        tuple(word.text for word in explanation.source.words if not word.special),
        tuple(word.text for word in explanation.written.words if not word.special),
        merged,
        tuple((int(row.argmax()), number) for number, row in enumerate(merged) if row.size),
        head,
        agreed,
        ranking,
        said,
    )


def _by_words(explanation: Explanation, weights: Array) -> Array:
    """(rows, source tokens) → (target words, source words), without the marks."""
    given = [word for word in explanation.source.words if not word.special]
    written = [word for word in explanation.written.words if not word.special]
    if not written or not given:
        return np.zeros((len(written), len(given)), dtype=weights.dtype)
    return merge_rows(merge_columns(weights[explanation.first_row :], given), written)


def _correlation(one: Array, other: Array) -> float:
    """Pearson's; 0 where one of them does not vary."""
    first, second = one - one.mean(), other - other.mean()
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / size if size > 0 else 0.0
