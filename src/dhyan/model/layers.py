"""The blocks: attention and feed-forward parts, each with its residual connection and its norm."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.core.settings import Registry
from dhyan.model import backends
from dhyan.model.architecture import Architecture, Variant
from dhyan.model.attention import ATTENTIONS
from dhyan.model.generation.kv_cache import KeyValues, LayerCache
from dhyan.model.masks import Mask
from dhyan.model.positions import Rotation
from dhyan.model.variants.rms_norm import RmsNorm


class Dropout(NamedTuple):
    """The share of numbers set to zero in training: on each part's way out, in the weights, in the hidden layer."""

    residual: float = 0.0
    attention: float = 0.0
    hidden: float = 0.0


class LayerNorm(nn.Module):
    """(x − μ) / √(σ² + ε) · γ + β along the last axis: one row never sees another, padding least of all."""

    def __init__(self, d_model: int, epsilon: float) -> None:
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        found = backends.current.layer_norm(x, self.gamma, self.beta, self.epsilon)
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.epsilon) if found is None else found


class Spec(NamedTuple):
    """What the parts of a model are built from."""

    architecture: Architecture
    dropout: Dropout = Dropout()
    variant: Variant = Variant()

    def norm(self) -> nn.Module:
        a = self.architecture
        return NORMS[self.variant.norm or a.norm_kind](a.d_model, a.norm_epsilon)


NORMS: Registry[Callable[[int, float], nn.Module]] = Registry("norm", layer=LayerNorm, rms=RmsNorm)
ACTIVATIONS: Registry[Callable[[Tensor], Tensor]] = Registry("activation", relu=F.relu, gelu=F.gelu, swish=F.silu)
ACTIVATIONS |= {"gelu-tanh": partial(F.gelu, approximate="tanh"), "swiglu": F.silu}


class Sublayer(nn.Module):
    """One part of a block with its residual connection and its norm; a subclass says what `transform` does.

    Pre-norm: x + f(norm(x)). Post-norm, as in the first paper: norm(x + f(x)).
    """

    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self.norm = spec.norm()
        self.norm_first = spec.architecture.norm == "pre"
        self.residual_dropout = spec.dropout.residual

    def transform(self, x: Tensor, *args: Any, **options: Any) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor, *args: Any, **options: Any) -> Tensor:
        transformed = self.transform(self.norm(x) if self.norm_first else x, *args, **options)
        x = x + F.dropout(transformed, self.residual_dropout, self.training)
        return x if self.norm_first else self.norm(x)


class MultiHeadAttention(Sublayer):
    """Each head projects with its own W_Q, W_K, W_V and attends; W_O puts the heads' results together.

    Queries come from `x`. Keys and values come from `x` too (self-attention) or from `memory` (cross-attention).
    Heads are an axis of every weight, so head h is `W_Q[h]` and never an offset into a reshaped matrix.
    """

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        heads, d_head, d_model = spec.architecture.heads, spec.architecture.d_head, spec.architecture.d_model
        stored = spec.architecture.stored_heads
        self.group = heads // stored  # heads that share their keys and values
        self.W_Q = nn.Parameter(torch.empty(heads, d_head, d_model))
        self.b_Q = nn.Parameter(torch.zeros(heads, d_head))
        self.W_K = nn.Parameter(torch.empty(stored, d_head, d_model))
        self.b_K = nn.Parameter(torch.zeros(stored, d_head))
        self.W_V = nn.Parameter(torch.empty(stored, d_head, d_model))
        self.b_V = nn.Parameter(torch.zeros(stored, d_head))
        self.W_O = nn.Parameter(torch.empty(d_model, heads, d_head))
        self.b_O = nn.Parameter(torch.zeros(d_model))
        self.attention_dropout = spec.dropout.attention
        self.attend = ATTENTIONS[spec.variant.attention]

    def transform(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        mask: Mask | None = None,
        rotation: Rotation | None = None,
        cache: KeyValues | None = None,
    ) -> Tensor:
        """x: (batch, queries, d_model); memory: (batch, keys, d_model)."""
        context: Tensor | None = None
        if rotation is None and cache is None and self.group == 1:
            context = backends.current.project_and_attend(self, x, memory, mask)
        if context is None:
            query, key, value = self.project(x, memory, rotation, cache)
            dropout = self.attention_dropout if self.training else 0.0
            context = self.attend(query, key, value, mask, dropout).transpose(1, 2)  # (batch, queries, heads, d_head)
        return backends.linear(context.flatten(2), self.W_O.flatten(1), self.b_O)  # (batch, queries, d_model)

    def project(
        self, x: Tensor, memory: Tensor | None, rotation: Rotation | None, cache: KeyValues | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values: (batch, heads, queries or keys, d_head)."""
        query = by_head(x, self.W_Q, self.b_Q)
        if memory is not None and cache is not None and cache.kept is not None:
            return query, *cache.kept  # the source does not change while the target grows
        attended_to = x if memory is None else memory
        key, value = by_head(attended_to, self.W_K, self.b_K), by_head(attended_to, self.W_V, self.b_V)
        if self.group > 1:
            key, value = (x.repeat_interleave(self.group, dim=1) for x in (key, value))
        if rotation is not None:
            query, key = rotation.turn(query), rotation.turn(key)
        if cache is not None:
            key, value = cache.extend(key, value) if memory is None else cache.keep(key, value)
        return query, key, value


def by_head(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """(batch, positions, d_model) → (batch, heads, positions, d_head), all heads in one product."""
    flat = backends.linear(x, weight.flatten(0, 1), bias.flatten())  # (batch, positions, heads · d_head)
    return flat.view(*x.shape[:2], *bias.shape).transpose(1, 2)


class FeedForward(Sublayer):
    """Each position on its own: widen to d_ff, bend, narrow back. SwiGLU multiplies two widenings instead."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        d_model, d_ff = spec.architecture.d_model, spec.architecture.d_ff
        self.activation, self.gated = ACTIVATIONS[spec.architecture.activation], spec.architecture.gated
        self.hidden_dropout = spec.dropout.hidden
        self.W_1 = nn.Parameter(torch.empty(d_ff, d_model))
        self.b_1 = nn.Parameter(torch.zeros(d_ff))
        if self.gated:
            self.W_G = nn.Parameter(torch.empty(d_ff, d_model))
            self.b_G = nn.Parameter(torch.zeros(d_ff))
        self.W_2 = nn.Parameter(torch.empty(d_model, d_ff))
        self.b_2 = nn.Parameter(torch.zeros(d_model))

    def transform(self, x: Tensor) -> Tensor:
        hidden = self.activation(backends.linear(x, self.W_1, self.b_1))  # (batch, positions, d_ff)
        if self.gated:
            hidden = hidden * backends.linear(x, self.W_G, self.b_G)
        hidden = F.dropout(hidden, self.hidden_dropout, self.training)
        return backends.linear(hidden, self.W_2, self.b_2)  # (batch, positions, d_model)


class Output(nn.Module):
    """A linear layer with one logit per token of a vocabulary, or per label of a classifier."""

    def __init__(self, weight: nn.Parameter, dropout: float = 0.0) -> None:
        super().__init__()
        self.W = weight  # (vocabulary or labels, d_model)
        self.b = nn.Parameter(torch.zeros(weight.shape[0]))
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        return backends.linear(F.dropout(x, self.dropout, self.training), self.W, self.b)


# The parts are called `self`, `cross` and `ffn` because a weight's name is its address: enc.2.self.W_Q.


class EncoderLayer(nn.Module):
    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self.self = MultiHeadAttention(spec)
        self.ffn = FeedForward(spec)

    def forward(self, x: Tensor, mask: Mask | None, rotation: Rotation | None) -> Tensor:
        x = self.self(x, mask=mask, rotation=rotation)  # every token looks at every token
        x = self.ffn(x)
        return x


class DecoderLayer(nn.Module):
    def __init__(self, spec: Spec) -> None:
        super().__init__()
        self.self = MultiHeadAttention(spec)
        self.cross = MultiHeadAttention(spec) if spec.architecture.has_cross else None
        self.ffn = FeedForward(spec)

    def forward(
        self,
        x: Tensor,
        mask: Mask | None,
        memory: Tensor | None,
        memory_mask: Mask | None,
        rotation: Rotation | None,
        cache: LayerCache | None,
    ) -> Tensor:
        x = self.self(x, mask=mask, rotation=rotation, cache=cache and cache.self_attention)
        if self.cross is not None:
            x = self.cross(x, memory=memory, mask=memory_mask, cache=cache and cache.cross_attention)
        x = self.ffn(x)
        return x
