"""How alike the two texts of a pair are, in steps that count like words.

So whatever learns from words alone can learn from pairs: that two texts say the same is in no word of theirs.
"""

import math
from collections.abc import Iterable, Mapping

from dhyan.text.words import words_of

BETWEEN = "\t"  # the two texts on one line
STEPS = tuple(f"{percent} % alike" for percent in range(0, 100, 5))  # a word is never written so


def on_one_line(texts: Iterable[str]) -> str:
    """A text, or the two of a pair with a tab between them, and no other tab."""
    return BETWEEN.join(text.replace(BETWEEN, " ") for text in texts)


class Likeness:
    """idf: of the words that are known. Others are as rare as the rarest of these."""

    def __init__(self, idf: Mapping[str, float]) -> None:
        self.idf = idf
        self.rarest = max(idf.values(), default=1.0)

    def of(self, first: str, second: str) -> float:
        """The cosine of the two texts, each as its words' idf: from 0, no word together, to 1, the same words."""
        one, other = set(words_of(first)), set(words_of(second))
        lengths = self._square(one) * self._square(other)
        return self._square(one & other) / math.sqrt(lengths) if lengths else 0.0

    def steps(self, text: str) -> list[str]:
        """Those of STEPS that a pair on one line has reached; none of what is no pair."""
        texts = text.split(BETWEEN)
        if len(texts) != 2:
            return []
        reached = self.of(*texts)
        return [step for number, step in enumerate(STEPS) if reached > number / len(STEPS)]

    def _square(self, words: Iterable[str]) -> float:
        return sum(self.idf.get(word, self.rarest) ** 2 for word in sorted(words))
