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
def forward(
    own, beside, mixed, query_owners, key_owners, scale,
    own_line, own_position, own_which, own_head,
    beside_line, beside_position, beside_which, beside_head,
    heads, IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, D_HEAD: tl.constexpr,
):  # fmt: skip
    line = (tl.program_id(0) // heads).to(tl.int64)
    head = tl.program_id(0) % heads
    at, inside = tl.arange(0, WIDTH), tl.arange(0, D_HEAD)
    own_cells = own + line * own_line + head * own_head + at[:, None] * own_position + inside[None, :]
    beside_cells = beside + line * beside_line + head * beside_head + at[:, None] * beside_position + inside[None, :]
    q, k, v = tl.load(own_cells), tl.load(beside_cells), tl.load(beside_cells + beside_which)
    queries, keys = tl.load(query_owners + line * WIDTH + at), tl.load(key_owners + line * WIDTH + at)
    weights = weights_of(q, k, queries, keys, scale, IS_CAUSAL, WIDTH)
    mixed_cells = mixed + ((line * WIDTH + at[:, None]) * heads + head) * D_HEAD + inside[None, :]
    tl.store(mixed_cells, tl.dot(weights.to(v.dtype), v).to(v.dtype))


@triton.jit
def backward(
    own, beside, above, to_own, to_beside, query_owners, key_owners, scale,
    own_line, own_position, own_which, own_head,
    beside_line, beside_position, beside_which, beside_head,
    heads, IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, D_HEAD: tl.constexpr, OWN: tl.constexpr,
):  # fmt: skip
    """Gradients go to tensors that are laid out plainly: OWN parts a position for to_own, OWN or 2 for to_beside."""
    line = (tl.program_id(0) // heads).to(tl.int64)
    head = tl.program_id(0) % heads
    at, inside = tl.arange(0, WIDTH), tl.arange(0, D_HEAD)
    own_cells = own + line * own_line + head * own_head + at[:, None] * own_position + inside[None, :]
    beside_cells = beside + line * beside_line + head * beside_head + at[:, None] * beside_position + inside[None, :]
    q, k, v = tl.load(own_cells), tl.load(beside_cells), tl.load(beside_cells + beside_which)
    queries, keys = tl.load(query_owners + line * WIDTH + at), tl.load(key_owners + line * WIDTH + at)
    weights = weights_of(q, k, queries, keys, scale, IS_CAUSAL, WIDTH)
    place = line * WIDTH + at[:, None]
    to_mixed = tl.load(above + (place * heads + head) * D_HEAD + inside[None, :])
    size = heads * D_HEAD  # of one of the parts of a position
    parts = 3 if OWN == 3 else 2
    to_k = to_beside + place * (parts * size) + head * D_HEAD + inside[None, :]
    tl.store(to_k + size, tl.dot(tl.trans(weights.to(v.dtype)), to_mixed).to(v.dtype))
    to_weights = tl.dot(to_mixed, tl.trans(v))
    mean = tl.sum(weights * to_weights, axis=1)
    to_scores = (weights * (to_weights - mean[:, None]) * scale).to(q.dtype)
    tl.store(to_own + place * (OWN * size) + head * D_HEAD + inside[None, :], tl.dot(to_scores, k).to(q.dtype))
    tl.store(to_k, tl.dot(tl.trans(to_scores), q).to(q.dtype))
