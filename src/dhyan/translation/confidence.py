"""How much to trust a translated sentence, between 0 and 1.

It is the chance that the translation is close to a human one (sentence chrF of 50 or more), judged by how probable
the model found its own words and by the length of the sentence. `benchmarks/confidence.py` fits it to a pack's
development data and says how well it tells good from bad. A translation with a note is trusted half as much: most
notes are right, and chrF hardly sees a lost "not".
"""

import math
from dataclasses import dataclass

from dhyan.pack.manifest import ConfidenceFit

CLOSE = 50.0  # chrF from which a translation counts as close to the human one
NOTED = 0.5


@dataclass(frozen=True)
class Confidence:
    """A logistic function of the log-probability per token and the logarithm of the number of words."""

    fit: ConfidenceFit

    def __call__(self, source: str, score: float, has_notes: bool) -> float:
        """score: the log-probability per token of what the model said."""
        exponent = self.fit.bias + self.fit.log_probability * score + self.fit.log_words * log_words(source)
        return (NOTED if has_notes else 1.0) / (1 + math.exp(-max(-30.0, min(30.0, exponent))))


def log_words(source: str) -> float:
    return math.log(max(1, len(source.split())))
