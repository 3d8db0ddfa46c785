"""A number is learnt as so many standard deviations from the mean; a pack's output is in the user's own unit."""

import numpy as np

from dhyan.pack.manifest import NumberScale
from dhyan.pack.weights_file import Weights
from dhyan.pack.words_head import WordsHead

ROW, BIAS = "cls.W", "cls.b"


def in_users_unit(weights: Weights, number: NumberScale | None) -> Weights:
    """The last layer times the spread, plus the mean: no engine has to know of either."""
    if number is None:
        return weights
    spread, mean = np.float32(number.spread), np.float32(number.mean)
    return {**weights, ROW: weights[ROW] * spread, BIAS: weights[BIAS] * spread + mean}


def words_in_users_unit(head: WordsHead | None, number: NumberScale | None) -> WordsHead | None:
    """What words add to a number: times the spread alone, for the mean is added once."""
    return head if head is None or number is None else head.times(number.spread)


def standardised(weights: Weights, number: NumberScale) -> Weights:
    """The other way, for a training that goes on from a pack; the numbers of its data may be others."""
    spread, mean = np.float32(number.spread), np.float32(number.mean)
    return {**weights, ROW: weights[ROW] / spread, BIAS: (weights[BIAS] - mean) / spread}
