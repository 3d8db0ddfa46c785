"""A word in its sentence: its vector at any layer of any encoder, be it a translator's."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dhyan.core.errors import DhyanError
from dhyan.engines.base import Engine, start_engine
from dhyan.engines.convert import Compute
from dhyan.pack.pack import Pack
from dhyan.text.tokenizer import Tokenizer
from dhyan.text.words import WordSpan
from dhyan.vectors.arrays import unit_rows


def encoder_of(pack: Pack, layers: int | None = None) -> Pack:
    """The encoder of a pack up to a layer, or all of it, as a pack of its own; its last norm follows that layer."""
    a = pack.manifest.architecture
    if not a.has_encoder or pack.source_tokenizer is None:
        raise DhyanError(f"{pack.folder} has no encoder, so it knows no word in its context; name another --model.")
    if layers is None:
        layers = a.encoder_layers
    if not 0 <= layers <= a.encoder_layers:
        raise DhyanError(f"--layer {layers}: this encoder has layers 1 to {a.encoder_layers}; 0 is before them.")
    if a.shape == "encoder" and layers == a.encoder_layers:
        return pack
    alone = {"shape": "encoder", "target_vocabulary": 0, "labels": 0, "masked_head": False}
    file = pack.manifest.tokenizers["source"]
    manifest = pack.manifest.model_copy(
        update={
            "name": f"{pack.manifest.name}-encoder-{layers}",  # a name of its own in the cache
            "task": "embed",
            "labels": [],
            "tokenizers": {"source": file},
            "architecture": a.model_copy(update={**alone, "encoder_layers": max(1, layers)}),
        }
    )
    return replace(pack, manifest=manifest, tokenizers={"source": pack.source_tokenizer}, is_part=True)


class WordEmbedder:
    """Words in their sentences → vectors, the mean over the word's pieces.

    Layer 0 is the pieces' own embedding, the same in every sentence; each layer adds more of the context.
    with_sentence: the mean over the whole sentence is appended, for what the sentence is about.
    """

    def __init__(
        self,
        pack: Pack,
        layer: int | None = None,
        compute: Compute = "float32",
        device: str = "cpu",
        threads: int = 0,
        with_sentence: bool = False,
    ) -> None:
        self.layer = pack.manifest.architecture.encoder_layers if layer is None else layer
        self.with_sentence = with_sentence
        self.pack = encoder_of(pack, self.layer)
        self.engine: Engine | None = start_engine(self.pack, device, compute, threads) if self.layer else None

    @property
    def width(self) -> int:
        return self.pack.manifest.architecture.d_model * (2 if self.with_sentence else 1)

    def __call__(self, texts: Sequence[str], spans: Sequence[WordSpan]) -> NDArray[np.float32]:
        """(texts, width), each of length 1. spans: where the word begins and ends in each text (in NFC)."""
        tokenizer = self.pack.tokenizer
        found = [pieces_at(tokenizer, text, span) for text, span in zip(texts, spans, strict=True)]
        special = self.pack.manifest.architecture.special
        most = self.pack.manifest.architecture.max_positions - len(special.around([]))
        windows = [window_around(len(ids), span, most) for ids, span in found]
        rows = [ids[first:last] for (ids, _), (first, last) in zip(found, windows, strict=True)]
        if self.engine is None:
            hidden = [self.pack.weights["enc.E"][ids] for ids in rows]
        else:
            hidden = self.engine.encode(rows)
        front = len(special.source_prefix) if self.engine is not None else 0
        words = [
            row[front + begin - first : front + end - first].mean(axis=0)
            for row, (_, (begin, end)), (first, _) in zip(hidden, found, windows, strict=True)
        ]
        vectors = unit_rows(np.stack(words))  # (texts, d_model)
        if not self.with_sentence:
            return vectors
        sentences = unit_rows(np.stack([row.mean(axis=0) for row in hidden]))
        return unit_rows(np.concatenate([vectors, sentences], axis=1))  # (texts, 2 d_model)


def pieces_at(tokenizer: Tokenizer, text: str, span: WordSpan) -> tuple[list[int], WordSpan]:
    """The text's ids, and which of them (from, up to) spell what stands at a span of it."""
    begin, end = span
    inside = [number for number, (first, last) in enumerate(tokenizer.spans(text)) if first < end and last > begin]
    if not inside:
        raise DhyanError(f"no piece of '{text}' stands at {begin}–{end}; name a word of the sentence.")
    return tokenizer.encode(text), (inside[0], inside[-1] + 1)


def window_around(length: int, span: WordSpan, most: int) -> WordSpan:
    """Which tokens of a text to read: all, or at most so many, with the word in the middle."""
    if length <= most:
        return 0, length
    first = (span[0] + span[1] - most) // 2
    first = min(max(0, first), length - most)
    return first, first + most
