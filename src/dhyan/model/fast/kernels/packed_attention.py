"""The kernels of packed_attention, in Triton. One program has one head of one row, all of it at once."""

import triton
import triton.language as tl


@triton.jit
def weights_of(q, k, queries, keys, scale, IS_CAUSAL: tl.constexpr, ROW_LENGTH: tl.constexpr):
    """softmax(q kᵀ · scale), float32, with 0 where a query may not look. queries, keys: segment ids."""
    at = tl.arange(0, ROW_LENGTH)
    scores = tl.dot(q, tl.trans(k)) * scale
    visible = (queries[:, None] == keys[None, :]) | (queries[:, None] == 0)
    if IS_CAUSAL:
        visible = visible & (at[:, None] >= at[None, :])
    scores = tl.where(visible, scores, -float("inf"))
    raised = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    return raised / tl.sum(raised, axis=1)[:, None]


@triton.jit
def cells(
    tensor, row, head, row_stride, position_stride, head_stride, ROW_LENGTH: tl.constexpr, D_HEAD: tl.constexpr
):
    """Where the numbers of one head of one row lie: (ROW_LENGTH, D_HEAD). …_stride: how far it is to the next."""
    begin = tensor + row * row_stride + head * head_stride
    return begin + tl.arange(0, ROW_LENGTH)[:, None] * position_stride + tl.arange(0, D_HEAD)[None, :]


@triton.jit
def forward(
    from_x, key_value, context, query_ids, key_ids, scale,
    x_row, x_position, x_which, x_head,
    key_value_row, key_value_position, key_value_which, key_value_head,
    heads, IS_CAUSAL: tl.constexpr, ROW_LENGTH: tl.constexpr, D_HEAD: tl.constexpr,
):  # fmt: skip
    row, head = tl.program_id(0).to(tl.int64) // heads, tl.program_id(0) % heads
    at = tl.arange(0, ROW_LENGTH)
    q = tl.load(cells(from_x, row, head, x_row, x_position, x_head, ROW_LENGTH, D_HEAD))
    keys_at = cells(key_value, row, head, key_value_row, key_value_position, key_value_head, ROW_LENGTH, D_HEAD)
    k, v = tl.load(keys_at), tl.load(keys_at + key_value_which)
    queries, keys = tl.load(query_ids + row * ROW_LENGTH + at), tl.load(key_ids + row * ROW_LENGTH + at)
    weights = weights_of(q, k, queries, keys, scale, IS_CAUSAL, ROW_LENGTH)
    size = heads * D_HEAD  # of a position
    context_at = cells(context, row, head, ROW_LENGTH * size, size, D_HEAD, ROW_LENGTH, D_HEAD)
    tl.store(context_at, tl.dot(weights.to(v.dtype), v).to(v.dtype))


@triton.jit
def backward(
    from_x, key_value, grad_of_context, grad_x, grad_key_value, query_ids, key_ids, scale,
    x_row, x_position, x_which, x_head,
    key_value_row, key_value_position, key_value_which, key_value_head,
    heads, IS_CAUSAL: tl.constexpr, ROW_LENGTH: tl.constexpr, D_HEAD: tl.constexpr, PARTS_OF_X: tl.constexpr,
):  # fmt: skip
    """Gradients go to contiguous tensors: PARTS_OF_X parts per position in grad_x, 3 or 2 in grad_key_value."""
    row, head = tl.program_id(0).to(tl.int64) // heads, tl.program_id(0) % heads
    at = tl.arange(0, ROW_LENGTH)
    q = tl.load(cells(from_x, row, head, x_row, x_position, x_head, ROW_LENGTH, D_HEAD))
    keys_at = cells(key_value, row, head, key_value_row, key_value_position, key_value_head, ROW_LENGTH, D_HEAD)
    k, v = tl.load(keys_at), tl.load(keys_at + key_value_which)
    queries, keys = tl.load(query_ids + row * ROW_LENGTH + at), tl.load(key_ids + row * ROW_LENGTH + at)
    weights = weights_of(q, k, queries, keys, scale, IS_CAUSAL, ROW_LENGTH)
    size = heads * D_HEAD  # of one of the parts of a position
    x_size, key_value_size = PARTS_OF_X * size, (3 if PARTS_OF_X == 3 else 2) * size
    grad_q = cells(grad_x, row, head, ROW_LENGTH * x_size, x_size, D_HEAD, ROW_LENGTH, D_HEAD)
    grad_k = cells(grad_key_value, row, head, ROW_LENGTH * key_value_size, key_value_size, D_HEAD, ROW_LENGTH, D_HEAD)
    grad_context = tl.load(cells(grad_of_context, row, head, ROW_LENGTH * size, size, D_HEAD, ROW_LENGTH, D_HEAD))
    tl.store(grad_k + size, tl.dot(tl.trans(weights.to(v.dtype)), grad_context).to(v.dtype))
    grad_weights = tl.dot(grad_context, tl.trans(v))
    mean = tl.sum(weights * grad_weights, axis=1)
    grad_scores = (weights * (grad_weights - mean[:, None]) * scale).to(q.dtype)
    tl.store(grad_q, tl.dot(grad_scores, k).to(q.dtype))
    tl.store(grad_k, tl.dot(tl.trans(grad_scores), q).to(q.dtype))
