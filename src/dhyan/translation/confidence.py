"""How sure a translated sentence is, between 0 and 1: a logistic function of a few numbers."""

import math
from dataclasses import dataclass

from dhyan.translation.attempt import Answer


@dataclass(frozen=True)
class Confidence:
    def of(self, answer: Answer, text: str) -> float:
        return math.exp(min(0.0, answer.score))
