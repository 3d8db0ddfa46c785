"""Hindi in Latin letters, as people type it, in Devanagari: "kal milte hain" is कल मिलते हैं.

Nobody types by a scheme, so a word is looked for among the frequent words of Hindi: by the spellings that are listed
for it, and by its sound, in which long and short vowels and the like are one. Of several words the one that follows
the word before best is taken. What is English, a name or unknown stays as it is.
"""

import re
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dhyan.text.romanise import romanise

_TABLE = Path(__file__).parent / "hindi_words.tsv"  # made by recipes/hi-en/hindi_words.py, which says from what
_LATIN_WORD = re.compile(r"(?<![\w'’@#&$%`./\\=+*^_-])[A-Za-z]+(?![\w'’@`\\=+*^_/(-]|\.\w)")

# A word's sound: one letter for each, long and short vowels alike.
_SOUNDS = (
    (re.compile("chh"), "C"), (re.compile("ch"), "C"), (re.compile("sh"), "s"), (re.compile("ph"), "f"),
    (re.compile("w"), "v"), (re.compile("z"), "j"), (re.compile("q"), "k"), (re.compile("x"), "ks"),
    (re.compile("kh"), "K"), (re.compile("gh"), "G"), (re.compile("th"), "T"), (re.compile("dh"), "D"),
    (re.compile("bh"), "B"), (re.compile("jh"), "J"), (re.compile("aa+"), "a"),
    (re.compile("ee+|ii+|iy(?=[aeo])|ie$"), "i"), (re.compile("oo+|uu+"), "u"), (re.compile(r"(.)\1+"), r"\1"),
    (re.compile("n(?=[pbBf])"), "m"), (re.compile("c"), "k"),
)  # fmt: skip
# What nearly every spelling of a word has in common.
_FRAMES = (
    (re.compile("ai|ei|ay(?![aeiou])"), "e"), (re.compile("au|ou"), "o"), (re.compile("(?<=.)a(?!$)"), ""),
    (re.compile("y(?=[eio])|(?<=[eio])y"), ""), (re.compile("(?<=[eioaun])h(?=.)"), "h"),
    (re.compile("e(?=h)"), ""), (re.compile("(?<=[aeiou])[nm]$"), ""),
)  # fmt: skip
_BORROWED = "="  # stands before a spelling that is English
_VOWELS, _WEAK = "aeiou", "hny"
_FARTHEST = 0.8  # between two sounds that may be one word
_FARTHEST_OF_SHORT, _SHORT = 0.3, 2  # letters
_BITS_PER_DISTANCE = 6.0
_NOT_LISTED = 3.0  # bits against a word that is found by its sound alone
_BACKED_OFF = 1.0  # bits against a word that does not follow the one before it
_BACKED_OFF_FIRST = 6.0  # the same at the beginning of a text, where no postposition stands
_NOTHING: dict[int | None, float] = {None: 0.0}
_MOST_CAPITALS = 0.5  # of the words; with more of them a capital says nothing


@dataclass(frozen=True)
class _HindiWords:
    """The frequent words of Hindi, known by their numbers; 0 is the beginning of a text."""

    words: list[str]
    bits: list[float]  # −log2 of a word's frequency
    followers: list[dict[int, float]]  # −log2 of how often a word follows this one
    spellings: dict[str, list[int]]
    by_frame: dict[str, list[tuple[int, str]]]  # with the sound of each
    numbers: dict[str, int]
    borrowed: set[str]  # spellings that are English

    def candidates(self, typed: str) -> dict[int, float]:
        """What the word may be, and bits against it."""
        listed = self.spellings.get(typed, ())
        sound = sound_of(typed)
        farthest = 0.0 if listed else _FARTHEST if len(sound) > _SHORT else _FARTHEST_OF_SHORT
        near = ((word, distance(sound, other)) for word, other in self.by_frame.get(frame_of(sound), ()))
        found = {
            word: _BITS_PER_DISTANCE * apart + _NOT_LISTED
            for word, apart in near
            if apart <= farthest and (not listed or romanise(self.words[word]) == typed)
        }
        return found | dict.fromkeys(listed, 0.0)

    def best(self, several: Sequence[dict[int, float]]) -> list[int | None]:
        """The most probable row of words; None where there is none to choose."""
        paths: dict[int | None, tuple[float, list[int | None]]] = {0: (0.0, [])}
        for found in several:
            further: dict[int | None, tuple[float, list[int | None]]] = {}
            for word, against in (found or _NOTHING).items():
                ways = ((bits + against + self._bits(before, word), path) for before, (bits, path) in paths.items())
                bits, path = min(ways, key=lambda way: way[0])
                further[word] = (bits, [*path, word])
            paths = further
        return min(paths.values(), key=lambda way: way[0])[1]

    def _bits(self, before: int | None, word: int | None) -> float:
        if word is None:
            return 0.0
        if before is None:
            return self.bits[word]
        alone = self.bits[word] + (_BACKED_OFF if before else _BACKED_OFF_FIRST)
        return min(alone, self.followers[before].get(word, alone))


def in_devanagari(text: str, kept: Container[str] = (), hidden: Sequence[tuple[int, int]] = ()) -> str:
    """The text with its Hindi words in Devanagari.

    kept: words in small letters that stay, if no spelling is listed. hidden: where words stand that stay.
    """
    found = [
        one
        for one in _LATIN_WORD.finditer(text)
        if not any(one.start() < end and start < one.end() for start, end in hidden)
    ]
    small = sum(word[0].islower() for word in found)
    has_case = small >= _MOST_CAPITALS * len(found)
    words = _hindi_words()
    several: list[dict[int, float]] = []
    for number, one in enumerate(found):
        typed = one[0].lower()
        # A name, or an abbreviation.
        is_name = has_case and one[0] != typed and (number > 0 or (len(typed) > 1 and one[0].isupper()))
        stays = is_name or (typed in kept and typed not in words.spellings)
        several.append({} if stays else words.candidates(typed))
    pieces: list[str] = []
    at = 0
    for one, word in zip(found, words.best(several), strict=True):
        pieces += [text[at : one.start()], one[0] if word is None else words.words[word]]
        at = one.end()
    return "".join([*pieces, text[at:]])


def is_listed(word: str) -> bool:
    """Whether this is how people spell a Hindi word in Latin letters, and not English."""
    words = _hindi_words()
    return word in words.spellings and word not in words.borrowed


def sounds_hindi(text: str, english: Container[str]) -> bool:
    """Whether a text in small Latin letters is Hindi by the sound of all its words, half of which are no English.

    english: its frequent words. One word alone must be listed.
    """
    words = _LATIN_WORD.findall(text)
    known = _hindi_words()
    if not words or text != text.lower() or (len(words) == 1 and not is_listed(words[0])):
        return False
    if not all(word in known.spellings or (word not in english and known.candidates(word)) for word in words):
        return False
    return 2 * sum(word not in english and word not in known.borrowed for word in words) >= len(words)


def may_be_hindi(word: str) -> bool:
    """Whether a word in Latin letters sounds like a frequent one of Hindi."""
    return bool(_hindi_words().candidates(word))


def is_frequent(word: str) -> bool:
    """Whether a word in Devanagari is one of the frequent words of Hindi."""
    return word in _hindi_words().numbers


@cache
def _hindi_words() -> _HindiWords:
    rows = [line.split("\t") for line in _TABLE.read_text(encoding="utf-8").splitlines()]
    spellings: dict[str, list[int]] = defaultdict(list)
    by_frame: dict[str, list[tuple[int, str]]] = defaultdict(list)
    followers: list[dict[int, float]] = []
    borrowed: set[str] = set()
    for number, (word, _, listed, behind) in enumerate(rows):
        for one in listed.split():
            spellings[one.removeprefix(_BORROWED)].append(number)
            if one.startswith(_BORROWED):
                borrowed.add(one.removeprefix(_BORROWED))
        sound = sound_of(romanise(word))
        by_frame[frame_of(sound)].append((number, sound))
        pairs = (one.split(":") for one in behind.split())
        followers.append({int(follower, 36): float(bits) for follower, bits in pairs})
    words = [row[0] for row in rows]
    numbers = {word: number for number, word in enumerate(words)}
    bits = [float(row[1]) for row in rows]
    return _HindiWords(words, bits, followers, dict(spellings), dict(by_frame), numbers, borrowed)


def sound_of(typed: str) -> str:
    for pattern, other in _SOUNDS:
        typed = pattern.sub(other, typed)
    return typed


def frame_of(sound: str) -> str:
    for pattern, other in _FRAMES:
        sound = pattern.sub(other, sound)
    return sound.lower()


def distance(one: str, other: str) -> float:
    """How far two sounds are apart: vowels come and go, consonants hardly."""
    row = [0.0]
    for letter in other:
        row.append(row[-1] + _weight(letter))
    for letter in one:
        before, row = row, [row[0] + _weight(letter)]
        for at, compared in enumerate(other):
            row.append(
                min(
                    before[at] + _change(letter, compared),
                    before[at + 1] + _weight(letter),
                    row[at] + _weight(compared),
                )
            )
    return row[-1]


def _weight(letter: str) -> float:
    return 0.35 if letter == "a" else 0.6 if letter in _VOWELS else 0.5 if letter in _WEAK else 1.3


def _change(one: str, other: str) -> float:
    if one == other:
        return 0.0
    return 0.5 if one.lower() == other.lower() else 0.7 if one in _VOWELS and other in _VOWELS else 1.5
