"""A decoder in the middle of its work: feed it the newest tokens, it gives log-probabilities of the next."""

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.model import backends
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.generation.top_k import top_k
from dhyan.model.masks import DenseMask, Mask
from dhyan.model.transformer import Transformer

ALIGNED_TO = 16  # a mask whose rows begin at such addresses is used as it is; fast kernels would copy any other


class DecoderState:
    def __init__(self, model: Transformer, source: Tensor | None) -> None:
        self.decoder, special = model.decoder, model.architecture.special
        self.cache = DecoderCache(model.decoder.depth)
        self.end = special.end
        self.memory: Tensor | None = None
        self.memory_mask: Mask | None = None
        self.source_lengths: Tensor | None = None  # (batch,): tokens of each source
        if source is not None:
            self.memory, mask = model.encode(source)
            # Made once, where attention would make it anew at every step and layer.
            self.memory_mask = _aligned(mask.dense(self.memory.dtype, 1, source.shape[1]))
            self.source_lengths = (source != special.pad).sum(dim=1, dtype=torch.int32)
        out = self.decoder.out
        never = torch.tensor(special.never_written, dtype=torch.long, device=out.b.device)
        self.bias = out.b.detach().clone().index_fill_(0, never, -torch.inf)

    def __call__(self, newest: Tensor) -> Tensor:
        """Log-probabilities of the next token, float32.

        newest: (batch, positions) ids that follow each other → (batch, 1, vocabulary); once beams are reordered,
        (batch, beam) ids that stand beside each other → (batch, beam, vocabulary).
        """
        return self._logits(newest).log_softmax(dim=-1, dtype=torch.float32)

    def top_k(self, newest: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Only the `count` largest of them, or as many as there are, and their ids: (batch, 1 or beam, count)."""
        logits = self._logits(newest)
        return top_k(logits, min(count, logits.shape[-1]))

    def _logits(self, newest: Tensor) -> Tensor:
        if self.cache.batched_beams:
            self.decoder.positions.reserve(self.cache.reserved_positions)
            mask, position_ids = self.cache.mask, self.cache.position_ids
            hidden = self.decoder(newest, self.memory, self.memory_mask, self.cache, mask, position_ids)
        else:
            hidden = self.decoder(newest, self.memory, self.memory_mask, self.cache)[:, -1:]
        return backends.linear(hidden, self.decoder.out.W, self.bias)  # hidden: (batch, 1 or beam, d_model)

    def reorder(self, parent: Tensor, done: Tensor | None = None) -> None:
        """parent: (batch, beam), the hypothesis that each of the next tokens continues.

        done: (batch,), sentences for which nothing need be computed any more.
        """
        self.cache.reorder(parent, self.bias.dtype, done)

    def use_static_cache(self) -> None:
        """From now on every step is the same work on the same tensors, where the backend can do that.

        Call it once, after the first reordering.
        """
        static = backends.current.static_cache(self.cache, self.source_lengths)
        if static is not None:
            self.cache, self.memory_mask = static, static.source_mask

    def reserve(self, steps: int, first: int, most: int) -> bool:
        """Capacity for the tokens of so many steps: `first` at first, then twice as many, at most `most`.

        Whether anything was moved for it. A cache that is not static grows by itself.
        """
        return self.cache.reserve(steps, first, most)

    def select(self, sentences: Tensor) -> None:
        """Go on with the given sentences alone."""
        self.cache.select(sentences)
        if self.memory is not None:
            self.memory = self.memory.index_select(0, sentences)
        if isinstance(self.memory_mask, DenseMask):
            self.memory_mask = _aligned(self.memory_mask.tensor.index_select(0, sentences))
        else:
            self.memory_mask = self.cache.source_mask


def _aligned(mask: Tensor) -> DenseMask:
    keys = mask.shape[-1]
    return DenseMask(F.pad(mask, (0, -keys % ALIGNED_TO))[..., :keys])
