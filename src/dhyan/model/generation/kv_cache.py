"""The KV cache: the keys and values of earlier tokens, so that none is computed twice, whichever beams live on.

The beams of a sentence are batched as queries of one row. Their keys lie side by side too and never move: an
*ancestry mask* says which of them belong to a hypothesis's own past. To reorder beams is to copy rows of that mask, a
few bytes, instead of all their keys and values.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from dhyan.model.masks import DenseMask, Mask

CAPACITY_STEP = 16  # keys


class KeyValues:
    """The keys and values that one attention part has already computed."""

    def __init__(self) -> None:
        self.length = 0  # keys that are there
        self.positions = 0  # positions that they take up: beams share one
        self.batched_beams = False  # new tokens are beams, all at the next position, not one behind the other
        self._key: Tensor | None = None  # (batch, heads, capacity, d_head); beyond `length` it is uninitialised
        self._value: Tensor | None = None

    @property
    def kept(self) -> tuple[Tensor, Tensor] | None:
        """(batch, heads, keys, d_head) each, or None when there is nothing yet."""
        if self._key is None or self._value is None:
            return None
        return self._key[:, :, : self.length], self._value[:, :, : self.length]

    def keep(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values that never grow: those of a source. Kept as they are, without spare capacity."""
        self._key, self._value, self.length = key, value, key.shape[-2]
        return key, value

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, heads, new, d_head) each → all that there are now."""
        begin, end = self.length, self.length + key.shape[-2]
        self._key, self._value = _reserve(self._key, key, begin, end), _reserve(self._value, value, begin, end)
        self._key[:, :, begin:end] = key
        self._value[:, :, begin:end] = value
        self.length = end
        self.positions += 1 if self.batched_beams else end - begin
        return self._key[:, :, :end], self._value[:, :, :end]

    def select(self, rows: Tensor) -> None:
        """Keep the given rows of the batch, in the given order."""
        if self._key is not None and self._value is not None:
            self._key, self._value = self._key.index_select(0, rows), self._value.index_select(0, rows)


@dataclass(slots=True)
class LayerCache:
    """What one decoder layer remembers."""

    self_attention: KeyValues = field(default_factory=KeyValues)
    cross_attention: KeyValues = field(default_factory=KeyValues)


class Repeated:
    """A step of generation that is done again and again."""

    def __init__(self, step: Callable[[], None]) -> None:
        self.step = step

    def __call__(self, steps_left: int) -> None:
        self.step()

    def tensors_moved(self) -> None:
        """Called when the step's tensors are no longer the ones that it worked on before."""


class DecoderCache:
    """What all layers remember, and which keys belong to the past of which hypothesis."""

    def __init__(self, depth: int) -> None:
        self.layers = [LayerCache() for _ in range(depth)]
        self.prompt, self.beam = 0, 1  # positions before the beams begin; hypotheses per sentence
        self._ancestry: Tensor | None = None  # (batch, 1, beam, capacity): 0 where a hypothesis may look, else −∞
        self._masked_keys = 0  # keys that the ancestry mask covers
        self._self_only: Tensor | None = None
        self._device: torch.device | None = None

    @property
    def position(self) -> int:
        """Where the next token stands."""
        return self.layers[0].self_attention.positions

    @property
    def reserved_positions(self) -> int:
        """All positions that the next step may ask for lie before this one."""
        return self.position + 1

    @property
    def position_ids(self) -> Tensor:
        """(1, 1): where the next tokens stand, all of them, once they are beams."""
        assert self._device is not None
        return torch.full((1, 1), self.position, device=self._device)

    @property
    def key_position_ids(self) -> Tensor | None:
        """(keys,): where the keys of the next step stand; None while they stand one behind the other."""
        if not self.batched_beams:
            return None
        behind = torch.arange(self.next_keys - self.prompt, device=self._device) // self.beam
        return torch.cat([torch.arange(self.prompt, device=self._device), self.prompt + behind])

    @property
    def next_keys(self) -> int:
        """The keys that attention sees in the next step, the new ones included."""
        return self.layers[0].self_attention.length + self.beam

    @property
    def batched_beams(self) -> bool:
        return self.layers[0].self_attention.batched_beams

    @property
    def mask(self) -> Mask | None:
        """What of the target itself the next tokens may see; None: all of it."""
        return None if self.ancestry is None else DenseMask(self.ancestry)

    @property
    def ancestry(self) -> Tensor | None:
        """(batch, 1, beam, keys), to be added to the scores of the tokens that come next; None: all keys are seen."""
        return None if self._ancestry is None else self._ancestry[..., : self._masked_keys]

    def reorder(self, parent: Tensor, dtype: torch.dtype, done: Tensor | None = None) -> None:
        """From now on new tokens are beams; parent: (batch, beam), the hypothesis that each of them continues.

        done: (batch,), the sentences that need nothing any more; here they are computed all the same.
        """
        batch, self.beam = parent.shape
        self._device = parent.device
        if not self.batched_beams:
            self.prompt = self.position
        for layer in self.layers:
            layer.self_attention.batched_beams = True
        if self.beam == 1:
            return  # one hypothesis, one past
        begin = self.layers[0].self_attention.length
        if self._ancestry is None:  # what stands there so far is the prompt, which all share
            self._ancestry = torch.zeros(batch, 1, 1, begin, dtype=dtype, device=parent.device)
        self._masked_keys = end = begin + self.beam
        past = self._ancestry.gather(2, parent[:, None, :, None].expand(-1, -1, -1, self._ancestry.shape[-1]))
        self._ancestry = _reserve(past, past, begin, end, dim=-1)
        self._ancestry[..., begin:end] = self.self_only(parent, dtype)

    def self_only(self, parent: Tensor, dtype: torch.dtype) -> Tensor:
        """(beam, beam): of the newest tokens each sees itself alone."""
        if self._self_only is None:
            beam = parent.shape[1]
            others = torch.full((beam, beam), -torch.inf, dtype=dtype, device=parent.device)
            self._self_only = others.fill_diagonal_(0.0)
        return self._self_only

    @property
    def source_mask(self) -> Mask | None:
        """For cross-attention, where the cache itself knows which keys of the source may be seen."""
        return None

    def reserve(self, steps: int, first: int, most: int) -> bool:
        """Capacity for so many steps; whether anything was moved for it. This one grows by itself, as it is used."""
        return False

    @contextmanager
    def repeated(self, step: Callable[[], None], model: nn.Module) -> Iterator[Repeated]:
        """A step with this cache, in the fastest form to repeat it."""
        yield Repeated(step)

    def select(self, sentences: Tensor) -> None:
        """Keep the given sentences, in the given order."""
        for layer in self.layers:
            layer.self_attention.select(sentences)
            layer.cross_attention.select(sentences)
        if self._ancestry is not None:
            self._ancestry = self._ancestry.index_select(0, sentences)


def _reserve(kept: Tensor | None, like: Tensor, length: int, needed: int, dim: int = -2) -> Tensor:
    """The same content with capacity for `needed` along `dim`, and half as much again so that copying stays rare.

    Capacity comes in steps of sixteen: attention wants rows that are aligned.
    """
    if kept is not None and kept.shape[dim] >= needed and kept.shape[dim] % CAPACITY_STEP == 0:
        return kept
    shape = list(like.shape)
    shape[dim] = -(-(needed + needed // 2) // CAPACITY_STEP) * CAPACITY_STEP
    grown = like.new_empty(shape)
    if kept is not None:
        grown.narrow(dim, 0, length).copy_(kept.narrow(dim, 0, length))
    return grown
