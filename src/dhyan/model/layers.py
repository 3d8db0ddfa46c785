"""The blocks: an encoder layer is self-attention and feed-forward; a decoder layer adds cross-attention between."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.model.architecture import Architecture
from dhyan.model.attention import MultiHeadAttention
from dhyan.model.fast.decode_attention import Seen
from dhyan.model.fast.packed_attention import SameOwner
from dhyan.model.generation.kv_cache import LayerCache
from dhyan.model.positions import Rotary
from dhyan.model.sublayer import Dropout, Sublayer


class FeedForward(Sublayer):
    """Each position on its own: widen to d_ff, bend, narrow back. SwiGLU multiplies two widenings instead."""

    def __init__(self, architecture: Architecture, dropout: Dropout) -> None:
        super().__init__(architecture, dropout)
        d_model, d_ff = architecture.d_model, architecture.d_ff
        self.activation = architecture.activation
        self.hidden_dropout = dropout.hidden
        self.W_1 = nn.Parameter(torch.empty(d_ff, d_model))
        self.b_1 = nn.Parameter(torch.zeros(d_ff))
        if self.activation == "swiglu":
            self.W_G = nn.Parameter(torch.empty(d_ff, d_model))
            self.b_G = nn.Parameter(torch.zeros(d_ff))
        self.W_2 = nn.Parameter(torch.empty(d_model, d_ff))
        self.b_2 = nn.Parameter(torch.zeros(d_model))

    def transform(self, x: Tensor) -> Tensor:
        hidden = F.linear(x, self.W_1, self.b_1)  # (batch, positions, d_ff)
        if self.activation == "relu":
            hidden = F.relu(hidden)
        elif self.activation == "gelu":
            hidden = F.gelu(hidden)
        else:
            hidden = F.silu(hidden) * F.linear(x, self.W_G, self.b_G)
        if self.training:
            hidden = F.dropout(hidden, self.hidden_dropout)
        return F.linear(hidden, self.W_2, self.b_2)  # (batch, positions, d_model)


# The parts are called `self`, `cross` and `ffn` because a weight's name is its address: enc.2.self.W_Q.


class EncoderLayer(nn.Module):
    def __init__(self, architecture: Architecture, dropout: Dropout, rotary: Rotary | None) -> None:
        super().__init__()
        self.self = MultiHeadAttention(architecture, dropout, rotary)
        self.ffn = FeedForward(architecture, dropout)

    def forward(self, x: Tensor, allowed: Tensor | SameOwner | None, places: Tensor | None = None) -> Tensor:
        x = self.self(x, allowed=allowed, places=places)  # every token looks at every token
        x = self.ffn(x)
        return x


class DecoderLayer(nn.Module):
    def __init__(self, architecture: Architecture, dropout: Dropout, rotary: Rotary | None) -> None:
        super().__init__()
        self.self = MultiHeadAttention(architecture, dropout, rotary)
        self.cross = MultiHeadAttention(architecture, dropout) if architecture.has_cross else None
        self.ffn = FeedForward(architecture, dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None,
        memory_allowed: Tensor | SameOwner | Seen | None,
        masked: bool,
        cache: LayerCache | None,
        own: Tensor | SameOwner | Seen | None = None,
        places: Tensor | None = None,
    ) -> Tensor:
        """own: what of the target itself may be seen, where that is not simply what stands before."""
        masked = masked and own is None
        x = self.self(x, allowed=own, is_causal=masked, cache=cache and cache.self_attention, places=places)
        if self.cross is not None:
            x = self.cross(x, memory=memory, allowed=memory_allowed, cache=cache and cache.cross_attention)
        x = self.ffn(x)
        return x
