"""Misspelt and stretched words, abbreviations and set phrases, put right before the model reads them: thier, soooo.

A model that has not learnt them guesses at them: "thier house" became a thin one. What is put right is never a word
of its own; the forms are those of the language's table.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from dhyan.translation.rewrites import Rewrite

# Not a part of an address, a formula, code or a longer word.
WORD = re.compile(r"(?<![\w'’@#&$%`./\\=+*^_-])[A-Za-z0-9]+(?! ?[=+*^]|, [b-hj-z]\b|[\w'’@`\\=+*^_/(-]|\.\w)")

STRETCHED = re.compile(r"([a-z])\1\1")  # a letter that stands three times on end
DOUBLED = re.compile(r"([a-z])\1+")
SHORTEST_WITH_CAPITAL = 6  # letters; a shorter word with a capital may be a name: Teh, Thier


@dataclass(frozen=True)
class Spelling:
    """misspelt: as it is written → as it should be. stretched: without doubled letters → as it should be."""

    misspelt: Mapping[str, str]
    stretched: Mapping[str, str]
    rewrites: tuple[Rewrite, ...]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Self:
        misspelt = {one: right for right, wrong in table.get("misspelt", {}).items() for one in wrong}
        stretched = {DOUBLED.sub(r"\1", word): word for word in table.get("stretched", ())}
        rewrites = tuple(Rewrite.of({"kind": "spelling", **one}) for one in table.get("rewrites", ()))
        return cls(misspelt, stretched, rewrites)

    def corrected(self, text: str) -> str:
        for one in self.rewrites:
            text = one.applied(text, 0)
        return WORD.sub(self._corrected_word, text)

    def _corrected_word(self, found: re.Match[str]) -> str:
        word = found[0]
        small = word.lower()
        right = self.misspelt.get(small)
        if right is None and STRETCHED.search(small):
            right = self.stretched.get(DOUBLED.sub(r"\1", small))
        if right is None or word == small:
            return right or word
        if word.isupper():
            return right.upper()
        may_be_a_name = found.start() > 0 and len(word) < SHORTEST_WITH_CAPITAL
        return word if may_be_a_name else right[:1].upper() + right[1:]
