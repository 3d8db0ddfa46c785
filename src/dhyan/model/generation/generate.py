"""Inference, step by step: start token, predict, append, repeat until the end token. Keys and values are cached."""

from collections.abc import Iterator

import torch
from torch import Tensor

from dhyan.model.generation.beam_search import beam_search
from dhyan.model.generation.decoder_state import DecoderState
from dhyan.model.generation.settings import GenerationSettings, Hypothesis
from dhyan.model.transformer import Transformer


@torch.inference_mode()
def generate(
    model: Transformer,
    decoding: GenerationSettings,
    source: Tensor | None,
    prompt: Tensor,
    no_repeat_ngram: int = 0,
) -> list[list[Hypothesis]]:
    """For each row the best hypotheses, best first.

    source: (batch, positions) ids for an encoder–decoder, None for a decoder alone.
    prompt: (batch, positions) ids to continue, all of one length; the start token alone for a translation.
    """
    limits = length_limits(model, decoding, source, prompt)
    if decoding.sample:
        drawn = list(sample(model, decoding, source, prompt, max(limits)))
        return [
            [hypothesis]
            for hypothesis in _read_rows(drawn, prompt.shape[0], decoding, model.architecture.special.end)
        ]
    return beam_search(model, decoding, source, prompt, limits, no_repeat_ngram)


def length_limits(
    model: Transformer, decoding: GenerationSettings, source: Tensor | None, prompt: Tensor
) -> list[int]:
    """The most tokens that each row may get: as asked, or twice its source and some; within learned positions."""
    longest = max(1, model.architecture.max_positions - prompt.shape[1])
    if decoding.max_length is not None:
        wanted = [decoding.max_length] * prompt.shape[0]
    elif source is None:
        wanted = [longest] * prompt.shape[0]
    else:
        wanted = [2 * length + 20 for length in (source != model.architecture.special.pad).sum(dim=1).tolist()]
    return [min(limit, longest) for limit in wanted] if model.architecture.positions == "learned" else wanted


@torch.inference_mode()
def sample(
    model: Transformer, decoding: GenerationSettings, source: Tensor | None, prompt: Tensor, limit: int
) -> Iterator[tuple[Tensor, Tensor]]:
    """Draw one token per row and step, and yield (tokens, their log-probabilities), so that a caller can stream.

    A row that has ended yields the end token from then on.
    """
    end = model.architecture.special.end
    generator = torch.Generator(device=prompt.device).manual_seed(decoding.seed)
    decoder = DecoderState(model, source)
    newest = prompt
    over = torch.zeros(prompt.shape[0], dtype=torch.bool, device=prompt.device)
    for _ in range(limit):
        logprobs = decoder(newest)[:, -1]  # (batch, vocabulary)
        probabilities = reshape_distribution(logprobs, decoding)
        token = torch.multinomial(probabilities, 1, generator=generator)[:, 0]
        token = token.masked_fill(over, end)
        yield token, logprobs.gather(1, token[:, None])[:, 0]
        over = over | (token == end)
        if bool(over.all()):
            return
        newest = token[:, None]


def reshape_distribution(logprobs: Tensor, decoding: GenerationSettings) -> Tensor:
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


def _read_rows(
    steps: list[tuple[Tensor, Tensor]], rows: int, decoding: GenerationSettings, end: int
) -> list[Hypothesis]:
    found = []
    for row in range(rows):
        tokens: list[int] = []
        score = 0.0
        for token, logprob in steps:
            score += float(logprob[row])
            tokens.append(int(token[row]))
            if tokens[-1] == end:
                break
        found.append(Hypothesis.of(tokens, score / decoding.divisor(len(tokens)), end))
    return found
