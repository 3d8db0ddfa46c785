"""Word2Vec: skip-gram with negative sampling. One vector per word, learnt from the words around it.

It is here as a baseline. A batch shares its negatives, so that they are one matrix product; together they weigh as
much as `NEGATIVES` per pair.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress

WINDOW = 5  # words on each side at most; how many is drawn anew for each word, so that near ones count more
NEGATIVES = 5
SHARED_NEGATIVES = 256
MIN_COUNT = 5  # a rarer word is left out of a large text
LARGE_TEXT = 100_000  # words
VOCABULARY = 50_000
SUBSAMPLING = 1e-4  # words with a larger share of the text are dropped at random, the larger the oftener
EPOCHS = 5
CHUNK = 200_000  # words whose pairs are made and shuffled together
LEARNING_RATE = 5e-3
MIN_STEPS = 300

Ids = NDArray[np.int32]


def train_word2vec(
    sentences: Iterable[Sequence[str]], progress: Progress, device: torch.device, seed: int = 1
) -> tuple[list[str], NDArray[np.float32]]:
    """The words, the most frequent first, and (words, d) their vectors."""
    words, ids, sentence_ids, counts = _vocabulary(sentences)
    if len(words) < 2:
        raise DhyanError("there are too few words to learn vectors from; give more text.")
    d = 100 if len(ids) < 1_000_000 else 200
    draw = torch.Generator(device).manual_seed(seed)
    random = np.random.default_rng(seed)
    centre_table = ((torch.rand(len(words), d, generator=draw, device=device) - 0.5) / d).requires_grad_()
    context_table = torch.zeros(len(words), d, device=device, requires_grad=True)
    share = counts / counts.sum()
    keep = np.minimum(1.0, np.sqrt(SUBSAMPLING / share) + SUBSAMPLING / share)
    if len(ids) < LARGE_TEXT:  # every word of a small text makes up a large share of it
        keep = np.ones(len(words))
    weights = torch.from_numpy(counts**0.75).to(device)
    expected = float((keep * counts).sum()) * (WINDOW + 1)  # pairs per epoch, about
    batch = int(min(16_384, max(64, expected * EPOCHS / MIN_STEPS)))
    steps = max(1, int(expected * EPOCHS / batch))
    optimizer = torch.optim.Adam([centre_table, context_table], lr=LEARNING_RATE, fused=True)
    done = 0
    with progress.working("training word vectors", steps) as update:
        for centres, contexts in _batches(ids, sentence_ids, keep, random, batch):
            for group in optimizer.param_groups:
                group["lr"] = LEARNING_RATE * max(0.02, 1 - done / steps)
            negatives = torch.multinomial(weights, SHARED_NEGATIVES, replacement=True, generator=draw)
            centre = centre_table[torch.from_numpy(centres).to(device)]  # (pairs, d)
            context = context_table[torch.from_numpy(contexts).to(device)]  # (pairs, d)
            near = F.logsigmoid((centre * context).sum(dim=1)).sum()
            far = F.logsigmoid(-(centre @ context_table[negatives].T)).sum()  # of (pairs, negatives)
            loss = -(near + far * (NEGATIVES / SHARED_NEGATIVES)) / len(centres)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            done += 1
            if done % 20 == 0:
                update(min(done, steps), loss=f"{loss.item():.3f}")
    return words, centre_table.detach().cpu().numpy()


def _vocabulary(sentences: Iterable[Sequence[str]]) -> tuple[list[str], Ids, Ids, NDArray[np.float64]]:
    """The vocabulary, every known word of the text by number, the sentence it stands in, and how often each comes."""
    number: dict[str, int] = {}
    text, lengths = array("i"), array("i")
    for sentence in sentences:
        text.extend(number.setdefault(word, len(number)) for word in sentence)
        lengths.append(len(sentence))
    raw = np.frombuffer(text, dtype=np.int32) if text else np.empty(0, dtype=np.int32)
    sentence_ids = np.repeat(np.arange(len(lengths), dtype=np.int32), np.asarray(lengths, dtype=np.int64))
    counts = np.bincount(raw, minlength=len(number))
    least = MIN_COUNT if len(raw) >= LARGE_TEXT else 1
    order = np.argsort(-counts, kind="stable")[:VOCABULARY]
    order = order[counts[order] >= least]
    renumber = np.full(len(number), -1, dtype=np.int32)
    renumber[order] = np.arange(len(order), dtype=np.int32)
    known = renumber[raw] >= 0
    names = list(number)
    return [names[old] for old in order], renumber[raw][known], sentence_ids[known], counts[order].astype(np.float64)


def _batches(
    ids: Ids, sentence_ids: Ids, keep: NDArray[np.float64], random: np.random.Generator, batch: int
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Pairs of a word and one near it in the same sentence, shuffled chunk by chunk."""
    for _ in range(EPOCHS):
        drawn = random.random(len(ids)) < keep[ids]
        text, sentence = ids[drawn], sentence_ids[drawn]
        for begin in range(0, len(text), CHUNK):
            pairs = _pairs(text[begin : begin + CHUNK], sentence[begin : begin + CHUNK], random)
            pairs = pairs[random.permutation(len(pairs))]
            for first in range(0, len(pairs), batch):
                rows = pairs[first : first + batch].astype(np.int64)
                yield rows[:, 0], rows[:, 1]


def _pairs(text: Ids, sentence: Ids, random: np.random.Generator) -> NDArray[np.int32]:
    """(pairs, 2): each word with its neighbours, within the window that is drawn for it."""
    window = random.integers(1, WINDOW + 1, len(text))
    found = []
    for distance in range(1, min(WINDOW, len(text) - 1) + 1):
        same = sentence[:-distance] == sentence[distance:]
        left, right = text[:-distance], text[distance:]
        for centre, context, size in ((left, right, window[:-distance]), (right, left, window[distance:])):
            chosen = same & (size >= distance)
            found.append(np.stack([centre[chosen], context[chosen]], axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int32)
