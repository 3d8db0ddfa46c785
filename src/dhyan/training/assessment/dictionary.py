"""A dictionary learnt from pairs, and translation word by word with it: the least that a translator has to beat."""

from collections import Counter
from collections.abc import Sequence
from itertools import product

from dhyan.text.words import words_of

MOST_PAIRS = 5_000  # to learn from
MOST_WORDS = 40  # of a sentence: longer ones tell little
AT_LEAST = 0.1  # of Dice's coefficient: what hardly ever stands together is no translation


class Dictionary:
    """Each source word with the target word that stands beside it most exclusively (Dice's coefficient)."""

    def __init__(self, sources: Sequence[str], targets: Sequence[str]) -> None:
        alone: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        together: Counter[tuple[str, str]] = Counter()
        for pair in list(zip(sources, targets, strict=True))[:MOST_PAIRS]:
            sources_there, targets_there = (set(words_of(text)[:MOST_WORDS]) for text in pair)
            alone[0].update(sources_there)
            alone[1].update(targets_there)
            together.update(product(sources_there, targets_there))
        best: dict[str, tuple[float, str]] = {}
        for (source, target), count in together.items():
            dice = 2 * count / (alone[0][source] + alone[1][target])
            if dice >= AT_LEAST:
                best[source] = max(best.get(source, (0.0, "")), (dice, target))
        self.word = {source: target for source, (_, target) in best.items()}

    def __call__(self, text: str) -> str:
        """Word by word; a word that it does not know stays."""
        return " ".join(self.word.get(word, word) for word in words_of(text))
