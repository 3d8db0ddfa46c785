"""How surprised a model is by a text: by each next token, or by tokens that are masked."""

import math
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dhyan.core.errors import DhyanError
from dhyan.data.corpus import read_lines, read_text
from dhyan.engines.base import Engine
from dhyan.engines.batched_numpy import masked_logits
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
    special = pack.manifest.architecture.special
    if special.mask is None:
        raise DhyanError(f"{pack.folder} has no mask token; give it pairs (TSV) instead of plain text.")
    hidden_ids = special.ids | pack.tokenizer.special_ids
    logits_of = masked_logits(pack)
    window = pack.manifest.architecture.max_positions - len(special.around([]))
    loss, guesses, hits = 0.0, 0, 0
    lines = read_lines(files)
    while batch := list(islice(lines, BATCH_LINES)):
        encoded = pack.tokenizer.encode_batch([line.columns[0] for line in batch])
        rows = [ids[at : at + window] for ids in encoded for at in range(0, max(1, len(ids)), window)]
        masked = [
            [at for at, token in enumerate(row) if (at + number) % MASKED_EVERY == 3 and token not in hidden_ids]
            for number, row in enumerate(rows)
        ]
        right = np.array([row[at] for row, chosen in zip(rows, masked, strict=True) for at in chosen], dtype=np.intp)
        if not len(right):
            continue
        hidden = engine.encode(
            [_with_masks(row, chosen, special.mask) for row, chosen in zip(rows, masked, strict=True)]
        )
        front = len(special.source_prefix)
        states = np.concatenate([row[front:][chosen] for row, chosen in zip(hidden, masked, strict=True)])
        logits = logits_of(states)  # (guesses, vocabulary)
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


def _with_masks(ids: Sequence[int], chosen: Sequence[int], mask: int) -> list[int]:
    masked = list(ids)
    for at in chosen:
        masked[at] = mask
    return masked
