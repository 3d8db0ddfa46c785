"""Which of several translations is nearest to a reference: by the tokens and short runs of tokens that they share.

The measure is sentence GLEU: of the runs of one to four tokens, the share that both have, of whichever has more.
All sentences are counted together, by sorting numbers that stand for runs, so that a GPU does a million in seconds.
"""

from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor

LONGEST_RUN = 4
SLICE = 5_000  # sentences counted at once
MIX = 6_364_136_223_846_793_005  # an odd 64-bit number; products that overflow scatter well


def nearest_of(
    candidates: Sequence[Sequence[Sequence[int]]], references: Sequence[Sequence[int]], device: torch.device
) -> list[int]:
    """For each reference, which of its candidates is nearest; the first of equals. All are lists of ids."""
    choices: list[int] = []
    for start in range(0, len(references), SLICE):
        some, guides = candidates[start : start + SLICE], references[start : start + SLICE]
        each = [len(group) for group in some]
        repeated = [guide for guide, count in zip(guides, each, strict=True) for _ in range(count)]
        scores = torch.split(gleu(list(chain.from_iterable(some)), repeated, device), each)
        choices += [int(group.argmax()) for group in scores]
    return choices


def gleu(texts: Sequence[Sequence[int]], references: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """(texts,): how near each is to its own reference, 0 to 1."""
    runs, owners = runs_of(texts, device)
    wanted, wanting = runs_of(references, device)
    names, which = torch.unique(torch.cat([runs, wanted]), return_inverse=True)
    here, there = which[: len(runs)], which[len(runs) :]
    shared = torch.minimum(here.bincount(minlength=len(names)), there.bincount(minlength=len(names)))
    # A run's number is made of its sentence's, too, so it has one owner.
    owner = torch.zeros_like(names).index_copy_(0, here, owners)
    found = torch.zeros(len(texts), device=device).index_add_(0, owner, shared.float())
    most = torch.maximum(owners.bincount(minlength=len(texts)), wanting.bincount(minlength=len(texts)))
    return (found / most.clamp(min=1)).cpu()


def runs_of(texts: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """A number for every run of one to four tokens, together with its sentence; and the sentences they are in."""
    ids = torch.tensor(list(chain.from_iterable(texts)), dtype=torch.long).to(device)
    lengths = torch.tensor([len(text) for text in texts], dtype=torch.long)
    sentence = torch.arange(len(texts)).repeat_interleave(lengths).to(device)
    runs, owners, run = [], [], sentence
    for length in range(1, LONGEST_RUN + 1):
        count = len(ids) - length + 1
        if count <= 0:
            break
        run = (run[:count] * MIX + ids[length - 1 :] + length) * MIX
        run = run ^ (run >> 29)
        within = sentence[:count] == sentence[length - 1 :]
        runs.append(run[within])
        owners.append(sentence[:count][within])
    nothing = torch.empty(0, dtype=torch.long, device=device)
    return torch.cat([nothing, *runs]), torch.cat([nothing, *owners])
