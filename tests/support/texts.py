"""Many different texts, for what must hold for all: those of the tests themselves, and some made of their parts."""

import ast
import random
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_TESTS = Path(__file__).parents[1]
_FOLDERS = ("unit/translation", "unit/text", "shipped")
_LONGEST = 400
_SIGNS = (
    "aZ é ß İ ı ſ ñ 東 я ا π हिं की ् ़ ँ ० ९ 5 ² ½ ① 🙂 👩🏽 🇮🇳"
    " _*~`'\"’“«()[]{}<>|\\/.,;:!?।…-–—+=^%$₹€@#& \t\n\u00a0\u200d\x1f\x85"
)


@cache
def texts_of_tests() -> tuple[str, ...]:
    """The strings in the tests of texts and translations, and the cells of the tables beside them."""
    found: dict[str, None] = {}
    for folder in _FOLDERS:
        for path in sorted((_TESTS / folder).glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found |= {
                node.value: None
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
        for path in sorted((_TESTS / folder).glob("*.tsv")):
            for line in path.read_text(encoding="utf-8").splitlines():
                found |= dict.fromkeys(line.split("\t"))
    return tuple(text for text in found if 0 < len(text) <= _LONGEST and _is_known(text))


def varied_texts(number: int, seed: int = 1, among: Sequence[str] = ()) -> list[str]:
    """Texts of the tests, texts out of words of theirs, and texts with signs strewn in.

    among: texts to take instead. What is compared with a library of others takes some that stay as they are: with a
    new string in a test these would all be different ones, and meet another of its quirks.
    """
    dice = random.Random(seed)
    texts = among or texts_of_tests()
    words = [word for text in texts for word in text.split()]
    made: list[str] = []
    while len(made) < number:
        choice = dice.random()
        if choice < 0.4:
            made.append(dice.choice(texts))
        elif choice < 0.7:
            made.append(" ".join(dice.choices(words, k=dice.randint(1, 14))))
        else:
            text = list(dice.choice(texts)[:120])
            for _ in range(dice.randint(1, 6)):
                text.insert(dice.randint(0, len(text)), dice.choice(_SIGNS))
            made.append("".join(text))
    return made


def in_units(text: str, offset: int) -> int:
    """An offset in characters as JavaScript counts it: characters beyond the first plane are two units."""
    return offset + sum(character > "\uffff" for character in text[:offset])


def _is_known(text: str) -> bool:
    """No half characters, and none that is newer than Python's Unicode."""
    return not any(unicodedata.category(character) in ("Cs", "Cn") for character in text)
