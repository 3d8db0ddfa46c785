"""A decoder in the middle of its work: feed it the newest tokens, it gives log-probabilities of the next."""

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.core.special_tokens import NEVER_WRITTEN, PAD
from dhyan.model.fast.decode_attention import Seen, is_usable
from dhyan.model.fast.static_kv_cache import FixedCache
from dhyan.model.fast.top_k import likeliest
from dhyan.model.generation.kv_cache import DecoderCache
from dhyan.model.transformer import Transformer

ALIGNED_TO = 16  # a mask whose rows begin at such addresses is used as it is; a GPU's kernels copy any other


class Stepper:
    def __init__(self, model: Transformer, source: Tensor | None) -> None:
        self.decoder = model.decoder
        self.cache: DecoderCache = model.decoder.new_cache()
        self.memory: Tensor | None = None
        self.allowed: Tensor | Seen | None = None
        self.lengths: Tensor | None = None  # (batch,): tokens of each source
        if source is not None:
            self.memory, allowed = model.encode(source)
            self.allowed = None if allowed is None else added_to_scores(allowed, self.memory.dtype)
            self.lengths = (source != PAD).sum(dim=1, dtype=torch.int32)
        out = self.decoder.out
        never = torch.tensor(NEVER_WRITTEN, device=out.b.device)
        self.bias = out.b.detach().clone().index_fill_(0, never, -torch.inf)

    def __call__(self, newest: Tensor) -> Tensor:
        """Log-probabilities of the next token, float32.

        newest: (batch, positions) ids that follow each other → (batch, 1, vocabulary); once hypotheses are followed,
        (batch, beam) ids that stand beside each other → (batch, beam, vocabulary).
        """
        return self._logits(newest).log_softmax(dim=-1, dtype=torch.float32)

    def likeliest(self, newest: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Only the `count` likeliest of them, or as many as there are, and their ids: (batch, 1 or beam, count)."""
        logits = self._logits(newest)
        return likeliest(logits, min(count, logits.shape[-1]))

    def _logits(self, newest: Tensor) -> Tensor:
        hidden = self.decoder(newest, self.memory, self.allowed, self.cache)  # (batch, positions or beam, d_model)
        if not self.cache.abreast:
            hidden = hidden[:, -1:]
        return F.linear(hidden, self.decoder.out.W, self.bias)

    def follow(self, parent: Tensor, done: Tensor | None = None) -> None:
        """parent: (batch, beam), the hypothesis that each of the next tokens continues.

        done: (batch,), sentences for which nothing need be computed any more.
        """
        self.cache.follow(parent, self.bias.dtype, done)

    def fix(self, batch: int, beam: int) -> bool:
        """From now on every step is the same work on the same tensors, where attention can do without knowing how
        many keys there are. Call it once, when hypotheses are followed. False: it cannot.
        """
        kept = self.cache.layers[0].self_attention.kept
        assert kept is not None
        key, value = kept
        if not is_usable(key.new_empty(1, 1, beam, key.shape[-1]), key, value, None):
            return False
        self.cache = FixedCache(self.cache, batch, beam, self.lengths, key.device)
        self.allowed = self.cache.source
        return True

    def make_room(self, steps: int, first: int, most: int) -> bool:
        """For the tokens of so many steps; `first` of them at first, then twice as many, at most `most`.

        Whether anything was moved for it. A cache that is not fixed looks after itself.
        """
        if not isinstance(self.cache, FixedCache) or steps <= self.cache.room:
            return False
        self.cache.make_room(min(most, max(steps, first, 2 * self.cache.room)))
        return True

    def select(self, sentences: Tensor) -> None:
        """Go on with the given sentences alone."""
        self.cache.select(sentences)
        if self.memory is not None:
            self.memory = self.memory.index_select(0, sentences)
        if isinstance(self.cache, FixedCache):
            self.allowed = self.cache.source
        elif isinstance(self.allowed, Tensor):
            self.allowed = _aligned(self.allowed.index_select(0, sentences))


def added_to_scores(allowed: Tensor, dtype: torch.dtype) -> Tensor:
    """True → 0, False → −∞: made once, where attention would make it anew at every step and layer."""
    return _aligned(torch.zeros_like(allowed, dtype=dtype).masked_fill_(~allowed, -torch.inf))


def _aligned(mask: Tensor) -> Tensor:
    keys = mask.shape[-1]
    return F.pad(mask, (0, -keys % ALIGNED_TO))[..., :keys]
