"""Pieces inside a text that must come back as they were: link targets, code, attributes.

Translators keep tags. So a piece is handed over as a numbered tag and put back afterwards:

    <x1/>             stands for a word or a name, such as code, and may move in the sentence
    <x1> … </x1>      goes around words: emphasis, a link; with nothing inside it marks the word before it
    <br x1/> <p x2/>  separates: what stands on its two sides is translated apart

A translation that lost a tag, made one up or crossed two of them is refused.
"""

import re
from collections import Counter
from collections.abc import Callable

from dhyan.core.errors import DhyanError

TAG = re.compile(r"</?[A-Za-z][^<>]*>")
SEPARATOR = re.compile(r"<p x+\d+/>")


class InlineTags:
    def __init__(self, raw: str) -> None:
        self._name = "x"
        while re.search(rf"</?{self._name}\d", raw):  # the text may have such tags of its own
            self._name += "x"
        self._pieces: dict[str, str] = {}
        self._closing: dict[str, str] = {}  # the tag that ends a pair, by the one that begins it

    def piece(self, raw: str) -> str:
        """The tag that stands for something to be kept."""
        return self._new(f"<{self._next()}/>", raw)

    def around(self, opening: str, closing: str) -> tuple[str, str]:
        """The two tags that stand for marks around a text."""
        name = self._next()
        first, last = self._new(f"<{name}>", opening), self._new(f"</{name}>", closing)
        self._closing[first] = last
        return first, last

    def point(self, raw: str) -> str:
        """Two tags with nothing between them: something that belongs to the word before it, such as a footnote's."""
        return "".join(self.around(raw, ""))

    def line_break(self, raw: str) -> str:
        return self._new(f"<br {self._next()}/>", raw)

    def separator(self) -> str:
        """Between texts that are translated together and belong to different parts of the document."""
        return self._new(f"<p {self._next()}/>", "")

    def tag(self, raw: str) -> str:
        """A tag of the document stands for itself, unless it is too wild to be seen as one."""
        return raw if TAG.fullmatch(raw) else self.piece(raw)

    def restore(self, translation: str, prepared: str, between: Callable[[str], str] = lambda text: text) -> str:
        """Put the pieces back into a translation of `prepared`; `between` spells what stands between the tags."""
        self.check(translation, prepared)
        return self.restored(translation, between)

    def restored(self, text: str, between: Callable[[str], str] = lambda text: text) -> str:
        texts = TAG.split(text)
        tags = [self._pieces.get(tag, tag) for tag in TAG.findall(text)]
        return "".join(between(text) + tag for text, tag in zip(texts, [*tags, ""], strict=True))

    def check(self, translation: str, prepared: str) -> None:
        """Every tag of `prepared` is in the translation, and pairs are nested."""
        expected, found = Counter(TAG.findall(prepared)), Counter(TAG.findall(translation))
        for tag in expected - found:
            raise DhyanError(f"The translation lost {self._shown(tag)}.")
        for tag in found - expected:
            raise DhyanError(f"The translation has {self._shown(tag)} once too often.")
        awaited: list[str] = []
        closing = set(self._closing.values())
        for tag in TAG.findall(translation):
            if tag in self._closing:
                awaited.append(self._closing[tag])
            elif tag in closing and (not awaited or awaited.pop() != tag):
                raise DhyanError(f"The translation mixed up the marks {self._shown(tag)}.")

    def _next(self) -> str:
        return f"{self._name}{len(self._pieces) + 1}"

    def _new(self, tag: str, raw: str) -> str:
        self._pieces[tag] = raw
        return tag

    def _shown(self, tag: str) -> str:
        return "'" + self._pieces.get(tag, tag).strip()[:60] + "'"
