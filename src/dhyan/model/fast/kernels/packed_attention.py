"""The kernels of line_attention, in Triton. One program has one head of one line, all of it at once."""

import triton
import triton.language as tl


@triton.jit
def weights_of(q, k, queries, keys, scale, IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr):
    """softmax(q kᵀ · scale), (WIDTH, WIDTH) in float32, with 0 where a query may not look. queries, keys: owners."""
    at = tl.arange(0, WIDTH)
    scores = tl.dot(q, tl.trans(k)) * scale
    allowed = (queries[:, None] == keys[None, :]) | (queries[:, None] == 0)
    if IS_CAUSAL:
        allowed = allowed & (at[:, None] >= at[None, :])
    scores = tl.where(allowed, scores, -float("inf"))
    raised = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    return raised / tl.sum(raised, axis=1)[:, None]


@triton.jit
def cells(tensor, line, head, a_line, a_position, a_head, WIDTH: tl.constexpr, D_HEAD: tl.constexpr):
    """Where the numbers of one head of one line lie: (WIDTH, D_HEAD). a_…: how far it is to the next of its kind."""
    begin = tensor + line * a_line + head * a_head
    return begin + tl.arange(0, WIDTH)[:, None] * a_position + tl.arange(0, D_HEAD)[None, :]


@triton.jit
def forward(
    own, beside, mixed, query_owners, key_owners, scale,
    own_line, own_position, own_which, own_head,
    beside_line, beside_position, beside_which, beside_head,
    heads, IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, D_HEAD: tl.constexpr,
):  # fmt: skip
    line, head = tl.program_id(0).to(tl.int64) // heads, tl.program_id(0) % heads
    at = tl.arange(0, WIDTH)
    q = tl.load(cells(own, line, head, own_line, own_position, own_head, WIDTH, D_HEAD))
    keys_at = cells(beside, line, head, beside_line, beside_position, beside_head, WIDTH, D_HEAD)
    k, v = tl.load(keys_at), tl.load(keys_at + beside_which)
    queries, keys = tl.load(query_owners + line * WIDTH + at), tl.load(key_owners + line * WIDTH + at)
    weights = weights_of(q, k, queries, keys, scale, IS_CAUSAL, WIDTH)
    size = heads * D_HEAD  # of a position
    mixed_at = cells(mixed, line, head, WIDTH * size, size, D_HEAD, WIDTH, D_HEAD)
    tl.store(mixed_at, tl.dot(weights.to(v.dtype), v).to(v.dtype))


@triton.jit
def backward(
    own, beside, above, to_own, to_beside, query_owners, key_owners, scale,
    own_line, own_position, own_which, own_head,
    beside_line, beside_position, beside_which, beside_head,
    heads, IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, D_HEAD: tl.constexpr, OWN: tl.constexpr,
):  # fmt: skip
    """Gradients go to tensors that are laid out plainly: OWN parts a position for to_own, OWN or 2 for to_beside."""
    line, head = tl.program_id(0).to(tl.int64) // heads, tl.program_id(0) % heads
    at = tl.arange(0, WIDTH)
    q = tl.load(cells(own, line, head, own_line, own_position, own_head, WIDTH, D_HEAD))
    keys_at = cells(beside, line, head, beside_line, beside_position, beside_head, WIDTH, D_HEAD)
    k, v = tl.load(keys_at), tl.load(keys_at + beside_which)
    queries, keys = tl.load(query_owners + line * WIDTH + at), tl.load(key_owners + line * WIDTH + at)
    weights = weights_of(q, k, queries, keys, scale, IS_CAUSAL, WIDTH)
    size = heads * D_HEAD  # of one of the parts of a position
    own_size, beside_size = OWN * size, (3 if OWN == 3 else 2) * size
    to_q = cells(to_own, line, head, WIDTH * own_size, own_size, D_HEAD, WIDTH, D_HEAD)
    to_k = cells(to_beside, line, head, WIDTH * beside_size, beside_size, D_HEAD, WIDTH, D_HEAD)
    to_mixed = tl.load(cells(above, line, head, WIDTH * size, size, D_HEAD, WIDTH, D_HEAD))
    tl.store(to_k + size, tl.dot(tl.trans(weights.to(v.dtype)), to_mixed).to(v.dtype))
    to_weights = tl.dot(to_mixed, tl.trans(v))
    mean = tl.sum(weights * to_weights, axis=1)
    to_scores = (weights * (to_weights - mean[:, None]) * scale).to(q.dtype)
    tl.store(to_q, tl.dot(to_scores, k).to(q.dtype))
    tl.store(to_k, tl.dot(tl.trans(to_scores), q).to(q.dtype))
