"""One Transformer, three shapes: encoder–decoder, encoder-only, decoder-only, from the same parts."""

import math
from collections.abc import Iterator, Mapping

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import PAD
from dhyan.model.architecture import Architecture
from dhyan.model.attention import MultiHeadAttention
from dhyan.model.fast.decode_attention import Seen
from dhyan.model.fast.packed_attention import SameOwner, is_usable
from dhyan.model.fast.packed_layout import Packing
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.layers import DecoderLayer, EncoderLayer, FeedForward
from dhyan.model.positions import Rotary, Sinusoidal
from dhyan.model.sublayer import Dropout, LayerNorm


class Stack(nn.Module):
    """Embeddings + positions, then N layers. Layer i is the child named `i`, so that its weights are `enc.i.…`."""

    def __init__(self, architecture: Architecture, dropout: Dropout, embedding: nn.Parameter) -> None:
        super().__init__()
        self.E = embedding  # (vocabulary, d_model)
        self.d_model = architecture.d_model
        self.residual_dropout = dropout.residual
        self.rotary: Rotary | None = None
        self.P: nn.Parameter | None = None
        self.sinusoidal: Sinusoidal | None = None
        if architecture.positions == "learned":
            self.P = nn.Parameter(torch.empty(architecture.max_positions, architecture.d_model))
        elif architecture.positions == "sinusoidal":
            self.sinusoidal = Sinusoidal(architecture.max_positions, architecture.d_model)
        else:
            self.rotary = Rotary(architecture.max_positions, architecture.d_head)
        self.norm = LayerNorm(architecture.d_model) if architecture.norm == "pre" else None
        self.depth = 0

    def add_layer(self, layer: nn.Module) -> None:
        self.add_module(str(self.depth), layer)
        self.depth += 1

    def layers(self) -> Iterator[nn.Module]:
        for index in range(self.depth):
            yield self.get_submodule(str(index))

    def embed(self, ids: Tensor, start: int = 0, places: Tensor | None = None) -> Tensor:
        """(batch, positions) ids → (batch, positions, d_model): E[id] · √d_model, plus the position's vector.

        Positions count from `start`, or `places` (batch, positions) tells them.
        """
        length = ids.shape[1]
        x = F.embedding(ids, self.E) * math.sqrt(self.d_model)
        if self.P is not None and places is not None:
            x = x + self.P[places]
        elif self.P is not None:
            self.reach(start + length)
            x = x + self.P[start : start + length]
        elif self.sinusoidal is not None:
            x = x + self.sinusoidal(start, length, places)
        return F.dropout(x, self.residual_dropout, self.training)

    def reach(self, end: int) -> None:
        """Make sure that there are numbers for all positions before `end`."""
        if self.P is not None and end > self.P.shape[0]:
            raise DhyanError(
                f"a text of {end} tokens is longer than the {self.P.shape[0]} positions that this model has learnt;"
                " split it, or train with a larger --max-positions or --positions sinusoidal."
            )
        table = self.sinusoidal or self.rotary
        if table is not None:
            table.reach(end)


class Encoder(Stack):
    def __init__(self, architecture: Architecture, dropout: Dropout, embedding: nn.Parameter) -> None:
        super().__init__(architecture, dropout, embedding)
        for _ in range(architecture.encoder_layers):
            self.add_layer(EncoderLayer(architecture, dropout, self.rotary))

    def forward(self, ids: Tensor, allowed: Tensor | SameOwner | None, places: Tensor | None = None) -> Tensor:
        x = self.embed(ids, places=places)
        for layer in self.layers():
            x = layer(x, allowed, places)
        return x if self.norm is None else self.norm(x)  # (batch, positions, d_model)


class Output(nn.Module):
    """A linear layer with one neuron for each entry of the target vocabulary."""

    def __init__(self, weight: nn.Parameter) -> None:
        super().__init__()
        self.W = weight  # (vocabulary, d_model)
        self.b = nn.Parameter(torch.zeros(weight.shape[0]))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.W, self.b)


class Decoder(Stack):
    def __init__(self, architecture: Architecture, dropout: Dropout, embedding: nn.Parameter) -> None:
        super().__init__(architecture, dropout, embedding)
        for _ in range(architecture.decoder_layers):
            self.add_layer(DecoderLayer(architecture, dropout, self.rotary))
        own = nn.Parameter(torch.empty_like(embedding)) if architecture.tie == "none" else embedding
        self.out = Output(own)
        self.masked = True  # False lets every position see the future: the leak that the notes warn of

    def forward(
        self,
        ids: Tensor,
        memory: Tensor | None = None,
        memory_allowed: Tensor | SameOwner | Seen | None = None,
        cache: DecoderCache | None = None,
        own: Tensor | SameOwner | Seen | None = None,
        places: Tensor | None = None,
    ) -> Tensor:
        """All positions at once in training; one new position a call in generation, with a cache of the old ones."""
        if cache is not None and cache.abreast:  # (batch, beam) ids, all at one position
            self.reach(cache.reach)
            own, places = cache.own, cache.places
            x = self.embed(ids, places=places)
        else:
            x = self.embed(ids, cache.position if cache else 0, places)
        for index, layer in enumerate(self.layers()):
            x = layer(x, memory, memory_allowed, self.masked, cache.layers[index] if cache else None, own, places)
        return x if self.norm is None else self.norm(x)  # (batch, positions, d_model)

    def new_cache(self) -> DecoderCache:
        return DecoderCache(self.depth)


class Classifier(nn.Module):
    """From the sentence's vector to one logit a label."""

    def __init__(self, labels: int, d_model: int, dropout: float) -> None:
        super().__init__()
        self.W = nn.Parameter(torch.empty(labels, d_model))
        self.b = nn.Parameter(torch.zeros(labels))
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(F.dropout(x, self.dropout, self.training), self.W, self.b)  # (batch, labels)


class MaskedHead(nn.Module):
    """Which token stood where the mask is: the embeddings themselves score the candidates."""

    def __init__(self, embedding: nn.Parameter) -> None:
        super().__init__()
        self.E = embedding
        self.b = nn.Parameter(torch.zeros(embedding.shape[0]))

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.E, self.b)


class Transformer(nn.Module):
    """The parts that a shape needs: `enc`, `dec`, and on top of an encoder `cls` and `mlm`."""

    def __init__(self, architecture: Architecture, dropout: Dropout | None = None) -> None:
        super().__init__()
        a, dropout = architecture, dropout or Dropout()
        self.architecture = architecture
        self.enc: Encoder | None = None
        self.dec: Decoder | None = None
        self.cls: Classifier | None = None
        self.mlm: MaskedHead | None = None
        if a.has_encoder:
            self.enc = Encoder(a, dropout, nn.Parameter(torch.empty(a.source_vocabulary, a.d_model)))
        if a.has_decoder:
            shared = self.enc.E if self.enc is not None and a.tie == "all" else None
            if shared is None:
                shared = nn.Parameter(torch.empty(a.target_vocabulary, a.d_model))
            self.dec = Decoder(a, dropout, shared)
        if a.labels:
            self.cls = Classifier(a.labels, a.d_model, dropout.residual)
        if a.masked_head and self.enc is not None:
            self.mlm = MaskedHead(self.enc.E)
        self.initialise()

    # -- the three ways through ------------------------------------------------------------------------------

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor | None]:
        """(batch, positions) ids → their vectors in context, and the mask that keeps padding from being seen."""
        allowed = not_padding(source)
        return self.encoder(source, allowed), allowed

    def pool(self, source: Tensor) -> Tensor:
        """(batch, positions) ids → one vector a sentence: the mean over its tokens, padding left out."""
        hidden, _ = self.encode(source)
        real = (source != PAD).unsqueeze(-1).to(hidden.dtype)  # (batch, positions, 1)
        return (hidden * real).sum(1) / real.sum(1)  # (batch, d_model)

    def hidden(self, target: Tensor, source: Tensor | None = None) -> Tensor:
        """The decoder's vectors for every target position at once (teacher forcing): (batch, positions, d_model).

        No mask hides the target's padding: it stands at the right, where a causal query never looks.
        """
        memory, allowed = (None, None) if source is None else self.encode(source)
        decoded: Tensor = self.decoder(target, memory, allowed)
        return decoded

    def hidden_packed(self, target: Tensor, source: Tensor, target_at: Packing, source_at: Packing) -> Tensor:
        """The same for several sequences a line: (lines, width) ids each side → (lines, width, d_model)."""
        dtype = None if self.has_line_kernels(target) else self.decoder.E.dtype
        memory = self.encoder(source, source_at.within(False, dtype), source_at.positions)
        own, across = target_at.within(True, dtype), target_at.across(source_at, dtype)
        decoded: Tensor = self.decoder(target, memory, across, own=own, places=target_at.positions)
        return decoded

    def forward(self, target: Tensor, source: Tensor | None = None) -> Tensor:
        """Logits for every target position at once: (batch, positions, vocabulary)."""
        logits: Tensor = self.decoder.out(self.hidden(target, source))
        return logits

    def has_line_kernels(self, lines: Tensor) -> bool:
        """Whether attention within such lines, (lines, width), can do without masks."""
        a, part = self.architecture, next(part for part in self.modules() if isinstance(part, MultiHeadAttention))
        bare = a.positions != "rotary" and part.attention_dropout == 0.0 and part.fused
        return bare and is_usable(lines.device, lines.shape[1], a.d_head)

    # -- parts, weights --------------------------------------------------------------------------------------

    @property
    def encoder(self) -> Encoder:
        if self.enc is None:
            raise ValueError("a decoder-only model has no encoder")
        return self.enc

    @property
    def decoder(self) -> Decoder:
        if self.dec is None:
            raise ValueError("an encoder-only model has no decoder")
        return self.dec

    def use_fused_attention(self, fused: bool) -> None:
        for module in self.modules():
            if isinstance(module, MultiHeadAttention):
                module.fused = fused

    def initialise(self) -> None:
        """Xavier for projections; embeddings so that they have unit size once multiplied by √d_model.

        What leads back into the residual stream starts smaller, so that deep pre-norm stacks start near identity.
        """
        depth = sum(stack.depth for stack in (self.enc, self.dec) if stack is not None)
        back = 1 / math.sqrt(2 * depth) if self.architecture.norm == "pre" else 1.0
        with torch.no_grad():
            for module in self.modules():
                if isinstance(module, MultiHeadAttention):
                    for weight in (module.W_Q, module.W_K, module.W_V):
                        nn.init.xavier_uniform_(weight.flatten(0, 1))
                    nn.init.xavier_uniform_(module.W_O.flatten(1), gain=back)
                elif isinstance(module, FeedForward):
                    nn.init.xavier_uniform_(module.W_1)
                    nn.init.xavier_uniform_(module.W_2, gain=back)
                    if module.activation == "swiglu":
                        nn.init.xavier_uniform_(module.W_G)
                elif isinstance(module, Stack):
                    nn.init.normal_(module.E, std=self.architecture.d_model**-0.5)
                    if module.P is not None:
                        nn.init.normal_(module.P, std=0.5)
                elif isinstance(module, Output) and self.architecture.tie == "none":
                    nn.init.normal_(module.W, std=self.architecture.d_model**-0.5)
                elif isinstance(module, Classifier):
                    nn.init.xavier_uniform_(module.W)

    def weights(self) -> dict[str, np.ndarray]:
        """Every weight under its address, as float32 NumPy; a shared one appears once, under its first name."""
        return {name: p.detach().float().cpu().numpy().copy() for name, p in self.named_parameters()}

    def load_weights(self, weights: Mapping[str, np.ndarray]) -> None:
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                parameter.copy_(torch.from_numpy(np.ascontiguousarray(weights[name])))


def not_padding(ids: Tensor) -> Tensor:
    """(batch, 1, 1, keys): True where a key is a real token, ready to broadcast over heads and queries."""
    return (ids != PAD)[:, None, None, :]
