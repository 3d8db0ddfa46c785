"""Pieces inside a text that must come back as they were: link targets, code, attributes.

Translators keep tags. So a piece is handed over as a numbered tag (`<x1/>`, or `<x1>` … `</x1>` around a link's
text) and put back afterwards; a translation that lost a tag, or made one up, is refused.
"""

import re
from collections import Counter
from collections.abc import Callable

from dhyan.core.errors import DhyanError

TAG = re.compile(r"</?[A-Za-z][^<>]*>")


class InlineTags:
    def __init__(self, raw: str) -> None:
        self._name = "x"
        while re.search(rf"</?{self._name}\d", raw):  # the text may have such tags of its own
            self._name += "x"
        self._pieces: dict[str, str] = {}
        self._pairs: list[tuple[str, str]] = []

    def piece(self, raw: str) -> str:
        """The tag that stands for something to be kept."""
        tag = f"<{self._name}{len(self._pieces) + 1}/>"
        self._pieces[tag] = raw
        return tag

    def around(self, opening: str, closing: str) -> tuple[str, str]:
        """The two tags that stand for marks around a text."""
        name = f"{self._name}{len(self._pieces) + 1}"
        first, last = f"<{name}>", f"</{name}>"
        self._pieces |= {first: opening, last: closing}
        self._pairs.append((first, last))
        return first, last

    def tag(self, raw: str) -> str:
        """A tag of the document stands for itself, unless it is too wild to be seen as one."""
        return raw if TAG.fullmatch(raw) else self.piece(raw)

    def restore(self, translation: str, prepared: str, between: Callable[[str], str] = lambda text: text) -> str:
        """Put the pieces back into a translation of `prepared`; `between` spells what stands between the tags."""
        self._check(Counter(TAG.findall(prepared)), Counter(TAG.findall(translation)))
        for first, last in self._pairs:
            if translation.index(first) > translation.index(last):
                raise DhyanError(f"The translation turned the marks {self._shown(first)} around.")
        texts = TAG.split(translation)
        tags = [self._pieces.get(tag, tag) for tag in TAG.findall(translation)]
        return "".join(between(text) + tag for text, tag in zip(texts, [*tags, ""], strict=True))

    def _check(self, expected: Counter[str], found: Counter[str]) -> None:
        for tag in expected - found:
            raise DhyanError(f"The translation lost {self._shown(tag)}.")
        for tag in found - expected:
            raise DhyanError(f"The translation has {self._shown(tag)} once too often.")

    def _shown(self, tag: str) -> str:
        return "'" + self._pieces.get(tag, tag).strip()[:60] + "'"
