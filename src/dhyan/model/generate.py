"""Inference, step by step: start token, predict, append, repeat until the end token. Keys and values are cached."""

from collections.abc import Iterator

import torch
from torch import Tensor

from dhyan.model.decoding import Decoding, Hypothesis
from dhyan.model.transformer import Transformer
from dhyan.special import END, MASK, PAD, START, UNK

NEVER_WRITTEN = (PAD, UNK, START, MASK)


class Stepper:
    """A decoder in the middle of its work: feed it the newest tokens, it gives log-probabilities of the next."""

    def __init__(self, model: Transformer, source: Tensor | None, copies: int = 1) -> None:
        self.model = model
        self.cache = model.decoder.new_cache()
        self.memory: Tensor | None = None
        self.allowed: Tensor | None = None
        if source is not None:
            memory, allowed = model.encode(source)
            self.memory = memory.repeat_interleave(copies, dim=0)
            self.allowed = None if allowed is None else allowed.repeat_interleave(copies, dim=0)

    def __call__(self, newest: Tensor) -> Tensor:
        """newest: (rows, new positions) ids → (rows, vocabulary) log-probabilities after the last of them."""
        decoder = self.model.decoder
        hidden = decoder(newest, self.memory, self.allowed, self.cache)[:, -1]  # (rows, d_model)
        logits = decoder.out(hidden).float()
        logits[:, NEVER_WRITTEN] = -torch.inf
        logprobs: Tensor = logits.log_softmax(dim=-1)
        return logprobs

    def select(self, rows: Tensor, sentences_changed: bool) -> None:
        """Follow the hypotheses that live on. A beam's cross-attention is its sentence's, so it rarely moves."""
        for layer in self.cache:
            layer.self_attention.select(rows)
            if sentences_changed:
                layer.cross_attention.select(rows)
        if sentences_changed and self.memory is not None and self.allowed is not None:
            self.memory, self.allowed = self.memory.index_select(0, rows), self.allowed.index_select(0, rows)


@torch.inference_mode()
def generate(model: Transformer, decoding: Decoding, source: Tensor | None, prompt: Tensor) -> list[list[Hypothesis]]:
    """For each row the best hypotheses, best first.

    source: (batch, positions) ids for an encoder–decoder, None for a decoder alone.
    prompt: (batch, positions) ids to continue, all of one length; the start token alone for a translation.
    """
    limits = length_limits(model, decoding, source, prompt)
    if decoding.sample:
        drawn = list(sample(model, decoding, source, prompt, max(limits)))
        return [[hypothesis] for hypothesis in _read_rows(drawn, prompt.shape[0])]
    return beam_search(model, decoding, source, prompt, limits)


def length_limits(model: Transformer, decoding: Decoding, source: Tensor | None, prompt: Tensor) -> list[int]:
    """The most tokens that each row may get: as asked, or twice its source and some; within learned positions."""
    room = max(1, model.architecture.max_positions - prompt.shape[1])
    if decoding.max_length is not None:
        wanted = [decoding.max_length] * prompt.shape[0]
    elif source is None:
        wanted = [room] * prompt.shape[0]
    else:
        wanted = [2 * length + 20 for length in (source != PAD).sum(dim=1).tolist()]
    return [min(limit, room) for limit in wanted] if model.architecture.positions == "learned" else wanted


def beam_search(
    model: Transformer, decoding: Decoding, source: Tensor | None, prompt: Tensor, limits: list[int]
) -> list[list[Hypothesis]]:
    """Keep the `beam` likeliest beginnings; a sentence is done when `beam` of its hypotheses have ended.

    Twice as many candidates as beams are drawn up, so that those which end can be replaced by others.
    """
    beam = decoding.beam
    batch, device = prompt.shape[0], prompt.device
    step = Stepper(model, source, copies=beam)
    alive = torch.arange(batch, device=device)  # sentences still under way
    newest = prompt.repeat_interleave(beam, dim=0)  # (alive · beam, positions)
    written = torch.empty(batch, beam, 0, dtype=torch.long, device=device)
    scores = torch.full((batch, beam), -torch.inf, device=device)
    scores[:, 0] = 0.0  # all beams start equal: let only one of them count
    finished: list[list[Hypothesis]] = [[] for _ in range(batch)]

    last = torch.tensor(limits, device=device)

    for position in range(max(limits)):
        logprobs = step(newest)  # (alive · beam, vocabulary)
        vocabulary = logprobs.shape[-1]
        total = scores[:, :, None] + logprobs.view(-1, beam, vocabulary)
        best, where = total.flatten(1).topk(min(2 * beam, beam * vocabulary))  # (alive, 2 · beam)
        parent, token = where // vocabulary, where % vocabulary
        out_of_room = position + 1 >= last[alive]  # (alive,)
        ended = (token == END) | out_of_room[:, None]

        for row, rank in ended[:, :beam].nonzero().tolist():
            score = float(best[row, rank])
            if score == -torch.inf:
                continue
            ids = written[row, parent[row, rank]].tolist()
            if token[row, rank] != END:
                ids.append(int(token[row, rank]))
            finished[int(alive[row])].append(Hypothesis(ids, score / max(1, len(ids)) ** decoding.length_penalty))

        # Those that go on: the first `beam` candidates that have not ended, in order of rank.
        onward = ended.to(torch.int8).argsort(dim=1, stable=True)[:, :beam]  # (alive, beam)
        scores, token, parent = best.gather(1, onward), token.gather(1, onward), parent.gather(1, onward)
        written = written.gather(1, parent[:, :, None].expand(-1, -1, written.shape[2]))
        written = torch.cat([written, token[:, :, None]], dim=2)

        unfinished = [len(finished[sentence]) < beam for sentence in alive.tolist()]
        still = torch.tensor(unfinished, device=device) & ~out_of_room
        if not bool(still.any()):
            break
        rows = torch.arange(len(alive), device=device)[:, None] * beam + parent  # (alive, beam)
        shrinks = not bool(still.all())
        if shrinks:
            rows, scores, written, token, alive = (x[still] for x in (rows, scores, written, token, alive))
        step.select(rows.flatten(), sentences_changed=shrinks)
        newest = token.reshape(-1, 1)

    ranked = [sorted(found, key=lambda hypothesis: -hypothesis.score) for found in finished]
    return [found[: decoding.alternatives] for found in ranked]


@torch.inference_mode()
def sample(
    model: Transformer, decoding: Decoding, source: Tensor | None, prompt: Tensor, limit: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Draw one token a row and step, and yield (tokens, their log-probabilities), so that a caller can stream.

    A row that has ended yields END from then on.
    """
    generator = torch.Generator(device=prompt.device).manual_seed(decoding.seed)
    step = Stepper(model, source)
    newest = prompt
    over = torch.zeros(prompt.shape[0], dtype=torch.bool, device=prompt.device)
    for _ in range(limit):
        logprobs = step(newest)  # (batch, vocabulary)
        probabilities = reshape_distribution(logprobs, decoding)
        token = torch.multinomial(probabilities, 1, generator=generator)[:, 0]
        token = token.masked_fill(over, END)
        yield token, logprobs.gather(1, token[:, None])[:, 0]
        over = over | (token == END)
        if bool(over.all()):
            return
        newest = token[:, None]


def reshape_distribution(logprobs: Tensor, decoding: Decoding) -> Tensor:
    """(rows, vocabulary) log-probabilities → probabilities after temperature, top-k and top-p."""
    logits = logprobs / decoding.temperature
    if 0 < decoding.top_k < logits.shape[-1]:
        least = logits.topk(decoding.top_k).values[:, -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    if decoding.top_p < 1:
        ordered, order = logits.softmax(-1).sort(descending=True)
        before = ordered.cumsum(-1) - ordered  # what the likelier ones already add up to
        too_late = (before >= decoding.top_p).scatter(1, order, before >= decoding.top_p)
        logits = logits.masked_fill(too_late, -torch.inf)
    return logits.softmax(dim=-1)


def _read_rows(steps: list[tuple[Tensor, Tensor]], rows: int) -> list[Hypothesis]:
    found = []
    for row in range(rows):
        ids: list[int] = []
        score = 0.0
        for token, logprob in steps:
            score += float(logprob[row])
            if int(token[row]) == END:
                break
            ids.append(int(token[row]))
        found.append(Hypothesis(ids, score / max(1, len(ids))))
    return found
