"""Beam search with a record of every candidate, and of why those that lost did; greedy search is a beam of one.

It takes the same steps as the engines do (`dhyan.model.generation.generate`), in NumPy, for one sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dhyan.core.special_tokens import NEVER_WRITTEN
from dhyan.explain.formulas import Array, log_softmax
from dhyan.explain.key_value_cache import KeyValueCache
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.model.generation.settings import GenerationSettings


@dataclass(frozen=True, slots=True)
class Guess:
    """A token that may come next, and the address of its probability."""

    id: int
    text: str
    probability: float
    address: str  # dec.out.probs[4,1207]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the decoder: `row` of every decoder array is what was computed while predicting `chosen`."""

    step: int
    row: int
    chosen: Guess
    log_probability: float  # of the chosen, once the tokens that are never written are ruled out
    forced: bool
    guesses: tuple[Guess, ...]  # the most probable first


Fate = Literal["best", "kept", "dead end", "ended", "pruned", "unfinished"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to go on from one hypothesis, at one step of the search.

    fate: *best* lies on the path of the winner; *kept* went on; *dead end* went on, but none of its continuations
    did; *ended* wrote its end mark and is among the results; *pruned* lost its place; *unfinished* was still under
    way when enough others had ended.
    """

    step: int
    rank: int  # 0 is the best of its step
    parent: int | None  # rank of the candidate that it continues, at the step before; None at the first step
    id: int
    ids: tuple[int, ...]  # everything written so far, this token last (an end mark is left out)
    log_probability: float  # of this token
    score: float  # the sum of all of them
    fate: Fate
    why: str  # in words


@dataclass(frozen=True, slots=True)
class Result:
    """A hypothesis that came to its end.

    score: `total`, the sum of log-probabilities, divided by what its length calls for; an end mark counts as a token.
    """

    ids: tuple[int, ...]
    score: float
    total: float
    step: int  # the step and rank of the candidate that ended it
    rank: int
    ended: bool  # False: cut off at the length limit
    why: str


@dataclass(frozen=True)
class BeamTrace:
    """A whole search: for each step its candidates, best first, and the results, best first."""

    beam: int
    length_penalty: float
    length_offset: int
    prefix: tuple[int, ...]  # tokens that were given, not searched for
    steps: tuple[tuple[Candidate, ...], ...]
    results: tuple[Result, ...]

    @property
    def best(self) -> Result:
        return self.results[0]


def top_k(values: Array, count: int) -> list[int]:
    """Indices of the largest values of a row, largest first; equal ones in their own order."""
    count = min(count, values.size)
    some = np.sort(np.argpartition(-values, count - 1)[:count])
    found: list[int] = some[np.argsort(-values[some], kind="stable")].tolist()
    return found


def log_probabilities(logits: Array, never_written: Sequence[int] = NEVER_WRITTEN) -> Array:
    """(…, vocabulary) log-softmax, once the tokens that are never written are ruled out."""
    ruled = logits.copy()
    ruled[..., list(never_written)] = -np.inf
    return log_softmax(ruled)


@dataclass
class _Beam:
    """The hypotheses under way: what each has written, its score, and its rank at the step before."""

    written: list[tuple[int, ...]]
    scores: NDArray[np.float64]
    came_from: list[int | None] = field(default_factory=list)


def search(
    model: NumpyTransformer,
    memory: Array | None,
    prompt: Sequence[int],
    prefix: Sequence[int],
    beam: int,
    decoding: GenerationSettings,
    limit: int,
) -> BeamTrace:
    """Keep the `beam` most probable beginnings; done when `beam` hypotheses have ended.

    memory: the encoder's output, or None. prompt: start token first; what stands there is not scored. prefix: tokens
    that must come first; they are scored. decoding: what scores are divided by. limit: the most tokens to write, the
    prefix among them.
    """
    special = model.architecture.special
    cache = KeyValueCache()
    newest, before = _write(model, memory, cache, prompt, prefix)
    if prefix and (prefix[-1] == special.end or len(prefix) >= limit):
        ended = prefix[-1] == special.end
        ids, score = tuple(prefix[: len(prefix) - ended]), before / decoding.divisor(len(prefix))
        forced = Result(ids, score, before, 0, 0, ended, "the tokens that were forced end it")
        return BeamTrace(beam, decoding.length_penalty, decoding.length_offset, tuple(prefix), (), (forced,))
    live = _Beam([tuple(prefix)], np.array([before]), [None])
    steps: list[list[Candidate]] = []
    results: list[Result] = []
    for step in range(limit - len(prefix)):
        logprobs = log_probabilities(model.step(cache, newest, memory), special.never_written).astype(np.float64)
        total = live.scores[:, None] + logprobs  # (live, vocabulary)
        order = top_k(total.ravel(), 2 * beam)
        out_of_room = len(prefix) + step + 1 >= limit
        candidates: list[Candidate] = []
        onward: list[tuple[int, Candidate]] = []
        for rank, index in enumerate(order):
            row, token = divmod(index, total.shape[1])
            score = float(total[row, token])
            if score == -np.inf:
                continue
            ids = live.written[row] if token == special.end else (*live.written[row], token)
            one = Candidate(
                step, rank, live.came_from[row], token, ids, float(logprobs[row, token]), score, "pruned", ""
            )
            if token == special.end or out_of_room:
                one = _end(one, beam, decoding, results, ended=token == special.end)
            elif len(onward) < beam:
                one = replace(one, fate="kept", why=f"among the {beam} best that go on" if beam > 1 else "the best")
                onward.append((row, one))
            candidates.append(one)
        steps.append([_pruned(one, onward, beam) if one.fate == "pruned" else one for one in candidates])
        if len(results) >= beam or out_of_room or not onward:
            break
        rows = np.array([row for row, _ in onward], dtype=np.intp)
        cache.select(rows)
        live = _Beam([o.ids for _, o in onward], np.array([o.score for _, o in onward]), [o.rank for _, o in onward])
        newest = np.array([[o.id] for _, o in onward], dtype=np.intp)

    kept = sorted(results, key=lambda one: -one.total / (len(one.ids) + one.ended) ** decoding.kept_by)
    ranked = sorted(kept[:beam] if decoding.length_offset else results, key=lambda result: -result.score)
    return BeamTrace(
        beam,
        decoding.length_penalty,
        decoding.length_offset,
        tuple(prefix),
        _with_hindsight(steps, ranked),
        tuple(_compared(ranked)),
    )


def _write(
    model: NumpyTransformer, memory: Array | None, cache: KeyValueCache, prompt: Sequence[int], prefix: Sequence[int]
) -> tuple[NDArray[np.intp], float]:
    """Go through tokens that are given: what the decoder must be fed next, and what those after the prompt cost."""
    never = model.architecture.special.never_written
    newest, cost = np.array([prompt], dtype=np.intp), 0.0
    for token in prefix:
        cost += float(log_probabilities(model.step(cache, newest, memory), never)[0, token])
        newest = np.array([[token]], dtype=np.intp)
    return newest, cost


def _end(one: Candidate, beam: int, decoding: GenerationSettings, results: list[Result], ended: bool) -> Candidate:
    """A hypothesis that is over counts as a result if it is among the `beam` best of its step."""
    how = "wrote its end mark" if ended else "reached the length limit"
    if one.rank >= beam:
        return replace(one, why=f"{how}, but {beam} others of this step were likelier")
    length = len(one.ids) + ended
    score = one.score / decoding.divisor(length)
    results.append(Result(one.ids, score, one.score, one.step, one.rank, ended, ""))
    divided = f"{one.score:.3f} / {decoding.divisor_in_words(length)}"
    return replace(one, fate="ended", why=f"{how}; score {divided} = {score:.3f}")


def _pruned(one: Candidate, onward: Sequence[tuple[int, Candidate]], beam: int) -> Candidate:
    if one.why or not onward:
        return one
    last = onward[-1][1]
    return replace(one, why=f"its {one.score:.3f} is below {last.score:.3f}, the last of the {beam} that go on")


def _with_hindsight(steps: Sequence[list[Candidate]], ranked: Sequence[Result]) -> tuple[tuple[Candidate, ...], ...]:
    """Only at the end is it known which of the kept ones led anywhere."""
    found = [list(step) for step in steps]
    fruitful: set[tuple[int, int]] = set()  # (step, rank) of candidates that a kept or ended one continues
    for candidates in found:
        for one in candidates:
            if one.fate in ("kept", "ended") and one.parent is not None:
                fruitful.add((one.step - 1, one.parent))
    for number, candidates in enumerate(found):
        for index, one in enumerate(candidates):
            if one.fate != "kept" or (number, one.rank) in fruitful:
                continue
            if number == len(found) - 1:
                why = "still under way when enough others had ended"
                candidates[index] = replace(one, fate="unfinished", why=why)
            else:
                why = f"none of its continuations were among the best at step {number + 1}"
                candidates[index] = replace(one, fate="dead end", why=why)
    if ranked:
        step, rank = ranked[0].step, ranked[0].rank
        while True:
            index = next(i for i, one in enumerate(found[step]) if one.rank == rank)
            one = found[step][index]
            found[step][index] = replace(one, fate="best", why=f"on the best path: {one.why}")
            if one.parent is None:
                break
            step, rank = step - 1, one.parent
    return tuple(tuple(step) for step in found)


def _compared(ranked: Sequence[Result]) -> list[Result]:
    """Why each result stands where it does."""
    if not ranked:
        return []
    best = ranked[0]
    first = replace(best, why="the best score" if len(ranked) > 1 else "the only one that ended")
    return [
        first,
        *(replace(one, why=f"{best.score - one.score:.3f} behind the best score") for one in ranked[1:]),
    ]
