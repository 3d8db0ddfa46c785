"""The formulas of the notes, one function each, in plain NumPy. Rows are tokens, columns are features."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

EPSILON = 1e-5  # keeps a norm from dividing by zero


def softmax(scores: Array) -> Array:
    """exp(x) / Σ exp(x) along the last axis; the largest is taken out first so that nothing overflows."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def log_softmax(scores: Array) -> Array:
    """log(softmax(x)), which is finite where the softmax is too small for a float."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


class Attention(NamedTuple):
    """The worked table of the notes, a column each; every array has one row per query."""

    scores: Array  # (…, queries, keys): q · k
    scaled: Array  # (…, queries, keys): scores / √d_k
    masked: Array  # (…, queries, keys): −∞ where a query may not look; with ALiBi, its bias added
    weights: Array  # (…, queries, keys): softmax, each row sums to 1
    mixed: Array  # (…, queries, d_v): Σ weight · value


def attention(
    query: Array,
    key: Array,
    value: Array,
    allowed: NDArray[np.bool_] | None = None,
    bias: Array | float = 0.0,
    record: Callable[[str, Array], Array] = lambda name, array: array,
) -> Attention:
    """softmax(QKᵀ / √d_k + M) V, where M is 0 (or a bias) where a query may look and −∞ elsewhere.

    record: is shown each column of the table by name, and gives what to go on with.
    """
    scores = record("scores", query @ np.swapaxes(key, -1, -2))
    scaled = record("scaled", scores / np.asarray(math.sqrt(query.shape[-1]), dtype=scores.dtype))
    biased = scaled + np.asarray(bias, dtype=scaled.dtype)
    masked = biased if allowed is None else np.where(allowed, biased, -np.inf).astype(scaled.dtype)
    masked = record("masked", masked)
    weights = record("weights", softmax(masked))
    return Attention(scores, scaled, masked, weights, record("mixed", weights @ value))


def attention_without_parameters(x: Array) -> Attention:
    """The first step of the notes: embeddings are their own queries, keys and values, and nothing is scaled."""
    scores = x @ x.T
    weights = softmax(scores)
    return Attention(scores, scores, scores, weights, weights @ x)


def causal_mask(length: int) -> NDArray[np.bool_]:
    """True on and below the diagonal: a token may look at itself and at what came before."""
    return np.tril(np.ones((length, length), dtype=bool))


def positional_encoding(positions: int, d_model: int) -> Array:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same)."""
    angle = _angles(positions, d_model)
    table = np.empty((positions, d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


def rotate(x: Array, first_position: int = 0, base: float = 10_000.0) -> Array:
    """Rotary positions: turn each pair (2i, 2i+1) of (…, positions, d_head) by the position's angle."""
    length, size = x.shape[-2:]
    angle = _angles(first_position + length, size, base)[first_position:]
    sin, cos = np.sin(angle).astype(x.dtype), np.cos(angle).astype(x.dtype)
    turned = np.empty_like(x)
    turned[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    turned[..., 1::2] = x[..., 0::2] * sin + x[..., 1::2] * cos
    return turned


def alibi(heads: int, queries: int, keys: int) -> Array:
    """ALiBi's bias, −2^(−8(h+1)/heads) · |query − key|: (heads, queries, keys). The last query is at the last key."""
    slopes = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)
    distance = np.abs(np.arange(keys - queries, keys)[:, None] - np.arange(keys)[None, :])
    return np.asarray(-slopes[:, None, None] * distance)


def layer_norm(x: Array, gamma: Array | float = 1.0, beta: Array | float = 0.0, epsilon: float = EPSILON) -> Array:
    """(x − μ) / √(σ² + ε) · γ + β along each row: a token's own features, no other row in sight."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return np.asarray((x - mean) / np.sqrt(variance + epsilon) * gamma + beta, dtype=x.dtype)


def rms_norm(x: Array, gamma: Array | float = 1.0, epsilon: float = EPSILON) -> Array:
    """x / √(mean of x² + ε) · γ along each row: no mean is taken off."""
    square = (x * x).mean(axis=-1, keepdims=True)
    return np.asarray(x / np.sqrt(square + epsilon) * gamma, dtype=x.dtype)


def batch_norm(x: Array, epsilon: float = EPSILON) -> Array:
    """The same down each column, over the whole batch: so padding rows distort it."""
    mean = x.mean(axis=0)
    variance = x.var(axis=0)
    return np.asarray((x - mean) / np.sqrt(variance + epsilon))


def relu(x: Array) -> Array:
    return np.maximum(x, 0)


def gelu(x: Array) -> Array:
    """x · Φ(x): passes a number on in proportion to how likely a normal draw lies below it."""
    erf = np.vectorize(math.erf, otypes=[np.float64])
    return np.asarray(0.5 * x * (1 + erf(x / math.sqrt(2))), dtype=x.dtype)


def gelu_tanh(x: Array) -> Array:
    """GELU by its approximation, 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))), as GPT-2 has it."""
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return np.asarray(0.5 * x * (1 + np.tanh(inner)), dtype=x.dtype)


def sigmoid(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-x)), dtype=x.dtype)


def silu(x: Array) -> Array:
    with np.errstate(over="ignore"):  # far below zero the exponential is infinite, and the result 0, as it should be
        return np.asarray(x / (1 + np.exp(-x)), dtype=x.dtype)


def cosine(one: Array, other: Array) -> float:
    """How nearly two vectors point the same way: 1 when they do, exactly 1 when they are one."""
    if np.array_equal(one, other):
        return 1.0
    return float(one @ other / max(1e-12, float(np.linalg.norm(one) * np.linalg.norm(other))))


def _angles(positions: int, size: int, base: float = 10_000.0) -> Array:
    rate = base ** (-np.arange(0, size, 2) / size)
    return np.arange(positions)[:, None] * rate
