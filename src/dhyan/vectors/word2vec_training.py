"""Word2Vec: skip-gram with negative sampling. One vector a word, learnt from the words around it.

Not a Transformer: a table, and the oldest of the ways to learn one. It is here to compare with. A batch shares its
negatives, so that they are one matrix product; each counts as its part of `NEGATIVES` a pair.
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
SHARED = 256
RARE = 5  # a word that comes less often is left out, where there is enough text
ENOUGH = 100_000  # words of text
MOST_WORDS = 50_000
FREQUENT = 1e-4  # words that make up a larger share are skipped at times: they tell little
EPOCHS = 5
CHUNK = 200_000  # words whose pairs are made and shuffled together
RATE = 5e-3
LEAST_STEPS = 300

Ids = NDArray[np.int32]


def learn_word_vectors(
    sentences: Iterable[Sequence[str]], reporter: Progress, device: torch.device, seed: int = 1
) -> tuple[list[str], NDArray[np.float32]]:
    """The words, the most frequent first, and (words, d) their vectors."""
    words, ids, owners, counts = _numbered(sentences)
    if len(words) < 2:
        raise DhyanError("there are too few words to learn vectors from; give more text.")
    d = 100 if len(ids) < 1_000_000 else 200
    draw = torch.Generator(device).manual_seed(seed)
    random = np.random.default_rng(seed)
    inside = ((torch.rand(len(words), d, generator=draw, device=device) - 0.5) / d).requires_grad_()
    outside = torch.zeros(len(words), d, device=device, requires_grad=True)
    share = counts / counts.sum()
    kept = np.minimum(1.0, np.sqrt(FREQUENT / share) + FREQUENT / share)
    if len(ids) < ENOUGH:  # every word of a small text makes up a large share of it
        kept = np.ones(len(words))
    weights = torch.from_numpy(counts**0.75).to(device)
    expected = float((kept * counts).sum()) * (WINDOW + 1)  # pairs an epoch, about
    batch = int(min(16_384, max(64, expected * EPOCHS / LEAST_STEPS)))
    steps = max(1, int(expected * EPOCHS / batch))
    optimizer = torch.optim.Adam([inside, outside], lr=RATE, fused=True)
    done = 0
    with reporter.working("learning word vectors", steps) as progress:
        for centres, contexts in _batches(ids, owners, kept, random, batch):
            for group in optimizer.param_groups:
                group["lr"] = RATE * max(0.02, 1 - done / steps)
            negatives = torch.multinomial(weights, SHARED, replacement=True, generator=draw)
            centre = inside[torch.from_numpy(centres).to(device)]  # (pairs, d)
            context = outside[torch.from_numpy(contexts).to(device)]  # (pairs, d)
            near = F.logsigmoid((centre * context).sum(dim=1)).sum()
            far = F.logsigmoid(-(centre @ outside[negatives].T)).sum() * (NEGATIVES / SHARED)  # (pairs, negatives)
            loss = -(near + far) / len(centres)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            done += 1
            if done % 20 == 0:
                progress(min(done, steps), loss=f"{loss.item():.3f}")
    return words, inside.detach().cpu().numpy()


def _numbered(sentences: Iterable[Sequence[str]]) -> tuple[list[str], Ids, Ids, NDArray[np.float64]]:
    """The vocabulary, every known word of the text by number, the sentence it stands in, and how often each comes."""
    number: dict[str, int] = {}
    text, lengths = array("i"), array("i")
    for sentence in sentences:
        text.extend(number.setdefault(word, len(number)) for word in sentence)
        lengths.append(len(sentence))
    raw = np.frombuffer(text, dtype=np.int32) if text else np.empty(0, dtype=np.int32)
    owners = np.repeat(np.arange(len(lengths), dtype=np.int32), np.asarray(lengths, dtype=np.int64))
    counts = np.bincount(raw, minlength=len(number))
    least = RARE if len(raw) >= ENOUGH else 1
    order = np.argsort(-counts, kind="stable")[:MOST_WORDS]
    order = order[counts[order] >= least]
    renumber = np.full(len(number), -1, dtype=np.int32)
    renumber[order] = np.arange(len(order), dtype=np.int32)
    known = renumber[raw] >= 0
    names = list(number)
    return [names[old] for old in order], renumber[raw][known], owners[known], counts[order].astype(np.float64)


def _batches(
    ids: Ids, owners: Ids, kept: NDArray[np.float64], random: np.random.Generator, batch: int
) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Pairs of a word and one near it in the same sentence, shuffled chunk by chunk."""
    for _ in range(EPOCHS):
        here = random.random(len(ids)) < kept[ids]
        text, sentence = ids[here], owners[here]
        for begin in range(0, len(text), CHUNK):
            pairs = _pairs(text[begin : begin + CHUNK], sentence[begin : begin + CHUNK], random)
            pairs = pairs[random.permutation(len(pairs))]
            for first in range(0, len(pairs), batch):
                rows = pairs[first : first + batch].astype(np.int64)
                yield rows[:, 0], rows[:, 1]


def _pairs(text: Ids, sentence: Ids, random: np.random.Generator) -> NDArray[np.int32]:
    """(pairs, 2): each word with its neighbours, as far as the window that is drawn for it reaches."""
    reach = random.integers(1, WINDOW + 1, len(text))
    found = []
    for distance in range(1, min(WINDOW, len(text) - 1) + 1):
        together = sentence[:-distance] == sentence[distance:]
        left, right = text[:-distance], text[distance:]
        for centre, context, reaches in ((left, right, reach[:-distance]), (right, left, reach[distance:])):
            chosen = together & (reaches >= distance)
            found.append(np.stack([centre[chosen], context[chosen]], axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), dtype=np.int32)
