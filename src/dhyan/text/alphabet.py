"""Which characters get a piece of their own; every other character is written in bytes."""

import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_JOINERS = "\u200c\u200d"
# NFC writes eight of the block's letters (क़ … य़) as a letter and a dot, so these never need an entry.
_DEVANAGARI = frozenset(
    character for character in map(chr, range(0x0900, 0x0980)) if unicodedata.is_normalized("NFC", character)
)


@dataclass(frozen=True, slots=True)
class Alphabet:
    """`characters` get pieces; `blanked` maps the characters of the training text that do not to a space."""

    characters: tuple[str, ...]
    blanked: dict[int, str]

    def blank(self, text: str) -> str:
        """The text in NFC with a space for each character outside the alphabet, as learning sees it."""
        composed = unicodedata.normalize("NFC", text)
        return composed.translate(self.blanked) if self.blanked else composed


def choose_alphabet(texts: Iterable[str], coverage: float, lowercase: bool) -> Alphabet:
    """Take the most frequent characters until they cover the share `coverage` of all that was counted.

    Whoever writes a little Hindi will meet the rest of it: one Devanagari character brings in the whole block.
    """
    as_written: Counter[str] = Counter()
    for text in texts:
        as_written.update(unicodedata.normalize("NFC", text))
    counts: Counter[str] = Counter()
    for character, count in as_written.items():
        for used in _as_used(character, lowercase):
            counts[used] += count

    characters = _most_frequent(counts, coverage)
    if not _DEVANAGARI.isdisjoint(counts):
        characters |= _DEVANAGARI | set(_JOINERS)
    if counts:
        characters.add(" ")  # stands before every text, whether or not the text holds one
    blanked = {
        ord(character): " " for character in as_written if not characters.issuperset(_as_used(character, lowercase))
    }
    return Alphabet(tuple(sorted(characters)), blanked)


def _as_used(character: str, lowercase: bool) -> str:
    # Lower case goes letter by letter, as in the tokenizer: no context such as a final sigma.
    return character.lower() if lowercase else character


def _most_frequent(counts: Counter[str], coverage: float) -> set[str]:
    needed = coverage * counts.total()
    chosen: set[str] = set()
    covered = 0
    for character, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if covered >= needed:
            break
        chosen.add(character)
        covered += count
    return chosen
