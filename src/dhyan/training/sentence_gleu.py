"""Sentence GLEU: which of several translations is closest to a reference, by shared n-grams of one to four tokens.

GLEU is the number of n-grams that both have, divided by the n-grams of whichever has more. All sentences are counted
together, by sorting hashes of n-grams, so that a GPU does a million in seconds.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

LONGEST_NGRAM = 4
SLICE = 5_000  # sentences counted at once
MULTIPLIER = 6_364_136_223_846_793_005  # an odd 64-bit number; products that overflow scatter well

Ids = Sequence[int]


class Sequences(NamedTuple):
    """Many token sequences, end to end."""

    ids: Tensor  # (tokens,)
    lengths: Tensor  # (sequences,)

    @classmethod
    def of(cls, sequences: Sequence[Ids], device: torch.device) -> "Sequences":
        lengths = np.fromiter(map(len, sequences), np.int64, len(sequences))
        ids = np.fromiter(chain.from_iterable(sequences), np.int64, int(lengths.sum()))
        return cls(torch.from_numpy(ids).to(device), torch.from_numpy(lengths).to(device))

    def __len__(self) -> int:
        return len(self.lengths)

    def repeated(self, times: Tensor) -> "Sequences":
        """Each sequence so many times, one behind the other. times: (sequences,)."""
        which = torch.repeat_interleave(times)
        lengths = self.lengths[which]
        shift = (self.lengths.cumsum(0) - self.lengths)[which] - (lengths.cumsum(0) - lengths)
        at = torch.arange(int(lengths.sum()), device=self.ids.device) + shift.repeat_interleave(lengths)
        return Sequences(self.ids[at], lengths)

    def ngrams(self) -> tuple[Tensor, Tensor]:
        """A hash of every n-gram together with the number of its sequence; and those numbers."""
        ids, sequence = self.ids, torch.repeat_interleave(self.lengths)
        hashes, sequences, ngram = [], [], sequence
        for length in range(1, LONGEST_NGRAM + 1):
            count = len(ids) - length + 1
            if count <= 0:
                break
            ngram = (ngram[:count] * MULTIPLIER + ids[length - 1 :] + length) * MULTIPLIER
            ngram = ngram ^ (ngram >> 29)
            within = sequence[:count] == sequence[length - 1 :]
            hashes.append(ngram[within])
            sequences.append(sequence[:count][within])
        nothing = ids[:0]
        return torch.cat([nothing, *hashes]), torch.cat([nothing, *sequences])


def closest_candidates(
    candidates: Sequence[Sequence[Ids]], references: Sequence[Ids], device: torch.device
) -> list[int]:
    """For each reference, the index of its closest candidate; the first of equals."""
    choices: list[int] = []
    for start in range(0, len(references), SLICE):
        some, wanted = candidates[start : start + SLICE], references[start : start + SLICE]
        counts = torch.tensor([len(group) for group in some], device=device)
        sequences = Sequences.of(list(chain.from_iterable(some)), device)
        scores = gleu(sequences, Sequences.of(wanted, device).repeated(counts))
        exists = torch.arange(int(counts.max()), device=device) < counts[:, None]  # (references, most candidates)
        choices += torch.full(exists.shape, -1.0, device=device).masked_scatter_(exists, scores).argmax(1).tolist()
    return choices


def gleu(sequences: Sequences, references: Sequences) -> Tensor:
    """(sequences,): the GLEU of each with its own reference, 0 to 1."""
    hashes, sequence_of = sequences.ngrams()
    reference_hashes, reference_of = references.ngrams()
    unique, which = torch.unique(torch.cat([hashes, reference_hashes]), return_inverse=True)
    here, there = which[: len(hashes)], which[len(hashes) :]
    shared = torch.minimum(here.bincount(minlength=len(unique)), there.bincount(minlength=len(unique)))
    # A hash includes the number of its sequence, so it belongs to one alone.
    belongs_to = torch.zeros_like(unique).index_copy_(0, here, sequence_of)
    found = torch.zeros(len(sequences), device=hashes.device).index_add_(0, belongs_to, shared.float())
    count = len(sequences)
    most = torch.maximum(sequence_of.bincount(minlength=count), reference_of.bincount(minlength=count))
    return found / most.clamp(min=1)
