"""Pairs in which placeholders stand for what is the same on both sides, so that a model learns to copy them.

Addresses, code, numbers, codes and names become Ⓐ, Ⓑ … Ⓛ; a name may be in Latin letters on both sides, or in
Devanagari on one of them.
"""

import random
import re
from collections.abc import Iterator

from romanise import WORD, frame, one_letter, sounds

from dhyan.translation.protected_spans import protected_spans, symbol_spans

LETTERS = "ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁ"
MORE = (0.4, 0.4, 0.4)  # chances of a second, third and fourth placeholder
NUMBER = re.compile(r"(?<![\w.,-])[$€£₹]?\d[\d.,:/–-]*\d%?(?![\w-])")
LATIN = re.compile(r"(?<![\w'-])[A-Z][A-Za-z0-9+#]*(?:[ .-][A-Z][A-Za-z0-9+#]*)*(?![\w'-])")
NAME = re.compile(r"(?<![\w'’.-])[A-Z][a-z]{2,}(?![\w'’-])")
IN_WORD = r"[\w\u0900-\u0963]"
SHORTEST = 3  # consonants by which a name is recognised in Devanagari; in short sentences one fewer will do
SHORT = 10  # words
OFTEN = 2  # a span may occur so many times per side

Replacement = tuple[str, str]  # what is replaced in English and in Hindi


def fixed_spans(english: str, hindi: str) -> list[Replacement]:
    """Addresses, code, tags and emoji that both sides have."""
    found = [span.replacement for span in (*protected_spans(english), *symbol_spans(english))]
    return [(text, text) for text in dict.fromkeys(found) if text.strip() and is_shared(text, english, hindi)]


def plain_spans(english: str, hindi: str) -> list[Replacement]:
    """Numbers, names and codes in Latin letters that both sides have; names that Hindi writes in its own script."""
    found = NUMBER.findall(english) + LATIN.findall(hindi)
    shared: list[Replacement] = [(text, text) for text in dict.fromkeys(found) if is_shared(text, english, hindi)]
    return shared + list(names(english, hindi))


def is_shared(text: str, english: str, hindi: str) -> bool:
    span = whole(text)
    return 0 < len(span.findall(english)) == len(span.findall(hindi)) <= OFTEN


def names(english: str, hindi: str) -> Iterator[Replacement]:
    """Names whose consonants one Hindi word has: Mumbai, मुंबई."""
    capitals = [name for name in dict.fromkeys(NAME.findall(english)) if english.count(name) == 1]
    if not capitals:
        return
    heard: dict[str, list[str]] = {}
    for word in set(WORD.findall(hindi)):
        heard.setdefault(frame(sounds(one_letter(word))), []).append(word)
    shortest = SHORTEST - (english.count(" ") < SHORT)
    for name in capitals:
        words = heard.get(frame(name), [])
        if len(frame(name)) >= shortest and len(words) == 1 and len(whole(words[0]).findall(hindi)) == 1:
            yield name, words[0]


def replaced(english: str, hindi: str, replacements: list[tuple[Replacement, str]]) -> tuple[str, str]:
    """Both sides with the replacements; longer spans first, for one may be a part of another."""
    for (left, right), text in sorted(replacements, key=lambda item: -len(item[0][0])):
        english, hindi = text.join(whole(left).split(english)), text.join(whole(right).split(hindi))
    return english, hindi


def whole(text: str) -> re.Pattern[str]:
    """The text where it is not a part of a longer word or number."""
    before = rf"(?<!{IN_WORD})" if re.match(IN_WORD, text) else ""
    after = rf"(?!{IN_WORD})" if re.match(IN_WORD, text[-1]) else ""
    return re.compile(before + re.escape(text) + after)


def with_placeholders(
    english: str, hindi: str, draw: random.Random, markup_only: bool = False
) -> tuple[str, str] | None:
    """The pair with one to four placeholders, all markup among them; None when it has nothing to replace."""
    fixed = fixed_spans(english, hindi)
    plain = plain_spans(english, hindi)
    if not (fixed or plain) or (markup_only and not fixed):
        return None
    wanted = 1 + next((number for number, chance in enumerate(MORE) if draw.random() >= chance), len(MORE))
    draw.shuffle(plain)
    chosen = (fixed + plain)[: max(wanted, len(fixed))]
    if len(chosen) > len(LETTERS):
        return None
    result = replaced(english, hindi, list(zip(chosen, draw.sample(LETTERS, len(chosen)), strict=True)))
    same = all(result[0].count(letter) == result[1].count(letter) for letter in LETTERS)
    return result if same and result != (english, hindi) else None
