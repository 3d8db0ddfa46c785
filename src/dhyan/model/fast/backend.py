"""The backend that knows the fast paths: each is taken where it can be, and leaves the rest to plain PyTorch."""

from torch import Tensor

from dhyan.model.backends import Backend
from dhyan.model.fast import decode_attention, kernels, layer_norm, onednn_linear, packed_attention, top_k
from dhyan.model.fast.static_kv_cache import KeyCounts, StaticCache
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.layers import MultiHeadAttention
from dhyan.model.masks import DenseMask, Mask


class FastBackend(Backend):
    def linear(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor | None:
        return onednn_linear.linear(x, weight, bias)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, dropout: float) -> Tensor | None:
        if dropout or not (mask is None or isinstance(mask, DenseMask | KeyCounts)):
            return None
        bias = mask.tensor if isinstance(mask, DenseMask) else mask.bias if mask is not None else None
        counts = mask.counts if isinstance(mask, KeyCounts) else None
        if not decode_attention.is_usable(query, key, value, bias):
            return None
        return decode_attention.decode_attention(query, key, value, bias, counts)

    def project_and_attend(
        self, part: MultiHeadAttention, x: Tensor, memory: Tensor | None, mask: Mask | None
    ) -> Tensor | None:
        return packed_attention.project_and_attend(part, x, memory, mask)

    def layer_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float) -> Tensor | None:
        return layer_norm.layer_norm(x, gamma, beta, epsilon) if layer_norm.is_usable(x) else None

    def top_k(self, logits: Tensor, count: int) -> tuple[Tensor, Tensor] | None:
        return top_k.top_k(logits, count) if kernels.usable_without_gradient(logits) else None

    def static_cache(self, cache: DecoderCache, source_lengths: Tensor | None) -> DecoderCache | None:
        kept = cache.layers[0].self_attention.kept
        assert kept is not None
        key, value = kept  # attention must do without knowing how many keys there are
        if not decode_attention.is_usable(key.new_empty(1, 1, cache.beam, key.shape[-1]), key, value, None):
            return None
        return StaticCache(cache, source_lengths)
