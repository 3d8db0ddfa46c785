"""A decoder's cache in which nothing changes from step to step but the content of its tensors.

They lie where they lie, and have room for many steps: how far they are filled is a number on the device. So a step is
the same work at the same addresses every time, and a GPU can be told to do it again without being told all of it.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.model.fast.decode_attention import Seen
from dhyan.model.generation.kv_cache import ROOM_COMES_IN, DecoderCache, KeyValues, LayerCache


class FixedKeyValues(KeyValues):
    """Room for keys and values; new ones are written wherever `at` says. How many there are is not known here."""

    _key: Tensor
    _value: Tensor

    def __init__(self, filled: KeyValues, at: Tensor) -> None:
        super().__init__()
        self.abreast = True
        assert filled.kept is not None
        self._key, self._value = filled.kept
        self.at = at  # (beam,): the keys' numbers

    def extend(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, heads, beam, d_head) each → the whole room, written or not."""
        return self._key.index_copy_(2, self.at, key), self._value.index_copy_(2, self.at, value)

    def make_room(self, keys: int) -> None:
        """Zeros, for rubbish might be no number at all, and that times a weight of 0 is not 0."""
        more = (0, 0, 0, keys - self._key.shape[2])
        self._key = F.pad(self._key, more)
        self._value = F.pad(self._value, more)


class FixedCache(DecoderCache):
    """Goes on from a cache whose hypotheses stand abreast for the first time: before it lies nothing but a prompt."""

    def __init__(
        self, begun: DecoderCache, batch: int, beam: int, lengths: Tensor | None, device: torch.device
    ) -> None:
        """lengths: (batch,), of the sources, whose padding stands at the right."""
        super().__init__(0)
        self.beam, self.begin = beam, begun.position
        self.room = 0  # positions, behind the prompt
        self._lineage, self._apart = begun.lineage, begun._apart
        self.place = torch.full((1, 1), self.begin, device=device)  # the next token's
        self.at = self.begin + torch.arange(beam, device=device)  # where its keys go
        self.written = torch.full((1,), self.begin + beam, dtype=torch.int32, device=device)  # keys, with those
        self.layers = [
            LayerCache(FixedKeyValues(layer.self_attention, self.at), layer.cross_attention) for layer in begun.layers
        ]
        self.lengths = lengths
        self._counts = self.written.repeat(batch)  # (batch,): the keys that each sentence has to look at
        self._source_counts = None if lengths is None else lengths.clone()

    @property
    def reach(self) -> int:
        return self.begin + self.room

    @property
    def places(self) -> Tensor:
        return self.place

    @property
    def own(self) -> Seen:
        return Seen(self._counts, self.lineage)

    @property
    def source(self) -> Seen | None:
        return None if self._source_counts is None else Seen(self._source_counts, None)

    def make_room(self, positions: int) -> None:
        """Room for so many behind the prompt, and for one that is made ready but never needed."""
        self.room = positions
        keys = self.begin + (positions + 1) * self.beam
        keys += -keys % ROOM_COMES_IN
        self._seen = keys
        for layer in self.layers:
            assert isinstance(layer.self_attention, FixedKeyValues)
            layer.self_attention.make_room(keys)
        if self._lineage is not None:
            self._lineage = F.pad(self._lineage, (0, keys - self._lineage.shape[-1]), value=-torch.inf)

    def follow(self, parent: Tensor, dtype: torch.dtype, done: Tensor | None = None) -> None:
        self.place += 1
        self.at += self.beam
        self.written += self.beam
        if self._lineage is not None:
            rows = torch.arange(0, parent.numel(), self.beam, device=parent.device)[:, None] + parent  # (batch, beam)
            past = self._lineage.flatten(0, 2).index_select(0, rows.flatten())  # whole rows: faster than a gather
            past = past.view_as(self._lineage).index_copy_(
                3, self.at, self.apart(parent, dtype).expand(len(parent), 1, -1, -1)
            )
            self._lineage.copy_(past)
        if done is not None:
            going = ~done
            torch.mul(going, self.written, out=self._counts)
            if self.lengths is not None and self._source_counts is not None:
                torch.mul(going, self.lengths, out=self._source_counts)

    def select(self, sentences: Tensor) -> None:
        super().select(sentences)
        self._counts = self._counts.index_select(0, sentences)
        if self.lengths is not None and self._source_counts is not None:
            self.lengths = self.lengths.index_select(0, sentences)
            self._source_counts = self._source_counts.index_select(0, sentences)
