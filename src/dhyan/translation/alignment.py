"""Which word comes from which: the cross-attention of one sentence and its translation, word by word."""

from dataclasses import dataclass

import numpy as np

from dhyan.core.special_tokens import END, START
from dhyan.explain.formulas import Array
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.explain.token_view import Tokens, merge_columns, merge_rows
from dhyan.pack.pack import Pack


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
    model = NumpyTransformer(pack.manifest.architecture, pack.weights)
    trace = model.trace([*source_ids, END], [START, *target_ids])
    layers = range(pack.manifest.architecture.decoder_layers)
    mean = np.mean([trace[f"dec.{layer}.cross.weights"] for layer in layers], axis=(0, 1))  # (positions, pieces)
    # The row of START is what was looked at while predicting the first target piece, and so on.
    pieces = mean[: len(target_ids), : len(source_ids)]
    source_words = Tokens.of(pack.source, source_ids).words
    target_words = Tokens.of(pack.target, target_ids).words
    weights = np.zeros((len(target_words), len(source_words)), dtype=pieces.dtype)
    if weights.size:
        weights = merge_rows(merge_columns(pieces, source_words), target_words)
    links = tuple((int(row.argmax()), number) for number, row in enumerate(weights) if row.size)
    return Alignment(
        tuple(word.text for word in source_words), tuple(word.text for word in target_words), weights, links
    )
