"""Labels of programs and their translations, by sense: a table in the tree, and patterns such as "Delete {1}"."""

import re
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "ui_terms"
TABLES = {("Latin", "Devanagari"): "en-hi.tsv"}  # by the scripts of the two languages

_AND = re.compile(r"\s(?:&amp;|&)\s")
_SLOT = re.compile(r"\{([12])\}")
_ARTICLE = re.compile(r"(?:the|a|an) ", re.IGNORECASE)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")  # of a key too: button.saveAs, menu_open
_NEGATED = re.compile(r"\bnot (?:an? |the )?(\w+)")
_NUMBER = re.compile(r"[#+₹$€£¥]?\d(?:[\d,.]*\d)?%?")
_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|‘[^’]+’|'[^']+'|«[^»]+»")
_LONGEST = 80  # characters of what is still a label
_AGREEMENT = {"masculine", "feminine"}
_GRAMMAR = {"verb", "noun"}

Fixed = Callable[[str], str | None]  # what stands for a text such as %s, which is not looked up; None: look it up


class Sense(NamedTuple):
    translation: str
    contexts: frozenset[str]  # words that ask for it; none: it is meant where nothing decides


class Match(NamedTuple):
    translation: str
    others: tuple[str, ...] = ()  # what it could have meant as well, where the context did not decide


class Pattern(NamedTuple):
    expression: re.Pattern[str]
    senses: list[Sense]
    words: frozenset[str]  # that are not in slots: a context for those that are
    letters: int  # of these words: the pattern with the most of them is tried first


class UiTable:
    def __init__(self, text: str) -> None:
        self.kinds: dict[str, frozenset[str]] = {}
        self.labels: dict[str, list[Sense]] = defaultdict(list)
        self.objects: frozenset[str] = frozenset()
        self.names: dict[str, str] = {}
        self.feminine: frozenset[str] = frozenset()
        patterns: dict[str, list[Sense]] = defaultdict(list)
        for line in text.splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            label, translation, *contexts = line.split("\t")
            if label.startswith("@"):
                self._kind(label[1:], translation)
                continue
            sense = Sense(translation, frozenset(" ".join(contexts).split()))
            (patterns if _SLOT.search(label) else self.labels)[label.lower()].append(sense)
        self.patterns = sorted(map(_pattern, patterns.items()), key=lambda one: -one.letters)

    def _kind(self, kind: str, words: str) -> None:
        if kind == "object":
            self.objects = frozenset(one.strip() for one in words.split(","))
        elif kind == "name":
            self.names = {one.strip().lower(): one.strip() for one in words.split(",")}
        elif kind == "feminine":
            self.feminine = frozenset(words.split())
        else:
            self.kinds[kind] = frozenset(words.split())

    def find(self, label: str, context: str | None, fixed: Fixed) -> Match | None:
        """A label's translation; None where neither the table nor a pattern knows it."""
        if len(label) > _LONGEST:
            return None
        label = _AND.sub(" and ", label.replace("’", "'"))
        key = " ".join(label.split()).lower()
        tokens = _context_words(context, key)
        if key in self.labels:
            return self._chosen(self.labels[key], tokens)
        for pattern in self.patterns:
            found = pattern.expression.fullmatch(label)
            match = self._filled(found, pattern.senses, tokens | pattern.words, fixed) if found else None
            if match is not None:
                return match
        return None

    def _chosen(self, senses: list[Sense], tokens: frozenset[str]) -> Match:
        def support(sense: Sense) -> tuple[int, bool, bool]:
            """How many words of the context speak for it; a verb goes before a domain, and that before a noun."""
            speaking = {tag: tokens & {tag, *self.kinds.get(tag, ())} for tag in sense.contexts}
            domain = any(words for tag, words in speaking.items() if tag not in _GRAMMAR)
            return len(frozenset().union(*speaking.values())), bool(speaking.get("verb")), domain

        best = max(senses, key=support)
        if support(best)[0]:
            return Match(best.translation)
        usual = next((sense for sense in senses if not sense.contexts), senses[0])
        known = any(tokens & words for words in self.kinds.values())  # a context that speaks for the usual sense
        others = {sense.translation: None for sense in senses if sense.translation != usual.translation and not known}
        return Match(usual.translation, tuple(others))

    def _filled(
        self, found: re.Match[str], senses: list[Sense], tokens: frozenset[str], fixed: Fixed
    ) -> Match | None:
        slots: dict[str, str] = {}
        counts = "count" in senses[0].contexts
        for name, text in found.groupdict().items():
            filled = self._slot(text.strip(), tokens, fixed, only_counts=counts)
            if filled is None:
                return None
            slots[name.removeprefix("slot")] = filled
        gender = "feminine" if slots["1"] in self.feminine else "masculine"
        fitting = [sense for sense in senses if not sense.contexts & _AGREEMENT or gender in sense.contexts]
        if not fitting or (len(slots) > 1 and _reordered(fitting[0].translation, found)):
            return None
        return Match(_SLOT.sub(lambda slot: slots[slot[1]], fitting[0].translation))

    def _slot(self, text: str, tokens: frozenset[str], fixed: Fixed, only_counts: bool = False) -> str | None:
        """What stands for a slot's text; None where it is not something that can be put there as it is."""
        if _NUMBER.fullmatch(text) or _QUOTED.fullmatch(text):
            return text
        if (kept := fixed(text)) is not None:
            return kept
        if only_counts:
            return None
        key = " ".join(_ARTICLE.sub("", text, count=1).split()).lower() if _ARTICLE.match(text) else text.lower()
        if key in self.names:
            return self.names[key]
        count, _, counted = text.partition(" ")
        if counted and (_NUMBER.fullmatch(count) or fixed(count) is not None):
            noun = self._slot(counted, tokens, fixed) if counted.lower() in self.objects else None
            return noun and f"{count} {noun}"
        if key in self.objects and key in self.labels:
            return self._chosen(self.labels[key], tokens - self.kinds["verb"] | {"noun"}).translation
        return None

    def reversed(self) -> "UiTable":
        """The same table for the other direction: whole labels, each by its usual sense."""
        table = UiTable("")
        for label, senses in self.labels.items():
            usual = next((sense for sense in senses if not sense.contexts), senses[0])
            if usual.translation not in table.labels:  # of several labels the first
                table.labels[usual.translation].append(Sense(label[:1].upper() + label[1:], frozenset()))
        return table


@cache
def ui_table(source_script: str | None, target_script: str | None) -> UiTable | None:
    """The table for two languages, known by their scripts; None where there is none."""
    scripts = (source_script or "", target_script or "")
    if scripts in TABLES:
        return UiTable((FOLDER / TABLES[scripts]).read_text(encoding="utf-8"))
    if scripts[::-1] in TABLES and (table := ui_table(*scripts[::-1])) is not None:
        return table.reversed()
    return None


def _pattern(entry: tuple[str, list[Sense]]) -> Pattern:
    label, senses = entry
    pieces = _SLOT.split(label)
    expression = "".join(
        re.escape(piece).replace(r"\ ", r"\s+") if number % 2 == 0 else f"(?P<slot{piece}>.+?)"
        for number, piece in enumerate(pieces)
    )
    words = "".join(pieces[::2])
    return Pattern(re.compile(expression, re.IGNORECASE), senses, frozenset(words.split()), len(words))


def _context_words(context: str | None, label: str) -> frozenset[str]:
    """The words of a key or a comment, in lower case, without those of the label itself and those after "not"."""
    if not context:
        return frozenset()
    words = {word.lower() for word in _WORDS.findall(context)}
    return frozenset(words - set(_NEGATED.findall(context.lower())) - set(label.split()))


def _reordered(translation: str, found: re.Match[str]) -> bool:
    """Would placeholders without a name change places? A program fills %s and {} in by their order."""
    order = _SLOT.findall(translation)
    unnamed = [re.fullmatch(r"%[^(%$]*|\{\}", found[f"slot{slot}"].strip()) for slot in order]
    return order != sorted(order) and all(unnamed)
