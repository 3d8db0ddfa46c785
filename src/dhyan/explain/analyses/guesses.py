"""What may come next: candidates with their probabilities, and the rounds in which they were chosen."""

from dataclasses import dataclass

import numpy as np

from dhyan.explain.formulas import Array


@dataclass(frozen=True, slots=True)
class Guess:
    """A token that may come next, and where its probability stands."""

    id: int
    text: str
    probability: float
    address: str  # dec.out.probs[4,1207]


@dataclass(frozen=True, slots=True)
class Step:
    """One round of the decoder: `row` of every decoder array is what was computed while predicting `chosen`."""

    step: int
    row: int
    chosen: Guess
    log_probability: float  # of the chosen, once the tokens that are never written are ruled out
    forced: bool
    guesses: tuple[Guess, ...]  # the likeliest, best first


def likeliest(values: Array, count: int) -> list[int]:
    """Places of the largest values of a row, largest first; equals in the order in which they stand."""
    count = min(count, values.size)
    some = np.sort(np.argpartition(-values, count - 1)[:count])
    found: list[int] = some[np.argsort(-values[some], kind="stable")].tolist()
    return found
