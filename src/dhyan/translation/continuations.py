"""Other ways to go on after the first words of a translation: what a reader can choose from at a word.

The next token is forced to be each of the most probable ones in turn, and the rest is searched for behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dhyan.translation.attempts import IN_PARTS, NOTHING_CAME
from dhyan.translation.sentence_translator import SentenceTranslator
from dhyan.translation.translated import SURE, Alternative

MORE = 4  # tokens that are tried beyond those asked for: some end in the middle of a word, or in the same words


@dataclass(frozen=True, slots=True)
class Continuation:
    """A whole sentence that begins with the given words. The score is the log-probability per token."""

    word: str  # the one that follows the given words
    text: str
    score: float
    notes: tuple[str, ...] = ()
    confidence: float = SURE


class ForcedSentence:
    """A translator of one sentence whose translation begins with the prefix: the n-th of its continuations.

    A sentence that comes in parts gets nothing, for only the first of them could begin so.
    """

    def __init__(self, translator: SentenceTranslator, prefix: str, count: int) -> None:
        self.translator, self.prefix, self.count = translator, prefix, count
        self.known: dict[str, list[Alternative]] = {}
        self.choose(0)

    def choose(self, rank: int) -> None:
        self.rank = rank
        self.score: float | None = None  # None: nothing was asked for, or nothing is left

    def __call__(self, sentences: Sequence[str], strict: bool) -> list[list[Alternative]]:
        if len(sentences) != 1:
            return [[] for _ in sentences]
        if sentences[0] not in self.known:
            self.known[sentences[0]] = self.translator.continuations(sentences[0], self.prefix, self.count + MORE)
        chosen = self.known[sentences[0]][self.rank : self.rank + 1]
        self.score = chosen[0].score if chosen else None
        return [chosen]


def is_whole(notes: Sequence[str]) -> bool:
    """Whether a sentence was translated as it was asked for."""
    return NOTHING_CAME not in notes and IN_PARTS not in notes


def next_word(text: str, prefix: str) -> str:
    """The word of a text behind its prefix; empty where the text begins otherwise, or the prefix ends no word."""
    rest = text[len(prefix) :]
    follows = text.startswith(prefix) and (not prefix or rest[:1].isspace())
    return next(iter(rest.split()), "") if follows else ""
