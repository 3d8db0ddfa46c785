"""How surprised a model is by a text: by each next token, or by tokens that are masked."""

import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import MASK, SPECIAL
from dhyan.data.corpus import read_lines, read_text
from dhyan.engines.base import Engine
from dhyan.pack.pack import Pack

BATCH_TOKENS = 16_384
BATCH_LINES = 64
MASKED_EVERY = 7


def perplexity(pack: Pack, engine: Engine, files: Sequence[Path]) -> dict[str, Any]:
    """e to the mean loss per token: among how many tokens the model is torn, on average. Also bits per character.

    A text is read in windows, each from its own beginning.
    """
    window = pack.manifest.architecture.max_positions
    loss, tokens, characters = 0.0, 0, 0
    for text in read_text(files):
        ids = pack.tokenizer.encode(text)
        rows = [ids[begin : begin + window] for begin in range(0, len(ids), window)]
        at_once = max(1, BATCH_TOKENS // window)
        for begin in range(0, len(rows), at_once):
            found = engine.log_probabilities(None, rows[begin : begin + at_once], with_end=False)
            loss -= sum(float(row.sum(dtype=np.float64)) for row in found)
        tokens += len(ids)
        characters += len(text)
    mean = loss / max(1, tokens)
    return {
        "tokens": tokens,
        "loss": mean,
        "perplexity": math.exp(mean),
        "bits_per_character": loss / math.log(2) / max(1, characters),
        "window": window,
        "outputs": [],
    }


def masked_perplexity(pack: Pack, engine: Engine, files: Sequence[Path]) -> dict[str, Any]:
    """Every seventh token is masked, beginning at another one in each row: the same tokens for every model."""
    if not pack.manifest.architecture.masked_head:
        raise DhyanError(f"{pack.folder} cannot fill in masked tokens; give it pairs (TSV) instead of plain text.")
    embedding, bias = pack.weights["enc.E"], pack.weights["mlm.b"]  # (vocabulary, d_model), (vocabulary,)
    window = pack.manifest.architecture.max_positions - 1
    loss, guesses, hits = 0.0, 0, 0
    lines = read_lines(files)
    while batch := list(islice(lines, BATCH_LINES)):
        encoded = pack.tokenizer.encode_batch([line.columns[0] for line in batch])
        rows = [ids[at : at + window] for ids in encoded for at in range(0, max(1, len(ids)), window)]
        masked = [
            [at for at, token in enumerate(row) if (at + number) % MASKED_EVERY == 3 and token >= len(SPECIAL)]
            for number, row in enumerate(rows)
        ]
        right = np.array([row[at] for row, chosen in zip(rows, masked, strict=True) for at in chosen], dtype=np.intp)
        if not len(right):
            continue
        hidden = engine.encode([_with_masks(row, chosen) for row, chosen in zip(rows, masked, strict=True)])
        states = np.concatenate([row[chosen] for row, chosen in zip(hidden, masked, strict=True)])
        logits = states @ embedding.T + bias  # (guesses, vocabulary)
        log_sum = np.logaddexp.reduce(logits, axis=1)
        loss += float((log_sum - logits[np.arange(len(right)), right]).sum(dtype=np.float64))
        guesses += len(right)
        hits += int((logits.argmax(axis=1) == right).sum())
    mean = loss / max(1, guesses)
    return {
        "tokens": guesses,
        "loss": mean,
        "perplexity": math.exp(mean),
        "accuracy": hits / max(1, guesses),
        "outputs": [],
    }


def _with_masks(ids: Sequence[int], chosen: Sequence[int]) -> list[int]:
    masked = list(ids)
    for at in chosen:
        masked[at] = MASK
    return masked
