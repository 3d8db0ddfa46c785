"""Accepted translations in a compact notation, compared as a reader would: by words, not by spelling habits.

`(आप|तुम) [बहुत] अच्छे (हैं|हो) / …`: round brackets choose one, square brackets may be left out, a stroke stands
between whole alternatives. Words are whole words; brackets may stand inside each other.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

NUKTA = "\u093c"
SYMBOL = re.compile(r"[()\[\]|/]|[^()\[\]|/\s]+")
IN_REGEX = {"(": "(?:", ")": ")", "[": "(?:", "]": ")?", "|": "|", "/": "|"}
CLOSES = {")": "(", "]": "["}

# Spelling habits that no reader minds: what stands left is read as what stands right.
HABITS = [
    (re.compile(f"([कखगजफ]){NUKTA}"), r"\1"),  # ज़रा, जरा; but ड़ and ढ़ are letters of their own
    (re.compile("ँ"), "ं"),
    (re.compile("ङ्(?=[कखगघ])|ञ्(?=[चछजझ])|ण्(?=[टठडढ])|न्(?=[तथदध])|म्(?=[पफबभ])"), "ं"),  # हिन्दी, हिंदी
    (re.compile(r"(?<=[अ-ौ])ये(?=ं?(?:गा|गे|गी)?(?:\s|$))"), "ए"),  # चाहिये, चाहिए; आयेंगे, आएंगे
    (re.compile(r"(?<=[अ-ौ])यी(?=ं?(?:\s|$))"), "ई"),  # गयी, गई
]


class Row(NamedTuple):
    """An English text, the pattern of its accepted translations, and the part of life it belongs to."""

    english: str
    pattern: str
    topic: str


def read_rows(path: Path) -> list[Row]:
    """`English<tab>pattern` a line; a line that starts with # names the topic of those below it."""
    rows, topic = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            topic = line.lstrip("# ")
        elif line.strip():
            english, pattern = line.split("\t")
            rows.append(Row(english, pattern, topic))
    return rows


def normalised(text: str) -> str:
    """The words of a text: no punctuation, one spelling where there are several, 0–9 for ०–९."""
    # NFD takes every nukta off its letter; joiners change the look and not the word.
    text = unicodedata.normalize("NFD", text.casefold()).replace("\u200c", "").replace("\u200d", "")
    text = "".join(_character(character) for character in text)
    text = " ".join(text.split())
    for habit, instead in HABITS:
        text = habit.sub(instead, text)
    return unicodedata.normalize("NFC", text)


def _character(character: str) -> str:
    if unicodedata.category(character)[0] in "PS":
        return " "
    return str(unicodedata.digit(character)) if unicodedata.category(character) == "Nd" else character


def accepts(pattern: str, text: str) -> bool:
    """Whether a translation is one of those that the pattern stands for."""
    return compiled(pattern).fullmatch(normalised(text) + " ") is not None


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Every word brings the blank behind it, so a word that is left out leaves no blank behind."""
    parts, opened = [], []
    for symbol in SYMBOL.findall(pattern):
        if symbol in "([":
            opened.append(symbol)
        elif symbol in CLOSES and (not opened or opened.pop() != CLOSES[symbol]):
            raise ValueError(f"a bracket closes that was not opened: {pattern}")
        elif symbol == "/" and opened:
            raise ValueError(f"a stroke stands between whole alternatives, not inside brackets: {pattern}")
        parts.append(IN_REGEX.get(symbol) or "".join(re.escape(word) + " " for word in normalised(symbol).split()))
    if opened:
        raise ValueError(f"a bracket is left open: {pattern}")
    if not normalised("".join(parts)):
        raise ValueError("a pattern without words accepts nothing")
    return re.compile("".join(parts))
