"""The kernel of decode_attention, in Triton. One program has one head of one sentence."""

import triton
import triton.language as tl


# `keys` is another number at every step: 1 and each multiple of 16 must not get a kernel of their own.
@triton.jit(do_not_specialize=["queries", "keys"])
def attend(
    query, key, value, bias, counts, context,
    query_sentence, query_head, query_query,
    key_sentence, key_head, key_key,
    value_sentence, value_head, value_key,
    bias_sentence, bias_head, bias_query, bias_key,
    context_sentence, context_head, context_query,
    heads, queries, keys, scale,
    D_HEAD: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, KEYS_AT_ONCE: tl.constexpr,
):  # fmt: skip
    """The softmax is taken as the keys come: what is summed up is scaled to the largest score so far."""
    sentence = (tl.program_id(0) // heads).to(tl.int64)
    head = tl.program_id(0) % heads
    rows, columns, some = tl.arange(0, ROWS), tl.arange(0, COLUMNS), tl.arange(0, KEYS_AT_ONCE)
    is_query, is_column = rows[:, None] < queries, columns[None, :] < D_HEAD
    query += sentence * query_sentence + head * query_head
    key += sentence * key_sentence + head * key_head
    value += sentence * value_sentence + head * value_head
    context += sentence * context_sentence + head * context_head
    if bias is not None:
        bias += sentence * bias_sentence + head * bias_head

    if counts is not None:
        keys = tl.load(counts + sentence)

    q = tl.load(query + rows[:, None] * query_query + columns[None, :], is_query & is_column, 0.0)  # (ROWS, COLUMNS)
    largest = tl.full((ROWS,), -1e30, tl.float32)  # not −∞: a row that sees nothing yet must not become −∞ − (−∞)
    total = tl.zeros((ROWS,), tl.float32)
    summed = tl.zeros((ROWS, COLUMNS), tl.float32)
    for begin in range(0, keys, KEYS_AT_ONCE):
        at = begin + some
        is_key = at < keys
        k = tl.load(key + at[:, None] * key_key + columns[None, :], is_key[:, None] & is_column, 0.0)
        v = tl.load(value + at[:, None] * value_key + columns[None, :], is_key[:, None] & is_column, 0.0)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale  # (ROWS, KEYS_AT_ONCE)
        if bias is not None:
            cells = bias + rows[:, None] * bias_query + at[None, :] * bias_key
            scores += tl.load(cells, is_query & is_key[None, :], 0.0).to(tl.float32)
        scores = tl.where(is_key[None, :], scores, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        raised = tl.exp(scores - larger[:, None])
        shrunk = tl.exp(largest - larger)
        total = total * shrunk + tl.sum(raised, axis=1)
        summed = summed * shrunk[:, None] + tl.dot(raised.to(v.dtype), v, input_precision="ieee")
        largest = larger
    result = summed / tl.maximum(total, 1e-30)[:, None]  # a query that sees nothing gets nothing, as in PyTorch
    context_cells = context + rows[:, None] * context_query + columns[None, :]
    tl.store(context_cells, result.to(context.dtype.element_ty), is_query & is_column)
