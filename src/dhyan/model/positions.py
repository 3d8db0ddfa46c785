"""Positional encodings: attention alone sees a bag of words, so order is put into embeddings, queries or scores."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from dhyan.core.errors import DhyanError
from dhyan.core.settings import Registry
from dhyan.model.architecture import Architecture
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.masks import DenseMask, Mask


class PositionIds(NamedTuple):
    """Where tokens stand: `length` of them from `start` on, or each where `ids` says."""

    start: int
    length: int
    ids: Tensor | None = None  # (batch, positions), or (1, 1) for all of them

    def rows(self, table: Tensor) -> Tensor:
        """The rows of a table of positions: (positions, size), or (batch, positions, size)."""
        return table[self.start : self.start + self.length] if self.ids is None else table[self.ids]

    def on(self, device: torch.device) -> Tensor:
        """(positions,) or (batch, positions)"""
        return torch.arange(self.start, self.start + self.length, device=device) if self.ids is None else self.ids


class Rotation(NamedTuple):
    """The angles of queries and keys: (positions, d_head / 2), or (batch, 1, positions, d_head / 2)."""

    sin: Tensor
    cos: Tensor

    def turn(self, x: Tensor) -> Tensor:
        """x: (batch, heads, positions, d_head); each pair (2i, 2i+1) of its numbers is turned."""
        sin, cos = self.sin.to(x.dtype), self.cos.to(x.dtype)
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
        return turned.flatten(-2)  # (batch, heads, positions, d_head)


class Positions(nn.Module):
    """A positional encoding of one stack. It may act in three places, and leaves alone what it does not override."""

    def add(self, x: Tensor, at: PositionIds) -> Tensor:
        """To the embeddings: (batch, positions, d_model)."""
        return x

    def rotation(self, at: PositionIds) -> Rotation | None:
        """Of the queries and keys of self-attention."""
        return None

    def bias(self, mask: Mask | None, at: PositionIds, dtype: torch.dtype, cache: DecoderCache | None) -> Mask | None:
        """To the scores of self-attention, with their mask. cache: knows where earlier keys stand."""
        return mask

    def reserve(self, end: int) -> None:
        """Make sure that there are numbers for all positions before `end`."""

    def initialise(self) -> None:
        """Draw the first weights, if there are any."""


class Learned(Positions):
    """A vector per position, trained with the rest."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.P = nn.Parameter(torch.empty(architecture.max_positions, architecture.d_model))

    def add(self, x: Tensor, at: PositionIds) -> Tensor:
        return x + at.rows(self.P)

    def reserve(self, end: int) -> None:
        if end > self.P.shape[0]:
            raise DhyanError(
                f"a text of {end} tokens is longer than the {self.P.shape[0]} positions that this model has learnt;"
                " split it, or train with a larger --max-positions or --positions sinusoidal."
            )

    def initialise(self) -> None:
        nn.init.normal_(self.P, std=0.5)


class SinusoidalTable(Positions):
    """A table of sines and cosines, made once; it grows when a longer input comes."""

    def __init__(self, positions: int, size: int, base: float = 10_000.0) -> None:
        super().__init__()
        self.base = base
        self.register_buffer("table", sinusoidal(positions, size, base), persistent=False)
        self.table: Tensor

    def reserve(self, end: int) -> None:
        if end > self.table.shape[0]:
            with torch.inference_mode(False):  # it outlives this call, and training may need it next
                self.table = sinusoidal(2 * end, self.table.shape[1], self.base).to(self.table)


class Sinusoidal(SinusoidalTable):
    """The table of the notes, added to the embeddings."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture.max_positions, architecture.d_model)

    def add(self, x: Tensor, at: PositionIds) -> Tensor:
        return x + at.rows(self.table)


class Rotary(SinusoidalTable):
    """Turns each pair (2i, 2i+1) of queries and keys by the position's angle.

    A query's dot product with a key then depends on how far apart they stand, not on where.
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture.max_positions, architecture.d_head, architecture.rotary_base)

    def rotation(self, at: PositionIds) -> Rotation:
        rows = at.rows(self.table)
        rows = rows if at.ids is None else rows[:, None]  # the same for all heads
        return Rotation(sin=rows[..., 0::2], cos=rows[..., 1::2])


class Alibi(Positions):
    """−slope · |query's position − key's position|, added to the scores, with another slope for each head.

    Distances count alike in both directions; in the decoder the mask hides what comes later. Nothing is learnt, and
    no length is too long (Press et al., 2021).
    """

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.register_buffer("head", torch.arange(1, architecture.heads + 1), persistent=False)  # exact in any dtype
        self.head: Tensor

    def bias(self, mask: Mask | None, at: PositionIds, dtype: torch.dtype, cache: DecoderCache | None) -> Mask | None:
        queries = at.on(self.head.device)
        keys = queries if cache is None else cache.key_position_ids
        if keys is None:  # one behind the other, as many as there are
            keys = torch.arange(at.start + at.length, device=queries.device)
        distance = (queries[..., :, None] - keys[..., None, :]).abs()  # (…, queries, keys)
        slope = 2.0 ** (-8.0 * self.head.float() / len(self.head))
        bias = (-slope[:, None, None] * distance[..., None, :, :]).to(dtype)  # (…, heads, queries, keys)
        bias = bias if bias.dim() == 4 else bias[None]
        return DenseMask(bias) if mask is None else mask.plus(bias)


def sinusoidal(positions: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same angle)."""
    position = torch.arange(positions, dtype=torch.float64)[:, None]  # double precision, for they grow large
    rate = torch.exp(torch.arange(0, d_model, 2, dtype=torch.float64) * (-math.log(base) / d_model))
    angle = position * rate  # (positions, d_model / 2)
    table = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (positions, d_model / 2, 2)
    return table.flatten(1).float()  # (positions, d_model): sine and cosine side by side


POSITIONS: Registry[Callable[[Architecture], Positions]] = Registry(
    "positions", sinusoidal=Sinusoidal, learned=Learned, rotary=Rotary, alibi=Alibi
)
