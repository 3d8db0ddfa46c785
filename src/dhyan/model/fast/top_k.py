"""The largest log-probabilities on a GPU: no log-probability is written down but those asked for.

Softmax needs no more of a block than its largest logit and the sum of its exponentials. Of equals the lower id comes
first.
"""

import torch
from torch import Tensor

BLOCK = 64  # entries of the vocabulary
BLOCKS_PER_PROGRAM = 64


def top_k(logits: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """logits: (..., vocabulary) → (..., count) each: log-probabilities, float32, and ids."""
    from dhyan.model.fast.kernels.top_k import choose, sum_up

    rows, vocabulary = logits.flatten(0, -2), logits.shape[-1]
    rows = rows if rows.stride(-1) == 1 else rows.contiguous()
    blocks = -(-vocabulary // BLOCK)
    most = torch.empty(len(rows), blocks, device=rows.device)  # float32
    total = torch.empty_like(most)
    logprobs = torch.empty(len(rows), count, device=rows.device)
    ids = torch.empty(len(rows), count, dtype=torch.long, device=rows.device)
    sizes = (rows.stride(0), vocabulary, blocks)
    every = 1 << (blocks - 1).bit_length()  # a power of two
    with torch.cuda.device_of(rows):  # type: ignore[no-untyped-call]
        programs = (len(rows), -(-blocks // BLOCKS_PER_PROGRAM))
        sum_up[programs](rows, most, total, *sizes, BLOCK=BLOCK, AT_ONCE=BLOCKS_PER_PROGRAM, num_warps=4)
        warps = max(1, min(8, every // 1024))  # a row each, unless it is very long
        choose[(len(rows),)](
            rows, most, total, logprobs, ids, *sizes, count, BLOCK=BLOCK, EVERY=every, num_warps=warps
        )
    return logprobs.view(*logits.shape[:-1], count), ids.view(*logits.shape[:-1], count)
