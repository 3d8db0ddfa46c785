"""The kernels of top_k, in Triton. A row of logits is cut into blocks."""

import triton
import triton.language as tl

LOWEST = tl.constexpr(-3.4e38)  # stands for −∞ among the logits, so that −∞ can stand for what is not to be taken


@triton.jit
def read(row, at, vocabulary):
    """Logits as float32: LOWEST for −∞ and for what is no number, −∞ beyond the vocabulary."""
    inside = at < vocabulary
    return tl.where(inside, tl.maximum(tl.load(row + at, inside, 0.0).to(tl.float32), LOWEST), -float("inf"))


@triton.jit
def sum_up(
    logits, largest, total, logits_row, vocabulary, blocks, BLOCK: tl.constexpr, AT_ONCE: tl.constexpr
):  # fmt: skip
    """Of some blocks of one row: the largest logit, and Σ exp(logit − largest)."""
    row = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1) * AT_ONCE + tl.arange(0, AT_ONCE)
    at = block[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    x = read(logits + row * logits_row, at, vocabulary)  # (AT_ONCE, BLOCK)
    most = tl.max(x, axis=1)
    cells = row * blocks + block
    tl.store(largest + cells, most, block < blocks)
    tl.store(total + cells, tl.sum(tl.exp(x - most[:, None]), axis=1), block < blocks)


@triton.jit(do_not_specialize=["count"])
def choose(
    logits, largest, total, logprobs, ids, logits_row, vocabulary, blocks, count,
    BLOCK: tl.constexpr, EVERY: tl.constexpr,
):  # fmt: skip
    """One row: again and again the largest logit that is left, out of the block whose largest is largest.

    Nobody has to remember what was taken: it is what is larger than the last one, or equal with a lower id.
    """
    row = tl.program_id(0).to(tl.int64)
    block, inside = tl.arange(0, EVERY), tl.arange(0, BLOCK)
    cells = row * blocks + block
    left = tl.load(largest + cells, block < blocks, -float("inf"))  # the largest that each block has left
    sums = tl.load(total + cells, block < blocks, 0.0)
    most = tl.max(left, axis=0)
    log_sum = most + tl.log(tl.sum(sums * tl.exp(left - most), axis=0))

    last, last_id = float("inf"), -1
    for rank in range(count):
        _, chosen = tl.max(left, axis=0, return_indices=True)
        at = chosen * BLOCK + inside
        x = read(logits + row * logits_row, at, vocabulary)  # (BLOCK,)
        x = tl.where((x < last) | ((x == last) & (at > last_id)), x, -float("inf"))
        last, within = tl.max(x, axis=0, return_indices=True)
        last_id = chosen * BLOCK + within
        tl.store(logprobs + row * count + rank, tl.where(last > LOWEST, last - log_sum, -float("inf")))
        tl.store(ids + row * count + rank, last_id)
        left = tl.where(block == chosen, tl.max(tl.where(inside == within, -float("inf"), x), axis=0), left)
