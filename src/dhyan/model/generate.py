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
    limit = decoding.max_length or default_limit(model, source, prompt)
    if decoding.sample:
        drawn = list(sample(model, decoding, source, prompt, limit))
        return [[hypothesis] for hypothesis in _read_rows(drawn, prompt.shape[0])]
    return beam_search(model, decoding, source, prompt, limit)


def default_limit(model: Transformer, source: Tensor | None, prompt: Tensor) -> int:
    """Twice the source and some; never past the last learned position."""
    room = model.architecture.max_positions - prompt.shape[1]
    if source is None:
        return max(1, room)
    wanted = 2 * source.shape[1] + 20
    return max(1, min(wanted, room)) if model.architecture.positions == "learned" else wanted


def beam_search(
    model: Transformer, decoding: Decoding, source: Tensor | None, prompt: Tensor, limit: int
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

    for position in range(limit):
        logprobs = step(newest)  # (alive · beam, vocabulary)
        vocabulary = logprobs.shape[-1]
        total = scores[:, :, None] + logprobs.view(-1, beam, vocabulary)
        best, where = total.flatten(1).topk(min(2 * beam, beam * vocabulary))  # (alive, 2 · beam)
        parent, token = where // vocabulary, where % vocabulary
        ended = (token == END) if position + 1 < limit else torch.ones_like(token, dtype=torch.bool)

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

        still = torch.tensor([len(finished[int(sentence)]) < beam for sentence in alive], device=device)
        if position + 1 == limit or not bool(still.any()):
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
