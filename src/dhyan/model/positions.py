"""Where a token stands: attention alone sees a bag of words, so order is told by numbers added or by turning."""

import math

import torch
from torch import Tensor, nn


def sinusoidal(positions: int, d_model: int) -> Tensor:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same angle)."""
    angle = angles(positions, d_model)  # (positions, d_model / 2)
    table = torch.stack([angle.sin(), angle.cos()], dim=-1)  # (positions, d_model / 2, 2)
    return table.flatten(1).float()  # (positions, d_model): sine and cosine side by side


def angles(positions: int, size: int) -> Tensor:
    """pos / 10000^(2i/size) for every position and every pair i; double precision, for pos grows large."""
    position = torch.arange(positions, dtype=torch.float64)[:, None]
    rate = torch.exp(torch.arange(0, size, 2, dtype=torch.float64) * (-math.log(10000.0) / size))
    return position * rate  # (positions, size / 2)


class Sinusoidal(nn.Module):
    """The table of the notes, made once and added to the embeddings; it grows when a longer input comes."""

    def __init__(self, positions: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal(positions, d_model), persistent=False)
        self.table: Tensor

    def forward(self, start: int, length: int, places: Tensor | None = None) -> Tensor:
        """The vectors of `length` positions from `start` on, or of each of `places`, all in the table."""
        if places is not None:
            return self.table[places]
        self.reach(start + length)
        return self.table[start : start + length]  # (length, d_model)

    def reach(self, end: int) -> None:
        if end > self.table.shape[0]:
            with torch.inference_mode(False):  # it outlives this call, and training may need it next
                self.table = sinusoidal(2 * end, self.table.shape[1]).to(self.table)


class Rotary(nn.Module):
    """Turns each pair (2i, 2i+1) of queries and keys by the position's angle.

    A query's dot product with a key then depends on how far apart they stand, not on where.
    """

    def __init__(self, positions: int, d_head: int) -> None:
        super().__init__()
        self.d_head = d_head
        angle = angles(positions, d_head)
        self.register_buffer("sin", angle.sin().float(), persistent=False)
        self.register_buffer("cos", angle.cos().float(), persistent=False)
        self.sin: Tensor
        self.cos: Tensor

    def forward(self, x: Tensor, start: int, places: Tensor | None = None) -> Tensor:
        """x: (batch, heads, positions, d_head), the first at position `start`, or each at its own of `places`."""
        end = start + x.shape[-2]
        if places is None:
            self.reach(end)
            sin, cos = self.sin[start:end], self.cos[start:end]  # (positions, d_head / 2)
        else:
            sin, cos = self.sin[places][:, None], self.cos[places][:, None]  # (batch, 1, positions, d_head / 2)
        sin, cos = sin.to(x.dtype), cos.to(x.dtype)
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1)
        return turned.flatten(-2)  # (batch, heads, positions, d_head)

    def reach(self, end: int) -> None:
        if end > self.sin.shape[0]:
            with torch.inference_mode(False):  # they outlive this call, and training may need them next
                angle = angles(2 * end, self.d_head).to(self.sin.device)
                self.sin, self.cos = angle.sin().float(), angle.cos().float()
