"""One Transformer, three shapes: encoder–decoder, encoder-only, decoder-only, from the same parts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from dhyan.core.errors import DhyanError
from dhyan.model.architecture import Architecture, Variant
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.layers import DecoderLayer, Dropout, EncoderLayer, FeedForward, MultiHeadAttention, Output, Spec
from dhyan.model.masks import CausalMask, Mask, padding_mask
from dhyan.model.positions import POSITIONS, PositionIds
from dhyan.model.variants.hidden_output import classifier, masked_head


class Stack(nn.Module):
    """Embeddings + positions, then N layers. Layer i is the child named `i`, so that its weights are `enc.i.…`."""

    def __init__(self, spec: Spec, embedding: nn.Parameter, layers: Sequence[nn.Module]) -> None:
        super().__init__()
        self.E = embedding  # (vocabulary, d_model)
        a = spec.architecture
        self.scale = math.sqrt(a.d_model) if a.embedding_scale else 1.0
        self.residual_dropout = spec.dropout.residual
        self.positions = POSITIONS[spec.variant.positions or spec.architecture.positions](spec.architecture)
        for name, weight in self.positions.named_parameters():
            self.register_parameter(name, weight)  # its name in a pack is the stack's: enc.P
        self.embedding_norm = spec.norm() if a.embedding_norm else None
        self.norm = spec.norm() if a.norm == "pre" else None
        self.depth = len(layers)
        for index, layer in enumerate(layers):
            self.add_module(str(index), layer)

    def layers(self) -> Iterator[nn.Module]:
        return (self.get_submodule(str(index)) for index in range(self.depth))

    def embed(self, ids: Tensor, at: PositionIds) -> Tensor:
        """(batch, positions) ids → (batch, positions, d_model): E[id] · √d_model, plus the position's vector."""
        if at.ids is None:  # whoever gives position ids has reserved them
            self.positions.reserve(at.start + at.length)
        x = self.positions.add(F.embedding(ids, self.E) * self.scale, at)
        x = x if self.embedding_norm is None else self.embedding_norm(x)
        return F.dropout(x, self.residual_dropout, self.training)

    def finish(self, x: Tensor) -> Tensor:
        """Pre-norm leaves a stream of sums behind: one last norm settles it. (batch, positions, d_model)"""
        return x if self.norm is None else self.norm(x)


class Encoder(Stack):
    def __init__(self, spec: Spec, embedding: nn.Parameter) -> None:
        super().__init__(spec, embedding, [EncoderLayer(spec) for _ in range(spec.architecture.encoder_layers)])

    def forward(self, ids: Tensor, mask: Mask | None, position_ids: Tensor | None = None) -> Tensor:
        """ids: (batch, positions); position_ids: the same shape, where positions do not simply count from 0."""
        at = PositionIds(0, ids.shape[1], position_ids)
        x = self.embed(ids, at)
        mask, rotation = self.positions.bias(mask, at, x.dtype, None), self.positions.rotation(at)
        for layer in self.layers():
            x = layer(x, mask, rotation)
        return self.finish(x)


class Decoder(Stack):
    def __init__(self, spec: Spec, embedding: nn.Parameter) -> None:
        super().__init__(spec, embedding, [DecoderLayer(spec) for _ in range(spec.architecture.decoder_layers)])
        is_tied = spec.architecture.tie != "none"
        self.out = Output(embedding if is_tied else nn.Parameter(torch.empty_like(embedding)))
        self.is_causal = True  # False lets every position see the future: the leak that the notes warn of

    def forward(
        self,
        ids: Tensor,
        memory: Tensor | None = None,
        memory_mask: Mask | None = None,
        cache: DecoderCache | None = None,
        mask: Mask | None = None,  # of self-attention, where that is not simply causal
        position_ids: Tensor | None = None,
    ) -> Tensor:
        """All positions at once in training; in generation the newest alone, with a cache of the earlier ones."""
        at = PositionIds(0 if cache is None else cache.position, ids.shape[1], position_ids)
        x = self.embed(ids, at)
        if mask is None and self.is_causal:
            mask = CausalMask(ids.device)
        mask, rotation = self.positions.bias(mask, at, x.dtype, cache), self.positions.rotation(at)
        for index, layer in enumerate(self.layers()):
            x = layer(x, mask, memory, memory_mask, rotation, cache.layers[index] if cache else None)
        return self.finish(x)


class Transformer(nn.Module):
    """The parts that a shape needs: `enc`, `dec`, and on top of an encoder `cls` and `mlm`."""

    def __init__(
        self, architecture: Architecture, dropout: Dropout | None = None, variant: Variant | None = None
    ) -> None:
        super().__init__()
        self.architecture = a = architecture
        if a.decoder_self == "ssru":
            raise DhyanError("A decoder with an SSRU runs on the CPU only (--device cpu), and cannot be trained.")
        spec = Spec(architecture, dropout or Dropout(), variant or Variant())

        def embedding(entries: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(entries, a.d_model))

        self.enc = Encoder(spec, embedding(a.source_vocabulary)) if a.has_encoder else None
        target = self.enc.E if self.enc is not None and a.tie == "all" else embedding(a.target_vocabulary)
        self.dec = Decoder(spec, target) if a.has_decoder else None
        self.cls = classifier(spec, embedding(a.labels)) if a.labels else None
        self.mlm = masked_head(spec, self.enc.E) if self.enc is not None and a.masked_head else None
        self.initialise()

    def encode(self, source: Tensor) -> tuple[Tensor, Mask]:
        """(batch, positions) ids → their vectors in context, and the mask that keeps padding from being seen."""
        mask = padding_mask(source, self.architecture.special.pad)
        return self.encoder(source, mask), mask

    def pool(self, source: Tensor) -> Tensor:
        """(batch, positions) ids → one vector per sentence: the mean over its tokens, or the first token's."""
        hidden, _ = self.encode(source)
        if self.architecture.pooling == "first":
            return hidden[:, 0]  # (batch, d_model)
        real = (source != self.architecture.special.pad).unsqueeze(-1).to(hidden.dtype)  # (batch, positions, 1)
        return (hidden * real).sum(1) / real.sum(1)  # (batch, d_model)

    def hidden(self, target: Tensor, source: Tensor | None = None) -> Tensor:
        """The decoder's vectors for every target position at once (teacher forcing): (batch, positions, d_model).

        No mask hides the target's padding: it stands at the right, where a causal query never looks.
        """
        memory, memory_mask = (None, None) if source is None else self.encode(source)
        decoded: Tensor = self.decoder(target, memory, memory_mask)
        return decoded

    def forward(self, target: Tensor, source: Tensor | None = None) -> Tensor:
        """Logits for every target position at once: (batch, positions, vocabulary)."""
        logits: Tensor = self.decoder.out(self.hidden(target, source))
        return logits

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
                    if module.gated:
                        nn.init.xavier_uniform_(module.W_G)
                elif isinstance(module, Stack):
                    nn.init.normal_(module.E, std=self.architecture.d_model**-0.5)
                    module.positions.initialise()
                elif module is self.cls:
                    nn.init.xavier_uniform_(self.cls.W)
                elif isinstance(module, Output) and self.architecture.tie == "none":
                    nn.init.normal_(module.W, std=self.architecture.d_model**-0.5)

    def weights(self) -> dict[str, NDArray[Any]]:
        """Every weight under its address, as float32 NumPy; a shared one appears once, under its first name."""
        return {name: p.detach().float().cpu().numpy().copy() for name, p in self.named_parameters()}

    def load_weights(self, weights: Mapping[str, NDArray[Any]]) -> None:
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                parameter.copy_(torch.from_numpy(np.ascontiguousarray(weights[name])))
