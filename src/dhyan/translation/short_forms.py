"""Short forms of messages, spelt out before the model reads them: "idk where u r" as "I don't know where you are".

What the model has not learnt it guesses at, and may say the opposite. The forms are those of the language's table.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from dhyan.translation.rewrites import Rewrite
from dhyan.translation.spelling import WORD, Spelling

SHORTEST_AT_BEGINNING = 2  # letters that a word with a capital has more of: "U" and "Ur" are names
ENOUGH_TOGETHER = 2  # words that may be something else alone


@dataclass(frozen=True)
class ShortForms:
    """words: in small letters, each with what it stands for.

    among_others: the same, of those that are short forms only where there are others. shouted: those that mean it in
    capitals, too. symbol_behind: words behind which one of them is a symbol.
    """

    words: Mapping[str, str]
    among_others: Mapping[str, str]
    shouted: frozenset[str]
    symbol_behind: Mapping[str, Collection[str]]
    rewrites: tuple[Rewrite, ...]  # of words that are short forms beside certain others
    rewrites_among_others: tuple[Rewrite, ...]
    spelling: Spelling  # what is put right in any text

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        every = table.get("rewrites", ())
        alone, together = (
            tuple(
                Rewrite.of({"kind": "short forms", **one}) for one in every if one.get("among_others", False) is among
            )
            for among in (False, True)
        )
        words = table.get("words", {}), table.get("among_others", {})
        spelling = Spelling.of(table.get("spelling", {}))
        shouted = frozenset(table.get("shouted", ()))
        return cls(*words, shouted, table.get("symbol_behind", {}), alone, together, spelling)

    def spelt_out(self, text: str) -> str:
        """Unchanged where there is none, and nothing is misspelt."""
        given, text = text, self.spelling.corrected(text)
        other = self._with(text, self.rewrites, self.words)
        if other != text or self._doubtful(text) >= ENOUGH_TOGETHER:
            other = self._with(text, self.rewrites_among_others, self.among_others)
            other = self._with(other, self.rewrites, self.words)
        return other if other == given or not given[:1].isupper() else other[:1].upper() + other[1:]

    def _with(self, text: str, rewrites: Sequence[Rewrite], words: Mapping[str, str]) -> str:
        for one in rewrites:
            text = one.applied(text, 0)
        return WORD.sub(lambda found: self._spelt_out_word(found, words), text)

    def _doubtful(self, text: str) -> int:
        """How many different words are short forms only where there are others."""
        return len({found[0] for found in WORD.finditer(text)} & self.among_others.keys())

    def _spelt_out_word(self, found: re.Match[str], words: Mapping[str, str]) -> str:
        """With a capital it may be a name: RN, IMO, Ur; but not where a sentence begins."""
        word, before = found[0], found.string[: found.start()]
        small = word.lower()
        begins = not before and len(word) > SHORTEST_AT_BEGINNING and word == small.capitalize()
        if word != small and not begins and not (word.isupper() and small in self.shouted):
            return word
        last = before.split()[-1:] if small in self.symbol_behind else []
        if last and last[0].lower() in self.symbol_behind[small]:
            return word
        spelt = words.get(small, word)
        goes_on = found.string[found.end() :][:1] == " "  # where it does not, a comma is too much
        return spelt if goes_on else spelt.rstrip(",")
