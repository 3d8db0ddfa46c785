"""Ids → text while they come one by one: what was given out is never taken back."""

import unicodedata
from collections.abc import Sequence

from dhyan.text.tokenizer import Tokenizer

INCOMPLETE = "\N{REPLACEMENT CHARACTER}"  # decoding shows it for a character whose bytes are not all there yet
VIRAMA = "\N{DEVANAGARI SIGN VIRAMA}"
JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"


class IncrementalDecoder:
    """What is given out begins and ends between characters as people see them.

    The bytes of a character wait for each other, and a letter beyond ASCII waits for what follows, which may be a
    vowel sign, or a letter that it is joined to. All that was given out, joined, is the text of all ids.
    """

    def __init__(self, tokenizer: Tokenizer, before: Sequence[int] = ()) -> None:
        """before: ids that stand in front; their text is not given out."""
        self._tokenizer = tokenizer
        self._context = list(before)  # what was decoded last: a space at its beginning may not be shown
        self._ids: list[int] = []  # bytes that wait
        self._text = ""  # letters that wait

    def add(self, number: int) -> str:
        """The text that is certain with one more id; often none."""
        self._ids.append(number)
        text = self._decoded()
        if text.endswith(INCOMPLETE):
            return ""
        self._text += text
        # Spaces, or an unknown word that is not shown, say nothing of where they stand: what was before them stays.
        self._context = self._ids if text.strip() else [*self._context, *self._ids]
        self._ids = []
        whole = whole_characters(self._text)
        certain, self._text = self._text[:whole], self._text[whole:]
        return certain

    def end(self) -> str:
        """What still waits, when no more ids come."""
        rest = self._text + (self._decoded() if self._ids else "")
        self._text, self._ids = "", []
        return rest

    def _decoded(self) -> str:
        before, text = self._tokenizer.decode_batch([self._context, [*self._context, *self._ids]])
        # Bytes that never become a character spoil those in front of them too; alone they do not.
        return text[len(before) :] if text.startswith(before) else self._tokenizer.decode(self._ids)


def whole_characters(text: str) -> int:
    """How many characters at the beginning of a text nothing can join any more."""
    end = len(text)
    while end:
        last = text[end - 1]
        if unicodedata.category(last).startswith("M") or last in JOINERS:
            end -= 1
            continue
        if last.isascii() or not last.isalpha():
            return end if end == len(text) else end - 1
        end -= 1
        if text[:end].rstrip(JOINERS)[-1:] != VIRAMA:
            return end
    return end
