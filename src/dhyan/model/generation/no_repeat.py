"""No n-gram twice: a hypothesis may not write a sequence of n tokens that it has written before."""

import torch
from torch import Tensor


class NoRepeatNgram:
    """Follows what the hypotheses of a beam search have written, and bans the tokens that would repeat an n-gram."""

    def __init__(self, length: int, batch: int, beam: int, device: torch.device) -> None:
        self.length = length
        self.written = torch.empty(batch, beam, 0, dtype=torch.long, device=device)  # (alive, beam, steps)

    def ban(self, logprobs: Tensor) -> Tensor:
        """(alive, 1 or beam, vocabulary) log-probabilities → the same among the tokens that are left."""
        begin = self.written.shape[2] - self.length + 1  # of the last n − 1 tokens
        if begin < 1:
            return logprobs
        ngrams = self.written.unfold(2, self.length, 1)  # (alive, beam, begin, length)
        is_repeated = (ngrams[..., :-1] == self.written[:, :, None, begin:]).all(dim=-1)  # (alive, beam, begin)
        penalty = torch.zeros_like(is_repeated, dtype=logprobs.dtype).masked_fill_(is_repeated, -torch.inf)
        return logprobs.scatter_add(2, ngrams[..., -1], penalty).log_softmax(dim=-1)

    def add(self, parent: Tensor, token: Tensor) -> None:
        """parent, token: (alive, beam)."""
        past = self.written.gather(1, parent[:, :, None].expand_as(self.written))
        self.written = torch.cat([past, token[:, :, None]], dim=2)

    def select(self, left: Tensor) -> None:
        """Keep the given sentences."""
        self.written = self.written.index_select(0, left)
