"""Which of several translations is nearest to a reference: by the tokens and short runs of tokens that they share.

The measure is sentence GLEU: of the runs of one to four tokens, the share that both have, of whichever has more.
All sentences are counted together, by sorting numbers that stand for runs, so that a GPU does a million in seconds.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

LONGEST_RUN = 4
SLICE = 5_000  # sentences counted at once
MIX = 6_364_136_223_846_793_005  # an odd 64-bit number; products that overflow scatter well

Ids = Sequence[int]


class Texts(NamedTuple):
    """Many texts, end to end."""

    ids: Tensor  # (tokens,)
    lengths: Tensor  # (texts,)

    @classmethod
    def of(cls, texts: Sequence[Ids], device: torch.device) -> "Texts":
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        ids = np.fromiter(chain.from_iterable(texts), np.int64, int(lengths.sum()))
        return cls(torch.from_numpy(ids).to(device), torch.from_numpy(lengths).to(device))

    def __len__(self) -> int:
        return len(self.lengths)

    def repeated(self, times: Tensor) -> "Texts":
        """Each text so many times, one behind the other. times: (texts,)."""
        which = torch.repeat_interleave(times)
        lengths = self.lengths[which]
        shift = (self.lengths.cumsum(0) - self.lengths)[which] - (lengths.cumsum(0) - lengths)
        at = torch.arange(int(lengths.sum()), device=self.ids.device) + shift.repeat_interleave(lengths)
        return Texts(self.ids[at], lengths)

    def runs(self) -> tuple[Tensor, Tensor]:
        """A number for every run of one to four tokens, together with its text; and the texts they are in."""
        ids, text = self.ids, torch.repeat_interleave(self.lengths)
        runs, owners, run = [], [], text
        for length in range(1, LONGEST_RUN + 1):
            count = len(ids) - length + 1
            if count <= 0:
                break
            run = (run[:count] * MIX + ids[length - 1 :] + length) * MIX
            run = run ^ (run >> 29)
            within = text[:count] == text[length - 1 :]
            runs.append(run[within])
            owners.append(text[:count][within])
        nothing = ids[:0]
        return torch.cat([nothing, *runs]), torch.cat([nothing, *owners])


def nearest_of(candidates: Sequence[Sequence[Ids]], references: Sequence[Ids], device: torch.device) -> list[int]:
    """For each reference, which of its candidates is nearest; the first of equals. All are lists of ids."""
    choices: list[int] = []
    for start in range(0, len(references), SLICE):
        some, guides = candidates[start : start + SLICE], references[start : start + SLICE]
        each = torch.tensor([len(group) for group in some], device=device)
        texts = Texts.of(list(chain.from_iterable(some)), device)
        scores = gleu(texts, Texts.of(guides, device).repeated(each))
        is_there = torch.arange(int(each.max()), device=device) < each[:, None]  # (references, most candidates)
        choices += (
            torch.full(is_there.shape, -1.0, device=device).masked_scatter_(is_there, scores).argmax(1).tolist()
        )
    return choices


def gleu(texts: Texts, references: Texts) -> Tensor:
    """(texts,): how near each is to its own reference, 0 to 1."""
    runs, owners = texts.runs()
    wanted, wanting = references.runs()
    names, which = torch.unique(torch.cat([runs, wanted]), return_inverse=True)
    here, there = which[: len(runs)], which[len(runs) :]
    shared = torch.minimum(here.bincount(minlength=len(names)), there.bincount(minlength=len(names)))
    # A run's number is made of its text's, too, so it has one owner.
    owner = torch.zeros_like(names).index_copy_(0, here, owners)
    found = torch.zeros(len(texts), device=runs.device).index_add_(0, owner, shared.float())
    most = torch.maximum(owners.bincount(minlength=len(texts)), wanting.bincount(minlength=len(texts)))
    return found / most.clamp(min=1)
