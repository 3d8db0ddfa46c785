"""The likeliest of very many tokens: looking at all of them is what takes time, so that is done once.

A vocabulary is cut into stretches, and each tells its largest number first: the largest of all lie in those stretches
whose own largest are largest, and only these are looked at again.
"""

import torch
from torch import Tensor

from dhyan.model.fast.kernels import usable_without_gradient

STRETCH = 64  # entries of the vocabulary
STRETCHES_AT_ONCE = 64  # for a GPU


def likeliest(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The `count` largest log-probabilities of each row, float32, and their ids.

    logits: (..., vocabulary) → (..., count) each.
    """
    if usable_without_gradient(logits):
        return read_once(logits, count)
    return largest(logits.log_softmax(dim=-1, dtype=torch.float32), count)


def largest(x: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The same as `x.topk(count)`, but every number is looked at once, where topk goes over them many times."""
    stretches = x.shape[-1] // STRETCH
    if stretches <= 2 * count:
        found = x.topk(count)
        return found.values, found.indices
    whole = x[..., : stretches * STRETCH].view(*x.shape[:-1], stretches, STRETCH)
    rest = x[..., stretches * STRETCH :]
    which = whole.amax(dim=-1).topk(count).indices[..., None].expand(*x.shape[:-1], count, STRETCH)
    inside = torch.arange(STRETCH, device=x.device)
    beyond = torch.arange(stretches * STRETCH, x.shape[-1], device=x.device).expand(rest.shape)
    where = torch.cat([(which * STRETCH + inside).flatten(-2), beyond], dim=-1)
    values, place = torch.cat([whole.gather(-2, which).flatten(-2), rest], dim=-1).topk(count)
    return values, where.gather(-1, place)


def read_once(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """`likeliest` on a GPU: no log-probability is written down but those asked for.

    Softmax needs no more of a stretch than its largest logit and the sum of its exponentials. Of equals the lower id
    comes first.
    """
    from dhyan.model.fast.kernels.top_k import choose, sum_up

    rows, vocabulary = logits.flatten(0, -2), logits.shape[-1]
    rows = rows if rows.stride(-1) == 1 else rows.contiguous()
    stretches = -(-vocabulary // STRETCH)
    most = torch.empty(len(rows), stretches, device=rows.device)  # float32
    total = torch.empty_like(most)
    logprobs = torch.empty(len(rows), count, device=rows.device)
    ids = torch.empty(len(rows), count, dtype=torch.long, device=rows.device)
    sizes = (rows.stride(0), vocabulary, stretches)
    every = 1 << (stretches - 1).bit_length()  # a power of two
    with torch.cuda.device_of(rows):  # type: ignore[no-untyped-call]
        blocks = (len(rows), -(-stretches // STRETCHES_AT_ONCE))
        sum_up[blocks](rows, most, total, *sizes, STRETCH=STRETCH, AT_ONCE=STRETCHES_AT_ONCE, num_warps=4)
        warps = max(1, min(8, every // 1024))  # a row each, unless it is very long
        choose[(len(rows),)](
            rows, most, total, logprobs, ids, *sizes, count, STRETCH=STRETCH, EVERY=every, num_warps=warps
        )
    return logprobs.view(*logits.shape[:-1], count), ids.view(*logits.shape[:-1], count)
