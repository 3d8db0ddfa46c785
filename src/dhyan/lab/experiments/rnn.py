"""The translators that came before the Transformer: a GRU reads, a GRU writes, with or without attention."""

import torch
from torch import Tensor, nn

from dhyan.core.special_tokens import START


class AdditiveAttention(nn.Module):
    """Bahdanau's: score(s, h) = v · tanh(W s + U h), softmax over the source, and the mean of the h so weighted."""

    def __init__(self, d_hidden: int) -> None:
        super().__init__()
        self.W = nn.Linear(d_hidden, d_hidden)
        self.U = nn.Linear(d_hidden, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, state: Tensor, memory: Tensor, keys: Tensor) -> Tensor:
        """state: (batch, d_hidden); memory: (batch, source, d_hidden); keys: U · memory, the same at every step."""
        scores = self.v(torch.tanh(self.W(state)[:, None] + keys))  # (batch, source, 1)
        context: Tensor = (scores.softmax(dim=1) * memory).sum(dim=1)
        return context  # (batch, d_hidden)


class RecurrentTranslator(nn.Module):
    """A GRU reads the source both ways. What the writing GRU gets of it at each step is the `context`:

    without attention one vector, the last states of the reader, the same at every step; with attention a mean of all
    the reader's states, weighed anew for each word. Nothing else differs. Rows of a batch are of one length.
    """

    def __init__(self, source_vocabulary: int, target_vocabulary: int, d_hidden: int, attends: bool) -> None:
        super().__init__()
        self.source_embedding = nn.Embedding(source_vocabulary, d_hidden)
        self.target_embedding = nn.Embedding(target_vocabulary, d_hidden)
        self.reader = nn.GRU(d_hidden, d_hidden // 2, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(d_hidden, d_hidden)  # the reader's last states → the writer's first
        self.attention = AdditiveAttention(d_hidden) if attends else None
        self.writer = nn.GRU(2 * d_hidden, d_hidden, batch_first=True)
        self.out = nn.Linear(d_hidden, target_vocabulary)

    def read(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, source) ids → all states (batch, source, d_hidden) and the summary (batch, d_hidden)."""
        memory, last = self.reader(self.source_embedding(source))  # last: (directions, batch, d_hidden / 2)
        return memory, last.transpose(0, 1).flatten(1)

    def forward(self, target: Tensor, source: Tensor) -> Tensor:
        """Teacher forcing: (batch, target) ids, start mark first → logits (batch, target, vocabulary)."""
        memory, summary = self.read(source)
        state = torch.tanh(self.bridge(summary))[None]  # (1, batch, d_hidden)
        words = self.target_embedding(target)  # (batch, target, d_hidden)
        if self.attention is None:
            context = summary[:, None].expand(-1, target.shape[1], -1)
            written, _ = self.writer(torch.cat([words, context], dim=-1), state)
            return self.logits(written)
        keys = self.attention.U(memory)
        steps = []
        for word in words.unbind(dim=1):
            context = self.attention(state[0], memory, keys)  # (batch, d_hidden)
            output, state = self.writer(torch.cat([word, context], dim=-1)[:, None], state)
            steps.append(output)
        return self.logits(torch.cat(steps, dim=1))

    def logits(self, written: Tensor) -> Tensor:
        logits: Tensor = self.out(written)
        return logits

    @torch.inference_mode()
    def translate(self, source: Tensor, steps: int) -> Tensor:
        """Greedy: the most probable word each time, `steps` of them: (batch, steps) ids."""
        memory, summary = self.read(source)
        state = torch.tanh(self.bridge(summary))[None]
        keys = self.attention.U(memory) if self.attention is not None else memory
        word = torch.full_like(source[:, 0], START)
        found = []
        for _ in range(steps):
            context = summary if self.attention is None else self.attention(state[0], memory, keys)
            seen = torch.cat([self.target_embedding(word), context], dim=-1)[:, None]
            written, state = self.writer(seen, state)
            word = self.logits(written[:, 0]).argmax(dim=-1)
            found.append(word)
        return torch.stack(found, dim=1)
