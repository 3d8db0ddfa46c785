"""What a decoder remembers from step to step, so that no token is computed twice, whichever beams live on.

The beams of a sentence stand side by side, as queries of one row. Their keys are kept side by side too and never
move: a *lineage* says which of them belong to a hypothesis's own past. To follow a hypothesis is to copy its row of
the lineage, a few bytes, instead of all its keys and values.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from dhyan.model.fast.decode_attention import Seen

ROOM_COMES_IN = 16  # keys


class KeyValues:
    """The keys and values that one attention part has already computed."""

    def __init__(self) -> None:
        self.length = 0  # keys that are there
        self.positions = 0  # positions that they take up: beams share one
        self.abreast = False  # new tokens are beams, all at the next position, not one behind the other
        self._key: Tensor | None = None  # (batch, heads, room, d_head); what lies beyond `length` is rubbish
        self._value: Tensor | None = None

    @property
    def kept(self) -> tuple[Tensor, Tensor] | None:
        """(batch, heads, keys, d_head) each, or None when there is nothing yet."""
        if self._key is None or self._value is None:
            return None
        return self._key[:, :, : self.length], self._value[:, :, : self.length]

    def keep(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values that never grow: those of a source. Kept as they are, without room for more."""
        self._key, self._value, self.length = key, value, key.shape[-2]
        return key, value

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, heads, new, d_head) each → all that there are now."""
        begin, end = self.length, self.length + key.shape[-2]
        self._key, self._value = _with_room(self._key, key, begin, end), _with_room(self._value, value, begin, end)
        self._key[:, :, begin:end] = key
        self._value[:, :, begin:end] = value
        self.length = end
        self.positions += 1 if self.abreast else end - begin
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


class DecoderCache:
    """What all layers remember, and whose past is whose."""

    def __init__(self, depth: int) -> None:
        self.layers = [LayerCache() for _ in range(depth)]
        self._lineage: Tensor | None = None  # (batch, 1, beam, room): 0 where a hypothesis may look, else −∞
        self._seen = 0  # keys that the lineage tells of
        self._apart: Tensor | None = None
        self._device: torch.device | None = None

    @property
    def position(self) -> int:
        """Where the next token stands."""
        return self.layers[0].self_attention.positions

    @property
    def reach(self) -> int:
        """All positions that the next step may ask for lie before this one."""
        return self.position + 1

    @property
    def places(self) -> Tensor:
        """(1, 1): where the next tokens stand, all of them, once they are beams."""
        assert self._device is not None
        return torch.full((1, 1), self.position, device=self._device)

    @property
    def abreast(self) -> bool:
        return self.layers[0].self_attention.abreast

    @property
    def own(self) -> Tensor | Seen | None:
        """What of the target itself the next tokens may see; None: all of it."""
        return self.lineage

    @property
    def lineage(self) -> Tensor | None:
        """(batch, 1, beam, keys), to be added to the scores of the tokens that come next; None: all keys are seen."""
        return None if self._lineage is None else self._lineage[..., : self._seen]

    def follow(self, parent: Tensor, dtype: torch.dtype, done: Tensor | None = None) -> None:
        """From now on new tokens are beams; parent: (batch, beam), the hypothesis that each of them continues.

        done: (batch,), the sentences that need nothing any more; here they are dragged along.
        """
        batch, beam = parent.shape
        self._device = parent.device
        for layer in self.layers:
            layer.self_attention.abreast = True
        if beam == 1:
            return  # one hypothesis, one past
        begin = self.layers[0].self_attention.length
        if self._lineage is None:  # what stands there so far is the prompt, which all share
            self._lineage = torch.zeros(batch, 1, 1, begin, dtype=dtype, device=parent.device)
        self._seen = end = begin + beam
        past = self._lineage.gather(2, parent[:, None, :, None].expand(-1, -1, -1, self._lineage.shape[-1]))
        self._lineage = _with_room(past, past, begin, end, dim=-1)
        self._lineage[..., begin:end] = self.apart(parent, dtype)

    def apart(self, parent: Tensor, dtype: torch.dtype) -> Tensor:
        """(beam, beam): of the newest tokens each sees itself alone."""
        if self._apart is None:
            beam = parent.shape[1]
            apart = torch.full((beam, beam), -torch.inf, dtype=dtype, device=parent.device)
            self._apart = apart.fill_diagonal_(0.0)
        return self._apart

    def select(self, sentences: Tensor) -> None:
        """Keep the given sentences, in the given order."""
        for layer in self.layers:
            layer.self_attention.select(sentences)
            layer.cross_attention.select(sentences)
        if self._lineage is not None:
            self._lineage = self._lineage.index_select(0, sentences)


def _with_room(kept: Tensor | None, like: Tensor, length: int, needed: int, dim: int = -2) -> Tensor:
    """The same content with room for `needed` along `dim`, and half as much again so that copying stays rare.

    Room comes in sixteens: attention kernels on a GPU want rows that are aligned.
    """
    if kept is not None and kept.shape[dim] >= needed and kept.shape[dim] % ROOM_COMES_IN == 0:
        return kept
    room = -(-(needed + needed // 2) // ROOM_COMES_IN) * ROOM_COMES_IN
    shape = list(like.shape)
    shape[dim] = room
    roomy = like.new_empty(shape)
    if kept is not None:
        roomy.narrow(dim, 0, length).copy_(kept.narrow(dim, 0, length))
    return roomy
