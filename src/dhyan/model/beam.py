"""Beam search: the likeliest beginnings of many sentences are kept and grown together, all of it on the device.

Reading a single number back from a GPU takes as long as much of a step, so nothing is read within a step: what ends
is put aside in tensors, and only now and then do we look how many sentences are left.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.model.decoding import Decoding, Hypothesis
from dhyan.model.stepper import Stepper
from dhyan.model.transformer import Transformer
from dhyan.special import END

LOOK_EVERY = {"cuda": 8}  # steps; elsewhere a look costs nothing
WORTH_DROPPING = 0.25  # share of sentences that must be done before the others are moved together


@torch.inference_mode()
def beam_search(
    model: Transformer, decoding: Decoding, source: Tensor | None, prompt: Tensor, limits: list[int]
) -> list[list[Hypothesis]]:
    """Keep the `beam` likeliest beginnings; a sentence is done when `beam` of its hypotheses have ended.

    Twice as many candidates as beams are drawn up, so that those which end can be replaced by others.
    limits: the most tokens that each sentence may get.
    """
    beam, batch, device = decoding.beam, prompt.shape[0], prompt.device
    look_every = LOOK_EVERY.get(device.type, 1)
    step = Stepper(model, source)
    ended_ones = Ended(batch, beam, max(limits), device)
    alive = torch.arange(batch, device=device)  # sentences under way
    limit = torch.tensor(limits, device=device)
    done = torch.zeros(batch, dtype=torch.bool, device=device)
    scores = torch.zeros(batch, 1, device=device)  # (alive, hypotheses): one, the prompt, then `beam`
    written = torch.empty(batch, 1, 0, dtype=torch.int32, device=device)  # (alive, hypotheses, tokens)
    newest = prompt

    for position in range(max(limits)):
        logprobs, tokens = step.likeliest(newest, 2 * beam)  # (alive, hypotheses, 2 · beam) each
        best, parent, token = candidates(scores, logprobs, tokens, 2 * beam)  # (alive, 2 · beam) each
        ids = torch.cat([_rows(written, parent), token[:, :, None].to(written.dtype)], dim=2)
        out_of_room = position + 1 >= limit  # (alive,)
        ended = (token == END) | out_of_room[:, None]

        counts = (ended & (best > -torch.inf) & ~done[:, None])[:, :beam]
        ended_ones.add(alive, counts, ids[:, :beam], best[:, :beam])
        done = done | out_of_room | (ended_ones.count[alive] >= beam)

        # Those that go on: the first `beam` candidates that have not ended, in order of rank.
        onward = ended.to(torch.int8).argsort(dim=1, stable=True)[:, :beam]  # (alive, beam)
        scores, newest, written = best.gather(1, onward), token.gather(1, onward), _rows(ids, onward)
        step.follow(parent.gather(1, onward))

        if (position + 1) % look_every == 0:
            left = (~done).nonzero()[:, 0]
            if len(left) == 0:
                break
            if len(left) <= len(alive) * (1 - WORTH_DROPPING):
                step.select(left)
                alive, limit, done, scores, written, newest = (
                    x.index_select(0, left) for x in (alive, limit, done, scores, written, newest)
                )
    return ended_ones.best(decoding)


class Ended:
    """The hypotheses that have ended, in the order in which they did.

    A sentence is done with `beam` of them, and its last step may end `beam` at once: 2 · beam − 1 at most. One place
    more takes whatever is to be thrown away.
    """

    def __init__(self, batch: int, beam: int, longest: int, device: torch.device) -> None:
        self.places = 2 * beam
        every = batch * self.places
        self.count = torch.zeros(batch, dtype=torch.long, device=device)
        self.ids = torch.zeros(every, longest, dtype=torch.int32, device=device)
        self.lengths = torch.zeros(every, dtype=torch.long, device=device)  # tokens, an end mark among them
        self.scores = torch.full((every,), -torch.inf, device=device)  # log-probabilities

    def add(self, sentences: Tensor, counts: Tensor, ids: Tensor, scores: Tensor) -> None:
        """sentences: (alive,); counts, scores: (alive, beam); ids: (alive, beam, tokens)."""
        place = self.count[sentences][:, None] + counts.cumsum(dim=1) - 1
        place = place.masked_fill(~counts, self.places - 1)
        rows = (sentences[:, None] * self.places + place).flatten()
        self.ids[:, : ids.shape[2]].index_copy_(0, rows, ids.flatten(0, 1))
        self.lengths.index_fill_(0, rows, ids.shape[2])
        self.scores.index_copy_(0, rows, scores.flatten())
        self.count.index_add_(0, sentences, counts.sum(dim=1))

    def best(self, decoding: Decoding) -> list[list[Hypothesis]]:
        batch = len(self.count)
        lengths = self.lengths.view(batch, -1)[:, :-1]  # (batch, 2 · beam − 1); 0 where there is none
        whole = self.scores.view(batch, -1)[:, :-1].double()
        scores = whole / lengths.clamp(min=1).double() ** decoding.length_penalty
        order = scores.argsort(dim=1, descending=True, stable=True)[:, : decoding.alternatives]
        scores, lengths = scores.gather(1, order), lengths.gather(1, order)
        ids = _rows(self.ids.view(batch, self.places, -1), order)
        ranked = zip(ids.cpu().numpy(), lengths.tolist(), scores.tolist(), strict=True)
        return [
            [
                Hypothesis.of(row[:length].tolist(), score)
                for row, length, score in zip(*one, strict=True)
                if score > -torch.inf
            ]
            for one in ranked
        ]


def candidates(scores: Tensor, logprobs: Tensor, tokens: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """The likeliest ways to go on: their scores, the hypotheses they continue, their tokens; (batch, count) each.

    scores: (batch, hypotheses); logprobs, tokens: (batch, hypotheses, each), the likeliest of each hypothesis.
    """
    total = (scores[:, :, None] + logprobs).flatten(1)  # (batch, hypotheses · each)
    best, where = total.topk(min(count, total.shape[1]))
    parent, token = where // tokens.shape[-1], tokens.flatten(1).gather(1, where)
    missing = (0, count - best.shape[1])  # a vocabulary may be smaller than a beam
    return F.pad(best, missing, value=-torch.inf), F.pad(parent, missing), F.pad(token, missing)


def _rows(x: Tensor, which: Tensor) -> Tensor:
    """x: (batch, rows, numbers), which: (batch, chosen) → (batch, chosen, numbers)"""
    return x.gather(1, which[:, :, None].expand(-1, -1, x.shape[2]))
