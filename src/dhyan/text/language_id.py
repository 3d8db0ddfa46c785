"""Which language a text is in: English, Hindi, Hindi in Latin letters, another one, or unknown.

The script of its letters decides first. Where languages share a script, their frequent words do, and in Latin letters
how often three letters follow each other. A word or two may belong to many languages: then it is unknown.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, overload

from dhyan.core.errors import DhyanError
from dhyan.core.settings import read_toml
from dhyan.text.deromanise import is_frequent, is_listed, may_be_hindi
from dhyan.text.scripts import script_of
from dhyan.text.words import words_of

ENGLISH, HINDI, HINDI_IN_LATIN = "en", "hi", "hi-Latn"
UNKNOWN = "und"  # what the standard for language codes calls undetermined

_FOLDER = Path(__file__).parent
_LATIN_WORD = re.compile(r"[^\W\d_]+")  # l'eau and don't are two words each
_SMALL_WORD = re.compile(r"(?<!\w)[a-z]")  # not all are names
# Scripts of one language, or of one that is much larger than the others.
_BY_SCRIPT = {
    "Greek": ("el", "Greek"), "Hebrew": ("he", "Hebrew"), "Hangul": ("ko", "Korean"), "Hiragana": ("ja", "Japanese"),
    "Katakana": ("ja", "Japanese"), "Han": ("zh", "Chinese"), "Bengali": ("bn", "Bengali"), "Tamil": ("ta", "Tamil"),
    "Telugu": ("te", "Telugu"), "Kannada": ("kn", "Kannada"), "Malayalam": ("ml", "Malayalam"),
    "Gujarati": ("gu", "Gujarati"), "Gurmukhi": ("pa", "Punjabi"), "Oriya": ("or", "Odia"), "Thai": ("th", "Thai"),
    "Sinhala": ("si", "Sinhala"), "Georgian": ("ka", "Georgian"), "Armenian": ("hy", "Armenian"),
    "Ethiopic": ("am", "Amharic"), "Khmer": ("km", "Khmer"), "Lao": ("lo", "Lao"), "Myanmar": ("my", "Burmese"),
    "Cyrillic": ("ru", "Russian"), "Arabic": ("ar", "Arabic"),
}  # fmt: skip
_JAPANESE = ("Han", "Hiragana", "Katakana")
# The smaller ones that share such a script, by letters that only they have.
_BY_LETTERS = {
    "Cyrillic": (("ў", "be", "Belarusian"), ("їєґі", "uk", "Ukrainian"), ("јљњђћ", "sr", "Serbian")),
    "Arabic": (("ٹڈڑےں", "ur", "Urdu"), ("پچژگ", "fa", "Persian")),
    "Bengali": (("ৰৱ", "as", "Assamese"),),
}

_MOST_WORDS = 200  # of a text that are looked at: more would not change the answer
_UNSEEN = 15.0  # bits for three letters that a language hardly has
_BITS_PER_WORD = 5.0  # for a word that is frequent in a language
_SHARE_OF_TRIGRAM = 0.5  # they overlap: each tells half of what it would alone
_HEAD_START = {ENGLISH: 3.0, HINDI_IN_LATIN: 1.0}  # bits for what people have most
_SURE, _LIKELY = 0.8, 0.5
_NEGLIGIBLE = 0.02
_WITHOUT_A_WORD = 0.95  # how probable a language must be if no word of its list is there
_SHORT, _LONG = 4, 12  # words; in a long text three words of a language's list are asked for instead of two
_PLENTY = 4  # words that only English has
_NEXT_TO_NOTHING = 2.0**-25
_OF_TYPED_HINDI = 0.85  # how probable Hindi in Latin letters is if only the sound of its words tells
_OF_DEVANAGARI = 0.85  # how probable Hindi is if nothing but the script tells
_FEWEST_OF_ANOTHER = 2  # words that tell another language in that script


@dataclass(frozen=True, slots=True)
class DetectedLanguage:
    """`language` is a code (`en`, `hi`, `hi-Latn`, `es`, …; `und`: unknown), `confidence` is between 0 and 1."""

    language: str
    name: str
    script: str | None
    confidence: float

    @property
    def is_known(self) -> bool:
        return self.language != UNKNOWN


@overload
def detect(texts: str) -> DetectedLanguage: ...  # type: ignore[overload-overlap]
@overload
def detect(texts: Iterable[str]) -> list[DetectedLanguage]: ...
def detect(texts: str | Iterable[str]) -> DetectedLanguage | list[DetectedLanguage]:
    """Which language a text is in, or each of many."""
    if isinstance(texts, str):
        return detect_language(texts)
    given: object = texts
    several: list[Any] = (
        list(given) if isinstance(given, Iterable) and not isinstance(given, bytes | bytearray) else [given]
    )
    for text in several:
        if not isinstance(text, str):
            raise DhyanError(f"texts are str, one or a list of them, not {type(text).__name__}.")
    return list(map(detect_language, several))


def detect_language(text: str) -> DetectedLanguage:
    """The language of a text; unknown where too little of it tells."""
    letters: Counter[str] = Counter()
    for character, count in Counter(text).items():  # a text has few different characters
        if (script := _script_with_marks(character)) is not None:
            letters[script] += count
    if not letters:
        return DetectedLanguage(UNKNOWN, "unknown", None, 0.0)
    script = max(letters, key=lambda one: letters[one])
    if letters.total() < 2 and script != "Han":
        return DetectedLanguage(UNKNOWN, "unknown", script, 0.0)  # π is a sign in any language
    share = letters[script] / letters.total()
    if script == "Latin":
        words = _LATIN_WORD.findall(unicodedata.normalize("NFC", text).lower())
        code, probability = _in_latin_letters(words[:_MOST_WORDS])
        if code == UNKNOWN and _SMALL_WORD.search(text) and _is_typed_hindi(words[:_MOST_WORDS]):
            code, probability = HINDI_IN_LATIN, _OF_TYPED_HINDI
        return _detected(code, probability, script, share)
    if script == "Devanagari":
        return _detected(*_in_devanagari(words_of(text)[:_MOST_WORDS]), script, share)
    if script in _JAPANESE and letters["Hiragana"] + letters["Katakana"]:
        script, share = "Hiragana", sum(letters[one] for one in _JAPANESE) / letters.total()
    for marks, code, _ in _BY_LETTERS.get(script, ()):
        if any(mark in text for mark in marks):
            return _detected(code, 1.0, script, share)
    return _detected(_BY_SCRIPT.get(script, (UNKNOWN, ""))[0], 1.0, script, share)


@cache
def _script_with_marks(character: str) -> str | None:
    """A vowel sign counts as the letter that it would be in another script."""
    if unicodedata.category(character)[0] == "M":
        return unicodedata.name(character, "Unknown").split()[0].capitalize()
    return script_of(character)


def _detected(code: str, probability: float, script: str, share: float) -> DetectedLanguage:
    """Names in Latin letters stand in texts of every script: these do not tell what a mixed text is."""
    if code == UNKNOWN or share < (_LIKELY if script == "Devanagari" else _SURE):
        return DetectedLanguage(UNKNOWN, language_name(UNKNOWN), script, 0.0)
    return DetectedLanguage(code, language_name(code), script, probability * share)


def language_name(code: str) -> str:
    """What people call it: Spanish for es."""
    return _names().get(code, "unknown")


def scripts_of_language(code: str) -> tuple[str, ...]:
    """The scripts that a language is written in, the usual one first; empty if it is not known."""
    if code == "ja":
        return _JAPANESE
    if code in _profiles():
        return ("Latin",)
    by_letters = {code: script for script, languages in _BY_LETTERS.items() for _, code, _ in languages}
    by_script = {code: script for script, (code, _) in _BY_SCRIPT.items()}
    script = (by_script | by_letters).get(code) or ("Devanagari" if code in _listed() else None)
    return () if script is None else (script,)


@cache
def _names() -> dict[str, str]:
    by_letters = {code: name for languages in _BY_LETTERS.values() for _, code, name in languages}
    return dict(_BY_SCRIPT.values()) | by_letters | {code: name for code, (name, _) in _listed().items()}


@dataclass(frozen=True, slots=True)
class _Profile:
    """What a language in Latin letters looks like."""

    trigrams: dict[str, float]  # −log2 of the frequency of three letters, a blank being one
    words: frozenset[str]


@cache
def _listed() -> dict[str, tuple[str, frozenset[str]]]:
    """Code → name and frequent words."""
    table = read_toml(_FOLDER / "language_words.toml")
    return {code: (entry["name"], frozenset(entry["words"].split())) for code, entry in table.items()}


@cache
def _endings() -> dict[str, tuple[str, ...]]:
    """Of the languages in Devanagari besides Hindi: code → endings of words."""
    table = read_toml(_FOLDER / "language_words.toml")
    return {code: tuple(entry["endings"].split()) for code, entry in table.items() if "endings" in entry}


@cache
def _profiles() -> dict[str, _Profile]:
    """Made by recipes/language-id/make_profiles.py, which says from what."""
    profiles = {}
    for line in (_FOLDER / "language_profiles.tsv").read_text(encoding="utf-8").splitlines():
        code, groups, words = line.split("\t")
        trigrams: dict[str, float] = {}
        for group in groups.split(" "):
            bits, members = group.split(":")
            trigrams |= dict.fromkeys(members.replace("_", " ").split(","), int(bits) / 4)
        profiles[code] = _Profile(trigrams, _listed()[code][1] | frozenset(words.split()))
    return profiles


def frequent_words(code: str) -> frozenset[str]:
    """Those of a language in Latin letters."""
    return _profiles()[code].words


@cache
def _english_and_others() -> tuple[frozenset[str], frozenset[str]]:
    """Words that are frequent in English alone, and those that are frequent in other languages alone."""
    profiles = _profiles()
    others = frozenset().union(*(profile.words for code, profile in profiles.items() if code != ENGLISH))
    return profiles[ENGLISH].words - others, others - profiles[ENGLISH].words


def _in_latin_letters(words: Sequence[str]) -> tuple[str, float]:
    """The code of the most probable language and its probability."""
    only_english, only_others = _english_and_others()
    english = sum(word in only_english for word in words)
    others = sum(word in only_others for word in words)
    enough = english >= _PLENTY or (3 * english >= len(words) and (english > 1 or len(words) == 1))
    if enough and english > 2 * others:
        return ENGLISH, 1.0  # most texts are, and need no closer look
    counts = Counter(words)
    bits = {code: _bits(profile, counts) + _HEAD_START.get(code, 0.0) for code, profile in _profiles().items()}
    most = max(bits.values())
    weights = {code: 2.0 ** max(-60.0, value - most) for code, value in bits.items()}
    total = sum(weights.values())
    best = max(weights, key=lambda code: weights[code])
    probability = weights[best] / total
    if _is_told(best, probability, weights, counts):
        return best, probability
    return UNKNOWN, probability


def _is_typed_hindi(words: Sequence[str]) -> bool:
    """Whether all words may be Hindi, half are of no other language, and one of these is spelt as people type it."""
    if len(words) < _FEWEST_OF_ANOTHER or not all(is_listed(word) or may_be_hindi(word) for word in words):
        return False
    elsewhere = frozenset().union(*(profile.words for code, profile in _profiles().items() if code != HINDI_IN_LATIN))
    telling = [word for word in words if word not in elsewhere]
    return 2 * len(telling) >= len(words) and any(map(is_listed, telling))


def _bits(profile: _Profile, counts: Counter[str]) -> float:
    bits = 0.0
    for word, count in counts.items():
        padded = f" {word} "
        trigrams = sum(profile.trigrams.get(padded[at : at + 3], _UNSEEN) for at in range(len(padded) - 2))
        bits += count * (_BITS_PER_WORD * (word in profile.words) - _SHARE_OF_TRIGRAM * trigrams)
    return bits


def _is_told(best: str, probability: float, weights: dict[str, float], counts: Counter[str]) -> bool:
    """Whether there is enough to go by: among relatives a guess is good enough, but not from a single word."""
    profile = _profiles()[best]
    found = sum(word in profile.words for word in counts)
    if best == ENGLISH:
        return probability >= (_SURE if found else _WITHOUT_A_WORD)
    # Letters that English has not tell as much as a frequent word.
    found += sum(not word.isascii() and word not in profile.words for word in counts)
    among_relatives = weights[ENGLISH] + weights[HINDI_IN_LATIN] < _NEGLIGIBLE * sum(weights.values())
    certain = probability >= (_LIKELY if among_relatives and best != HINDI_IN_LATIN else _SURE)
    overwhelming = len(counts) >= _SHORT and weights[ENGLISH] < _NEXT_TO_NOTHING * weights[best]
    return certain and found >= (1 if overwhelming else 2 if len(counts) < _LONG else 3)


def _in_devanagari(words: Sequence[str]) -> tuple[str, float]:
    endings = _endings()
    lists = {code: _listed()[code][1] for code in (HINDI, *endings)}
    shared = {
        word for word, times in Counter(word for listed in lists.values() for word in listed).items() if times > 1
    }
    found = {code: sum(word in listed - shared for word in words) for code, listed in lists.items()}
    strange = [
        word for word in words if not is_frequent(word) and not any(word in listed for listed in lists.values())
    ]
    for code, several in endings.items():
        found[code] += sum(word.endswith(several) and word not in several for word in strange)
    best = max(found, key=lambda code: found[code])  # the first of equals: Hindi
    ordinary = sum(is_frequent(word) and word not in lists[best] for word in words)  # in Hindi
    if best == HINDI or found[best] < max(_FEWEST_OF_ANOTHER, ordinary):
        # Where no word is frequent in Hindi only the script tells.
        known = found[HINDI] > 0 or 2 * len(strange) < len(words) or len(words) < _FEWEST_OF_ANOTHER
        return HINDI, max(_OF_DEVANAGARI, (found[HINDI] + 1) / (sum(found.values()) + 1)) if known else _LIKELY
    return best, found[best] / sum(found.values())
