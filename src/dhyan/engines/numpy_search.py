"""Beam search and sampling in NumPy, for many sentences at once.

It takes the same steps as the recorded search of one sentence (`dhyan.explain.beam_trace`) and keeps no record.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dhyan.engines.batched_numpy import BatchedCache, BatchedTransformer
from dhyan.explain.formulas import Array
from dhyan.explain.numpy_model import Mask
from dhyan.model.generation.settings import GenerationSettings, Hypothesis

Numbers = NDArray[np.intp]
BLOCK = 32  # columns: the largest of each are looked for first


def beam_search(
    model: BatchedTransformer,
    memory: Array | None,
    visible: Mask | None,
    prompt: Numbers,
    settings: GenerationSettings,
    limits: Sequence[int],
    no_repeat_ngram: int = 0,
) -> list[list[Hypothesis]]:
    """For each sentence its hypotheses, best first. Greedy search is a beam of one.

    memory, visible: (sentences, positions, d_model), (sentences, positions) of the encoder, if there is one. prompt:
    (sentences, positions), what is read first. limits: the most tokens that each sentence may get.
    """
    special, beam = model.architecture.special, settings.beam
    never = list(special.never_written)
    cache, found = BatchedCache(), [list[Hypothesis]() for _ in limits]
    alive, limit = np.arange(len(limits)), np.array(limits)  # (alive,)
    scores = np.zeros((len(limits), 1))  # (alive, hypotheses): log-probabilities
    written = np.empty((len(limits), 1, 0), dtype=np.intp)  # (alive, hypotheses, steps)
    newest = prompt[:, None]  # (alive, hypotheses, positions)
    for length in range(1, max(limits) + 1):
        logits = model.step(cache, newest, memory, visible)  # (alive, hypotheses, vocabulary)
        logits[..., never] = -np.inf
        if no_repeat_ngram:
            ban_repeated(logits, written, no_repeat_ngram)
        # Twice as many candidates as beams, so that those which end are replaced by others.
        total, parent, token = candidates(scores, logits, 2 * beam if beam > 1 else 1)  # (alive, candidates) each
        is_last = length >= limit
        ended = (token == special.end) | is_last[:, None]
        for row, rank in zip(*np.nonzero(ended[:, :beam] & np.isfinite(total[:, :beam])), strict=True):
            ids = [*written[row, parent[row, rank]].tolist(), int(token[row, rank])]
            score = float(total[row, rank]) / settings.divisor(length)
            found[alive[row]].append(Hypothesis.of(ids, score, special.end))

        onward = np.argsort(ended, axis=1, kind="stable")[:, :beam]  # those that have not ended, in order of rank
        scores = np.where(_take(ended, onward), -np.inf, _take(total, onward))
        has_enough = np.array([len(found[number]) >= beam for number in alive])
        left = np.nonzero(~(is_last | has_enough | np.isneginf(scores).all(axis=1)))[0]
        if not len(left):
            break
        parents, newest = _take(parent, onward)[left], _take(token, onward)[left][..., None]
        written = np.concatenate([written[left[:, None], parents], newest], axis=2)
        is_same = len(left) == len(alive) and parents.shape == (len(left), 1)  # one hypothesis each, all going on
        alive, limit, scores = alive[left], limit[left], scores[left]
        if not is_same:
            cache.follow(left, parents)
            memory = None if memory is None else memory[left]
            visible = None if visible is None else visible[left]
    return [best_first(hypotheses, settings) for hypotheses in found]


def best_first(found: list[Hypothesis], settings: GenerationSettings) -> list[Hypothesis]:
    """More than `beam` may end in the last step: which of them stay is CTranslate2's rule, that knows powers only."""
    if settings.length_offset:
        found = sorted(found, key=lambda one: -settings.log_probability(one) / one.length**settings.kept_by)
        found = found[: settings.beam]
    return sorted(found, key=lambda one: -one.score)[: settings.alternatives]


def candidates(scores: Array, logits: Array, count: int) -> tuple[Array, Numbers, Numbers]:
    """The most probable continuations of each sentence: their scores, whom they continue, their tokens.

    scores: (sentences, hypotheses); logits: (sentences, hypotheses, vocabulary).
    """
    sentences, hypotheses, vocabulary = logits.shape
    tokens = top_k(logits.reshape(-1, vocabulary), count).reshape(sentences, hypotheses, -1)
    best = np.take_along_axis(logits, tokens, axis=-1).astype(np.float64) - log_sum_exp(logits)[..., None]
    total = (scores[:, :, None] + best).reshape(sentences, -1)  # (sentences, hypotheses · each)
    order = np.argsort(-total, axis=1, kind="stable")[:, :count]
    return _take(total, order), order // tokens.shape[-1], _take(tokens.reshape(sentences, -1), order)


def top_k(values: Array, count: int) -> Numbers:
    """(rows, columns) → (rows, count): where the largest are, largest first; equal ones in their own order.

    The `count` largest lie in those `count` blocks whose own largest are largest, so few columns are sorted.
    """
    rows, columns = values.shape
    if count == 1:
        return np.asarray(values.argmax(axis=1, keepdims=True), dtype=np.intp)
    if columns <= 2 * count * BLOCK:
        return np.asarray(np.argsort(-values, axis=1, kind="stable")[:, :count])
    blocks = np.maximum.reduceat(values, np.arange(0, columns, BLOCK), axis=1)
    largest = np.sort(np.argsort(-blocks, axis=1, kind="stable")[:, :count], axis=1)
    where: Numbers = (largest[:, :, None] * BLOCK + np.arange(BLOCK)).reshape(rows, -1)
    some = np.where(where < columns, _take(values, np.minimum(where, columns - 1)), -np.inf)
    return np.asarray(_take(where, np.argsort(-some, axis=1, kind="stable")[:, :count]), dtype=np.intp)


def log_sum_exp(logits: Array) -> Array:
    """(…, vocabulary) → (…,): what is taken off a logit to make a log-probability of it."""
    largest = logits.max(axis=-1, keepdims=True)
    powers = logits - largest
    np.exp(powers, out=powers)
    return np.asarray(largest[..., 0] + np.log(powers.sum(axis=-1)), dtype=np.float64)


def ban_repeated(logits: Array, written: Numbers, length: int) -> None:
    """Rule out the tokens that would write an n-gram of this length a second time."""
    begin = written.shape[-1] - length + 1  # of the last n − 1 tokens
    if begin < 1:
        return
    ngrams = np.lib.stride_tricks.sliding_window_view(written, length, axis=-1)  # (alive, hypotheses, begin, length)
    is_repeated = (ngrams[..., :-1] == written[:, :, None, begin:]).all(axis=-1)
    sentence, hypothesis, at = np.nonzero(is_repeated)
    logits[sentence, hypothesis, ngrams[sentence, hypothesis, at, -1]] = -np.inf


def draw(logits: NDArray[np.float64], settings: GenerationSettings, chance: np.random.Generator) -> int:
    """One token by its probability, after temperature, top-k and top-p. logits: (vocabulary,)"""
    logits = logits / settings.temperature
    order = top_k(logits[None], min(settings.top_k or len(logits), len(logits)))[0]  # likeliest first
    probabilities = np.exp(logits[order] - logits[order[0]])
    probabilities /= probabilities.sum()
    before = np.cumsum(probabilities) - probabilities  # what the likelier ones already add up to
    probabilities = np.where(before < settings.top_p, probabilities, 0)
    return int(chance.choice(order, p=probabilities / probabilities.sum()))


def _take(values: NDArray[Any], where: Numbers) -> NDArray[Any]:
    return np.take_along_axis(values, where, axis=1)
