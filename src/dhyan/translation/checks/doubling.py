"""A phrase that is said twice in a row, as models do when they lose the thread: "in the in the"."""

import re
from collections.abc import Sequence

from dhyan.translation.checks.spaced import pattern

# Two words or more: one word alone may be said twice for emphasis.
_TWICE = re.compile(r"(?<= )([^ \d]{2,} [^ \d]{2,}(?: [^ \d]+){0,4}) (?:, )?\1(?= )")


class DoublingCheck:
    """set_phrases: those of the target language in which words come again: कम से कम."""

    def __init__(self, set_phrases: Sequence[str]) -> None:
        self.set_phrases = pattern(set_phrases)

    def __call__(self, source: str, target: str) -> list[str]:
        twice = _TWICE.search(self.set_phrases.sub("…", target))
        return [f'"{twice[1]}" is said twice'] if twice and not _TWICE.search(source) else []
