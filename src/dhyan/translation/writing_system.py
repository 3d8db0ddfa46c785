"""How a language is written, as far as the vocabulary of a pack shows."""

from collections import Counter
from dataclasses import dataclass

from dhyan.text.language_id import scripts_of_language
from dhyan.text.scripts import script_of
from dhyan.text.tokenizer import Tokenizer

_CASED = ("Latin", "Cyrillic", "Greek", "Armenian")
_NO_RARITY = 0.05  # of the pieces of a vocabulary that begin with a letter


@dataclass(frozen=True, slots=True)
class WritingSystem:
    """The scripts of a vocabulary, and whether they have capitals."""

    script: str | None  # of most words
    scripts: frozenset[str]  # all that are no rarity in it
    has_case: bool

    @classmethod
    def of(cls, tokenizer: Tokenizer, language: str = "") -> "WritingSystem":
        """language: where it is known, it tells; a vocabulary may be that of several."""
        if scripts := scripts_of_language(language):
            return cls(scripts[0], frozenset(scripts), scripts[0] in _CASED)
        learnt = range(tokenizer.first_learned, tokenizer.size)
        some = learnt[:: max(1, len(learnt) // 1000)]  # a thousand pieces are enough
        pieces = (tokenizer.shown_piece(number).strip() for number in some)
        letters = [piece[0] for piece in pieces if piece and piece[0].isalpha()]
        counts = Counter(script for letter in letters if (script := script_of(letter)) is not None)
        cased = sum(letter.lower() != letter.upper() for letter in letters)
        learnt_well = frozenset(script for script, count in counts.items() if count >= _NO_RARITY * len(letters))
        return cls(counts.most_common(1)[0][0] if counts else None, learnt_well, 2 * cased > len(letters))
