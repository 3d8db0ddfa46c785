"""Texts through a PyTorch model, in batches by tokens: for validation and evaluation."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from dhyan.model.decoding import Decoding
from dhyan.model.generate import generate
from dhyan.model.transformer import Transformer
from dhyan.special import END, PAD, START
from dhyan.text.tokenizer import Tokenizer

Progress = Callable[[int], None]
Ids = Sequence[int]


def rows_to_tensor(rows: Sequence[Ids], device: torch.device) -> Tensor:
    """(rows, longest) ids, padding at the right."""
    longest = max(len(ids) for ids in rows)
    matrix = np.full((len(rows), longest), PAD, dtype=np.int64)
    for number, ids in enumerate(rows):
        matrix[number, : len(ids)] = ids
    return torch.from_numpy(matrix).to(device)


def by_tokens(rows: Sequence[Ids], most: int) -> Iterable[list[int]]:
    """Row numbers in batches of at most `most` tokens, the longest rows first so that memory is asked for early."""
    order = sorted(range(len(rows)), key=lambda number: -len(rows[number]))
    begin = 0
    while begin < len(order):
        longest = max(1, len(rows[order[begin]]))
        count = max(1, most // longest)
        yield order[begin : begin + count]
        begin += count


@torch.inference_mode()
def translate_ids(
    model: Transformer,
    sources: Sequence[Ids],
    decoding: Decoding,
    batch_tokens: int = 4096,
    progress: Progress | None = None,
) -> list[list[int]]:
    """Each source's best translation. sources: ids with their end mark; results: ids without."""
    device = next(model.parameters()).device
    results: list[list[int]] = [[] for _ in sources]
    done = 0
    for numbers in by_tokens(sources, max(1, batch_tokens // decoding.beam)):
        source = rows_to_tensor([sources[number] for number in numbers], device)
        prompt = torch.full((len(numbers), 1), START, device=device)
        for number, found in zip(numbers, generate(model, decoding, source, prompt), strict=True):
            results[number] = found[0].ids if found else []
        done += len(numbers)
        if progress is not None:
            progress(done)
    return results


def translate(
    model: Transformer,
    source: Tokenizer,
    target: Tokenizer,
    texts: Sequence[str],
    decoding: Decoding,
    progress: Progress | None = None,
) -> list[str]:
    sources = [[*ids, END] for ids in source.encode_batch(list(texts))]
    translated = translate_ids(model, sources, decoding, progress=progress)
    return [text.strip() for text in target.decode_batch(translated)]


@torch.inference_mode()
def sentence_vectors(
    model: Transformer, tokenizer: Tokenizer, texts: Sequence[str], batch_tokens: int = 8192
) -> Tensor:
    """(texts, d_model): the mean over each text's tokens. A text longer than the window is read in windows."""
    device = next(model.parameters()).device
    room = model.architecture.max_positions - 1
    windows: list[list[int]] = []
    owners: list[int] = []
    for number, ids in enumerate(tokenizer.encode_batch(list(texts))):
        for begin in range(0, max(1, len(ids)), room):
            windows.append([*ids[begin : begin + room], END])
            owners.append(number)
    total = torch.zeros(len(texts), model.architecture.d_model, device=device)
    weight = torch.zeros(len(texts), 1, device=device)
    for numbers in by_tokens(windows, batch_tokens):
        pooled = model.pool(rows_to_tensor([windows[number] for number in numbers], device)).float()
        lengths = torch.tensor([[len(windows[number])] for number in numbers], dtype=torch.float32, device=device)
        owner = torch.tensor([owners[number] for number in numbers], device=device)
        total.index_add_(0, owner, pooled * lengths)
        weight.index_add_(0, owner, lengths)
    return total / weight
