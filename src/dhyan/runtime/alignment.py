"""Which word comes from which: the cross-attention of one sentence and its translation, word by word."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dhyan.explain.formulas import Array
from dhyan.explain.reference import Reference
from dhyan.pack.pack import Pack
from dhyan.special import END, START
from dhyan.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Alignment:
    """Words of both sides, how much each target word looks at each source word, and the strongest link of each."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: Array  # (target words, source words): rows sum to at most 1, the rest went to the end mark
    links: tuple[tuple[int, int], ...]  # (source word, target word), in the target's order


def align(pack: Pack, source: str, target: str) -> Alignment:
    """The mean over all cross-attention heads: weights are not explanations, but here they are a fair guess."""
    if pack.source is None or pack.target is None:
        raise ValueError("an alignment has two sides")
    source_ids, target_ids = pack.source.encode(source), pack.target.encode(target)
    reference = Reference(pack.manifest.architecture, pack.weights)
    trace = reference.trace([*source_ids, END], [START, *target_ids])
    layers = range(pack.manifest.architecture.decoder_layers)
    mean = np.mean([trace[f"dec.{layer}.cross.weights"] for layer in layers], axis=(0, 1))  # (positions, pieces)
    # The row of START is what was looked at while predicting the first target piece, and so on.
    pieces = mean[: len(target_ids), : len(source_ids)]
    source_words, target_words = words_of(pack.source, source_ids), words_of(pack.target, target_ids)
    weights = by_words(pieces, [span for span, _ in target_words], [span for span, _ in source_words])
    links = tuple((int(row.argmax()), number) for number, row in enumerate(weights) if row.size)
    return Alignment(tuple(word for _, word in source_words), tuple(word for _, word in target_words), weights, links)


def words_of(tokenizer: Tokenizer, ids: Sequence[int]) -> list[tuple[range, str]]:
    """Each word with the pieces that it is made of. A piece that starts with a space starts a word."""
    starts = [place for place, number in enumerate(ids) if place == 0 or tokenizer.starts_word(number)]
    ends = [*starts[1:], len(ids)] if starts else []
    spans = [range(start, end) for start, end in zip(starts, ends, strict=True)]
    return [(span, tokenizer.decode([ids[place] for place in span]).strip()) for span in spans]


def by_words(weights: Array, rows: Sequence[range], columns: Sequence[range]) -> Array:
    """Attention *to* a word's pieces adds up, attention *from* them is averaged: so rows sum to what they did."""
    found = np.zeros((len(rows), len(columns)), dtype=weights.dtype)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            found[i, j] = weights[np.ix_(list(row), list(column))].sum(axis=1).mean()
    return found
