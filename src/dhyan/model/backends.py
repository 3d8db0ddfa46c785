"""Where something faster may answer for plain PyTorch: linear layers, attention, layer norm, top-k, the KV cache.

The model asks the current backend first; None means that it has no faster way, here and now, and plain PyTorch does
the work. Whoever wants speed installs another backend (`dhyan.model.fast.install()`); the model knows none by name.
"""

from typing import TYPE_CHECKING

from torch import Tensor, nn

if TYPE_CHECKING:
    from dhyan.model.generation.kv_cache import DecoderCache
    from dhyan.model.layers import MultiHeadAttention
    from dhyan.model.masks import Mask


class Backend:
    """Plain PyTorch: it has no faster way for anything. A subclass answers what it can, with the same numbers."""

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor | None:
        return None

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: "Mask | None", dropout: float) -> Tensor | None:
        """softmax(QKᵀ / √d_head + mask) V: (batch, heads, queries, d_head), as `attention.fused`."""
        return None

    def project_and_attend(
        self, part: "MultiHeadAttention", x: Tensor, memory: Tensor | None, mask: "Mask | None"
    ) -> Tensor | None:
        """All heads' contexts from `x` on, (batch, queries, heads, d_head), where nothing rotates or is cached."""
        return None

    def layer_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, epsilon: float) -> Tensor | None:
        return None

    def top_k(self, logits: Tensor, count: int) -> tuple[Tensor, Tensor] | None:
        """The `count` largest log-probabilities of each row, float32, and their ids."""
        return None

    def static_cache(self, cache: "DecoderCache", source_lengths: Tensor | None) -> "DecoderCache | None":
        """A cache that goes on from this one in tensors of a fixed size, so that all steps are the same work."""
        return None


current = Backend()


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x Wᵀ + b, of which a Transformer's time is made: (..., inputs) → (..., outputs)."""
    found = current.linear(x, weight, bias)
    return nn.functional.linear(x, weight, bias) if found is None else found
