"""Beam search: the most probable beginnings of many sentences are kept and grown together, all of it on the device.

To read a single number back from a GPU takes as long as much of a step, so nothing is read within a step: what is
written and what has finished is kept in tensors, and only every few steps is it checked how many sentences are left.
A step changes tensors in place, and no number in it differs from step to step, so that it can be replayed.
"""

from itertools import accumulate

import torch
from torch import Tensor
from torch.nn import functional as F

from dhyan.model.generation.decoder_state import DecoderState
from dhyan.model.generation.no_repeat import NoRepeatNgram
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.model.transformer import Transformer

CHECK_EVERY = {"cuda": 8}  # steps; elsewhere a check costs nothing
SHARE_TO_DROP = 0.25  # of the sentences: so many must be done before the others are moved together
FEWEST_TO_DROP = {"cuda": 256}  # sentences: fewer save a GPU no time, and a step has to be recorded anew
FEW_LEFT = {"cuda": 4096}  # sentences: where there are no more of them, half must be done, for steps are short then
FIRST_CAPACITY = 32  # positions, where no source says how many there may be


@torch.inference_mode()
def beam_search(
    model: Transformer,
    decoding: GenerationSettings,
    source: Tensor | None,
    prompt: Tensor,
    limits: list[int],
    no_repeat_ngram: int = 0,
) -> list[list[Hypothesis]]:
    """Keep the `beam` most probable beginnings; a sentence is done when `beam` of its hypotheses have ended.

    Twice as many candidates as beams are drawn up, so that those which end can be replaced by others.
    limits: the most tokens that each sentence may get. no_repeat_ngram: n-grams of this length occur only once.
    """
    device, steps = prompt.device, max(limits)
    check_every = CHECK_EVERY.get(device.type, 1)
    capacity = FIRST_CAPACITY if source is None else likely_length(source.shape[1])
    decoder = DecoderState(model, source)
    beams = BeamState(decoder, decoding.beam, torch.tensor(limits, device=device), steps, no_repeat_ngram)
    beams.step(prompt, torch.zeros(len(prompt), 1, device=device))
    if steps > 1 and not no_repeat_ngram:
        decoder.use_static_cache()

    with decoder.cache.repeated(beams.step, model) as step:
        for position in range(1, steps):
            if position % check_every == 0:
                left = (~beams.done).nonzero()[:, 0]
                if len(left) == 0:
                    steps = position
                    break
                if should_drop(len(beams.done), len(left), device):
                    step.tensors_moved()
                    beams.select(left)
            if decoder.reserve(position, first=capacity, most=steps - 1):
                step.tensors_moved()
            step(steps - position)
        return beams.finished.best(decoding, beams.history, steps, decoder.end)


def should_drop(alive: int, left: int, device: torch.device) -> bool:
    """Whether to go on with those that are left alone."""
    share = 2 * SHARE_TO_DROP if alive <= FEW_LEFT.get(device.type, 0) else SHARE_TO_DROP
    return alive - left >= max(share * alive, FEWEST_TO_DROP.get(device.type, 1))


def likely_length(source: int) -> int:
    """Hardly any translation of a source of so many tokens is longer."""
    return 3 * source // 2 + 20


class BeamState:
    """The sentences under way. A step changes these tensors in place, and no other."""

    def __init__(self, decoder: DecoderState, beam: int, limit: Tensor, steps: int, no_repeat_ngram: int = 0) -> None:
        """limit: (batch,)"""
        batch, device = len(limit), limit.device
        self.decoder, self.beam, self.limit = decoder, beam, limit
        self.alive = torch.arange(batch, device=device)  # which of all sentences these are
        self.done = torch.zeros(batch, dtype=torch.bool, device=device)
        self.scores = torch.zeros(batch, beam, device=device)  # (alive, beam): log-probabilities
        self.newest = torch.zeros(batch, beam, dtype=torch.long, device=device)  # (alive, beam): the last tokens
        self.position = torch.zeros(1, dtype=torch.long, device=device)  # tokens written so far
        self.history = History(steps, batch, beam, device)
        self.finished = Finished(batch, beam, device)
        self.no_repeat = NoRepeatNgram(no_repeat_ngram, batch, beam, device) if no_repeat_ngram else None

    def step(self, newest: Tensor | None = None, scores: Tensor | None = None) -> None:
        """newest, scores: (alive, positions), (alive, 1): the prompt and 0 in the first step; then its own."""
        newest = self.newest if newest is None else newest
        scores = self.scores if scores is None else scores
        beam = self.beam
        logprobs, tokens = self._top_k(newest, 2 * beam)  # (alive, 1 or beam, 2 · beam) each
        best, parent, token = candidates(scores, logprobs, tokens, 2 * beam)  # (alive, 2 · beam) each
        at_limit = self.position + 1 >= self.limit  # (alive,)
        ended = (token == self.decoder.end) | at_limit[:, None]

        counts = (ended & (best > -torch.inf) & ~self.done[:, None])[:, :beam]
        self.finished.add(self.alive, counts, self.position, parent[:, :beam], token[:, :beam], best[:, :beam])
        self.done |= at_limit | (self.finished.count[self.alive] >= beam)

        # Those that go on: the first `beam` candidates that have not ended, in order of rank.
        onward = ended.to(torch.int8).argsort(dim=1, stable=True)[:, :beam]  # (alive, beam)
        parent = parent.gather(1, onward)
        torch.gather(best, 1, onward, out=self.scores)
        torch.gather(token, 1, onward, out=self.newest)
        self.history.add(self.alive, self.position, parent, self.newest)
        if self.no_repeat is not None:
            self.no_repeat.add(parent, self.newest)
        self.decoder.reorder(parent, self.done)
        self.position += 1

    def _top_k(self, newest: Tensor, count: int) -> tuple[Tensor, Tensor]:
        if self.no_repeat is None:
            return self.decoder.top_k(newest, count)
        logprobs = self.no_repeat.ban(self.decoder(newest))  # (alive, 1 or beam, vocabulary)
        best, tokens = logprobs.topk(min(count, logprobs.shape[-1]))
        return best, tokens

    def select(self, left: Tensor) -> None:
        """Go on with the given sentences alone."""
        self.decoder.select(left)
        if self.no_repeat is not None:
            self.no_repeat.select(left)
        self.alive, self.limit, self.done, self.scores, self.newest = (
            x.index_select(0, left) for x in (self.alive, self.limit, self.done, self.scores, self.newest)
        )


class History:
    """What was written at each step, and behind which hypothesis of the step before."""

    def __init__(self, steps: int, batch: int, beam: int, device: torch.device) -> None:
        self.batch = batch
        self.tokens = torch.empty(steps, batch, beam, dtype=torch.long, device=device)
        self.parents = torch.empty_like(self.tokens)

    def add(self, sentences: Tensor, position: Tensor, parent: Tensor, token: Tensor) -> None:
        """sentences: (alive,); position: (1,); parent, token: (alive, beam)."""
        rows = position * self.batch + sentences
        self.tokens.flatten(0, 1).index_copy_(0, rows, token)
        self.parents.flatten(0, 1).index_copy_(0, rows, parent)

    def read(self, last: Tensor, parent: Tensor, token: Tensor, steps: int) -> Tensor:
        """The tokens of some hypotheses, (steps, batch, some), from the last one back; meaningless behind that.

        last: (batch, some), the position of the last token; parent, token: (batch, some), what is known of that one.
        """
        ids = self.tokens.new_empty(steps, *last.shape)
        for position in reversed(range(steps)):
            torch.gather(self.tokens[position], 1, parent, out=ids[position])
            parent = torch.where(last > position, self.parents[position].gather(1, parent), parent)
        return ids.scatter_(0, last[None], token[None])


class Finished:
    """The hypotheses that have ended, in the order in which they did.

    A sentence is done with `beam` of them, and its last step may end `beam` at once: 2 · beam − 1 at most. One slot
    more takes whatever is to be thrown away.
    """

    def __init__(self, batch: int, beam: int, device: torch.device) -> None:
        self.slots = 2 * beam
        every = batch * self.slots
        self.count = torch.zeros(batch, dtype=torch.long, device=device)
        # Of the last token, an end mark perhaps: its position, what it stands behind, and itself.
        self.last, self.parent, self.token = torch.zeros(3, every, dtype=torch.long, device=device)
        self.scores = torch.full((every,), -torch.inf, device=device)  # log-probabilities

    def add(
        self, sentences: Tensor, counts: Tensor, position: Tensor, parent: Tensor, token: Tensor, scores: Tensor
    ) -> None:
        """sentences: (alive,); position: (1,); counts, parent, token, scores: (alive, beam)."""
        slot = self.count[sentences][:, None] + counts.cumsum(dim=1) - 1
        slot = slot.masked_fill(~counts, self.slots - 1)
        rows = (sentences[:, None] * self.slots + slot).flatten()
        self.last.index_copy_(0, rows, position.expand(len(rows)))
        self.parent.index_copy_(0, rows, parent.flatten())
        self.token.index_copy_(0, rows, token.flatten())
        self.scores.index_copy_(0, rows, scores.flatten())
        self.count.index_add_(0, sentences, counts.sum(dim=1))

    def best(self, decoding: GenerationSettings, history: History, steps: int, end: int) -> list[list[Hypothesis]]:
        """The most probable translation of each sentence; all are read back at once."""
        batch = len(self.count)
        last, parent, token, logprobs = (
            x.view(batch, -1)[:, :-1] for x in (self.last, self.parent, self.token, self.scores)
        )  # (batch, 2 · beam − 1)
        lengths = (last + 1).double()
        scores = logprobs.double() / decoding.divisor(lengths)
        if decoding.length_offset:
            kept = (logprobs.double() / lengths**decoding.kept_by).argsort(dim=1, descending=True, stable=True)
            scores.scatter_(1, kept[:, decoding.beam :], -torch.inf)
        order = scores.argsort(dim=1, descending=True, stable=True)[:, : decoding.alternatives]
        last, parent, token, scores = (x.gather(1, order) for x in (last, parent, token, scores))
        ids = history.read(last, parent, token, steps).permute(1, 2, 0)  # (batch, alternatives, steps)
        written = torch.arange(steps, device=ids.device) <= last[:, :, None]
        every, at = ids[written].tolist(), list(accumulate((last + 1).flatten().tolist(), initial=0))
        return [
            [
                Hypothesis.of(every[at[number] : at[number + 1]], score, end)
                for number, score in enumerate(some, start=sentence * len(some))
                if score > -torch.inf
            ]
            for sentence, some in enumerate(scores.tolist())
        ]


def candidates(scores: Tensor, logprobs: Tensor, tokens: Tensor, count: int) -> tuple[Tensor, Tensor, Tensor]:
    """The most probable continuations: their scores, the hypotheses they continue, their tokens; (batch, count) each.

    scores: (batch, hypotheses); logprobs, tokens: (batch, hypotheses, each), the most probable of each hypothesis.
    """
    total = (scores[:, :, None] + logprobs).flatten(1)  # (batch, hypotheses · each)
    best, where = total.topk(min(count, total.shape[1]))
    parent, token = where // tokens.shape[-1], tokens.flatten(1).gather(1, where)
    missing = (0, count - best.shape[1])
    if missing == (0, 0):
        return best, parent, token
    return F.pad(best, missing, value=-torch.inf), F.pad(parent, missing), F.pad(token, missing)  # few tokens exist
