"""The largest log-probabilities of very many tokens: to look at all of them takes time, so that is done once.

A vocabulary is cut into blocks. The largest of all lie in the blocks whose own largest are largest: only these are
looked at again.
"""

import torch
from torch import Tensor

from dhyan.model import backends

BLOCK = 64  # entries of the vocabulary


def top_k(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` largest log-probabilities of each row, float32, and their ids.

    logits: (..., vocabulary) → (..., count) each.
    """
    found = backends.current.top_k(logits, count)
    return found or largest(logits.log_softmax(dim=-1, dtype=torch.float32), count)


def largest(x: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The same as `x.topk(count)`, but every number is looked at once, where topk goes over them many times."""
    blocks = x.shape[-1] // BLOCK
    if blocks <= 2 * count:
        found = x.topk(count)
        return found.values, found.indices
    full = x[..., : blocks * BLOCK].view(*x.shape[:-1], blocks, BLOCK)
    rest = x[..., blocks * BLOCK :]
    which = full.amax(dim=-1).topk(count).indices[..., None].expand(*x.shape[:-1], count, BLOCK)
    inside = torch.arange(BLOCK, device=x.device)
    beyond = torch.arange(blocks * BLOCK, x.shape[-1], device=x.device).expand(rest.shape)
    ids = torch.cat([(which * BLOCK + inside).flatten(-2), beyond], dim=-1)
    values, indices = torch.cat([full.gather(-2, which).flatten(-2), rest], dim=-1).topk(count)
    return values, ids.gather(-1, indices)
