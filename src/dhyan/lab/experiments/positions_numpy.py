"""Positional encodings in NumPy: what each is like, and whether word order can be seen through it."""

import math
from typing import Annotated, Literal, get_args

import numpy as np
from pydantic import Field

from dhyan.explain.formulas import Array, attention, positional_encoding, rotate
from dhyan.lab.framework.experiment import Knobs
from dhyan.lab.framework.plots import HeatMap

Scheme = Literal["none", "counting", "one-sine", "sinusoidal", "learned", "rotary"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
LEARNED_SPREAD = 0.5  # learned positions start as random numbers of this size, as in `model`
FURTHEST = 8  # steps apart, when it is asked whether a distance looks the same everywhere


class EncodingKnobs(Knobs):
    positions: int = Field(50, ge=2, le=256, description="words: rows of the picture")
    d_model: int = Field(128, ge=4, le=256, multiple_of=2, description="dimensions: its columns")
    words: list[Annotated[str, Field(min_length=1, max_length=40)]] = Field(
        ["Nithish", "killed", "lion"], min_length=2, max_length=12, description="a sentence, said in both directions"
    )


def table(scheme: Scheme, positions: int, d_model: int, seed: int = 0) -> Array:
    """(positions, d_model): what is added to the embeddings. Rotary adds nothing: it turns queries and keys."""
    position = np.arange(positions)[:, None]
    # One number a position, written along +1, −1, +1, …: a layer norm would take out what is added to all alike.
    signs = np.where(np.arange(d_model) % 2, -1.0, 1.0)
    if scheme == "counting":  # 0, 1, 2, …: the vector's length is the position
        return np.asarray(position * signs / math.sqrt(d_model))
    if scheme == "one-sine":
        return np.asarray(np.sin(position) * signs)
    if scheme == "sinusoidal":
        return positional_encoding(positions, d_model)
    if scheme == "learned":  # as they are before training
        return np.random.default_rng(seed).normal(scale=LEARNED_SPREAD, size=(positions, d_model))
    return np.zeros((positions, d_model))


def size(scheme: Scheme, positions: int, d_model: int, seed: int = 0) -> float:
    """The length of the longest position vector: bounded, or growing with the text."""
    return float(np.linalg.norm(table(scheme, positions, d_model, seed), axis=-1).max())


def nearest(scheme: Scheme, positions: int, d_model: int, seed: int = 0) -> float:
    """The least distance between two positions' vectors: near zero where positions collide."""
    rows = _seen(scheme, positions, d_model, seed)
    square = (rows**2).sum(axis=-1)
    apart = square[:, None] + square[None, :] - 2 * rows @ rows.T  # (positions, positions)
    apart[np.diag_indices(positions)] = np.inf
    return float(np.sqrt(max(0.0, apart.min())))


def unevenness(scheme: Scheme, positions: int, d_model: int, seed: int = 0) -> float:
    """How much the dot product of two positions k apart depends on where they stand: 0 for a relative scheme."""
    rows = _seen(scheme, positions, d_model, seed)
    dots = rows @ rows.T
    deviations = [np.diagonal(dots, apart).std() for apart in range(1, min(FURTHEST, positions - 1) + 1)]
    scale = np.abs(np.diagonal(dots)).mean()
    return float(np.mean(deviations) / scale) if scale > 0 else 0.0


def word_order(scheme: Scheme, words: list[str], d_model: int, seed: int = 0) -> float:
    """How differently one head of random weights sees each word when the sentence is said backwards.

    0: the same vectors, word for word; "Nithish killed lion" is "lion killed Nithish".
    """
    draw = np.random.default_rng(seed)
    embedding = {word: draw.normal(size=d_model) for word in dict.fromkeys(words)}
    W_Q, W_K, W_V = draw.normal(scale=1 / math.sqrt(d_model), size=(3, d_model, d_model))
    encoding = table(scheme, len(words), d_model, seed)  # (positions, d_model)

    def seen(order: list[str]) -> Array:
        x = np.stack([embedding[word] for word in order]) + encoding
        query, key = x @ W_Q.T, x @ W_K.T
        if scheme == "rotary":
            query, key = rotate(query), rotate(key)
        return attention(query, key, x @ W_V.T).mixed  # (positions, d_model)

    forwards, backwards = seen(words), seen(words[::-1])[::-1]  # the same word in the same row
    return float(np.linalg.norm(forwards - backwards) / np.linalg.norm(forwards))


def counter(positions: int) -> Array:
    """(positions, bits): the numbers 0, 1, 2, … in binary, lowest bit first."""
    bits = max(1, (positions - 1).bit_length())
    return np.asarray((np.arange(positions)[:, None] >> np.arange(bits)) & 1, dtype=float)


def picture(knobs: EncodingKnobs) -> HeatMap:
    """The notes' picture: a row for each position, a column for each dimension."""
    return HeatMap(
        name="picture",
        title=f"Sinusoidal positions: {knobs.positions} words × {knobs.d_model} dimensions",
        row_label="word",
        column_label="dimension",
        values=table("sinusoidal", knobs.positions, knobs.d_model).round(3).tolist(),
    )


def turns(columns: Array) -> list[int]:
    """How often each column changes its side while the position counts up."""
    high = columns > columns.mean(axis=0)
    return [int(count) for count in (high[1:] != high[:-1]).sum(axis=0)]


def _seen(scheme: Scheme, positions: int, d_model: int, seed: int) -> Array:
    """The vectors by which attention can tell positions: what is added, or for rotary one vector turned."""
    if scheme != "rotary":
        return table(scheme, positions, d_model, seed)
    same = np.random.default_rng(seed).normal(size=d_model)
    return np.asarray(rotate(np.tile(same, (positions, 1))))
