"""The attention weights of one forward pass, while a model is trained: fast attention never writes them down."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray
from torch import Tensor

from dhyan.model import backends
from dhyan.model.attention import attention
from dhyan.model.generation.batched import rows_to_tensor
from dhyan.model.masks import Mask
from dhyan.model.transformer import Transformer
from dhyan.pack.weights_file import Weights


def attention_weights(model: Transformer, source: Sequence[int], target: Sequence[int]) -> Weights:
    """Address → (heads, queries, keys), of one row of ids; a side that the model does not have is empty."""
    with _recorded() as found:
        _run_once(model, source, target)
    names = [f"{part}.weights" for part in _parts(model)]
    return dict(zip(names, found, strict=True))


class _RecordedAttention(backends.Backend):
    """Attention by the formula, each part's weights kept, in the order in which numbers pass through the model."""

    def __init__(self) -> None:
        self.weights: list[NDArray[Any]] = []  # (heads, queries, keys) each

    def attend(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, dropout: float) -> Tensor:
        found = attention(query, key, value, mask)
        self.weights.append(found.weights[0].float().cpu().numpy())
        return found.context


@contextmanager
def _recorded() -> Iterator[list[NDArray[Any]]]:
    """The weights of whatever runs within it."""
    before, recorded = backends.current, _RecordedAttention()
    backends.current = recorded
    try:
        yield recorded.weights
    finally:
        backends.current = before


def _run_once(model: Transformer, source: Sequence[int], target: Sequence[int]) -> None:
    device = next(model.parameters()).device
    encoded, decoded = (rows_to_tensor([ids], device) if ids else None for ids in (source, target))
    if decoded is None:
        assert encoded is not None
        model.encode(encoded)
    else:
        model.hidden(decoded, encoded)


def _parts(model: Transformer) -> list[str]:
    """Their names, in the same order."""
    a = model.architecture
    found = [f"enc.{layer}.self" for layer in range(a.encoder_layers)] if a.has_encoder else []
    kinds = ("self", "cross") if a.has_cross else ("self",)
    return found + [
        f"dec.{layer}.{kind}" for layer in range(a.decoder_layers if a.has_decoder else 0) for kind in kinds
    ]
