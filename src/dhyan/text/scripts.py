"""Which script a letter belongs to, read off its Unicode name (`DEVANAGARI LETTER KA`)."""

import unicodedata
from collections import Counter
from functools import cache

# The names of Chinese characters begin with CJK; the script they belong to is called Han.
_CALLED = {"Cjk": "Han"}


@cache
def script_of(character: str) -> str | None:
    """The script of a letter (`Latin`, `Devanagari`, `Han`, …); None for whatever is not a letter."""
    if not unicodedata.category(character).startswith("L"):
        return None
    first_word = unicodedata.name(character, "Unknown").split()[0].capitalize()
    return _CALLED.get(first_word, first_word)


@cache
def known_scripts() -> frozenset[str]:
    """The names that `script_of` gives to the letters of the living scripts."""
    scripts = Counter(script_of(chr(code)) for code in range(0xD800))
    # Fewer letters than these are stray signs ("Micro", "Feminine"), not a script.
    return frozenset(script for script, letters in scripts.items() if script is not None and letters >= 20)


def share_in_script(text: str, script: str) -> float:
    """The share of the letters of `text` that are of `script`; 1 when there are no letters to judge."""
    letters = in_script = 0
    # A text has few different characters: asking once for each is what makes this fast.
    for character, count in Counter(text).items():
        found = script_of(character)
        if found is not None:
            letters += count
            in_script += count * (found == script)
    return in_script / letters if letters else 1.0
