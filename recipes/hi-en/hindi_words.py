"""The frequent words of Hindi, how people type them in Latin letters, and which follows which.

    python recipes/hi-en/hindi_words.py DATA src/dhyan/text/hindi_words.tsv

DATA has train.tsv.xz (English, Hindi, source), sources.tsv (its terms) and romanised.tsv. Words are counted in the
Hindi of the pairs with open terms, everyday texts eight times; spellings are those of romanise.py and of
romanised.tsv, but for the rows that are kept for measuring. Rows: word, bits, spellings, NUMBER:BITS of the
words that follow it, numbers being those of the rows in base 36; bits are −log2 of a frequency. The first row is the
beginning of a text. A spelling with = before it is English.
"""

import argparse
import csv
import lzma
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from romanise import COMMON, frame, one_letter, sounds

from dhyan.core.atomic import atomic_file
from dhyan.text import deromanise
from dhyan.text.romanise import _without_joiners, romanise

WORDS = 4_500
FEWEST = 60  # times that a word follows another
TELLING = 4.0  # bits that the word before must tell
FARTHEST = 2.0  # a spelling from its word; what is farther stands for another one
ASIDE = 100  # rows of romanised.tsv that are kept for measuring, as in open_pairs.py
OPEN = ("open", "share-alike")
EVERYDAY = re.compile("written(?!-prose|-romanised)|tatoeba|massive|cocoa|x-risawoz|pratham")
WEIGHT = 8  # of everyday texts
OFTEN, MOSTLY = 50, 0.25  # how often a borrowed word is beside the English one: times, and of its own times
RAREST = 16.5  # bits of such a word
BORROWED = "="  # stands before the English spelling of a word
SHORTEST = 4  # letters of such a word
SPOKEN = (("tion", "shn"), ("igh", "i"), ("ture$", "cher"), ("g(?=[ey])", "j"), ("^kn", "n"), ("^wr", "r"))
DEVANAGARI = re.compile("[\u0900-\u0963\u0970-\u097f]+")
LATIN = re.compile("[a-z]+")
WORD = re.compile("[\u0900-\u0963\u0970-\u097fA-Za-z]+")
VIRAMA = "\u094d"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def texts(data: Path) -> Iterator[tuple[list[str], list[str], int]]:
    """The English and the Hindi words of each text, and how often it counts."""
    with (data / "sources.tsv").open(encoding="utf-8") as file:
        allowed = {row["source"] for row in csv.DictReader(file, delimiter="\t") if row["terms"] in OPEN}
    with lzma.open(data / "train.tsv.xz", "rt", encoding="utf-8") as file:
        for line in file:
            english, text, source = line.rstrip("\n").split("\t")[:3]
            if source in allowed and source != "written-romanised":
                words = DEVANAGARI.findall(_without_joiners(text))
                yield LATIN.findall(english.lower()), words, WEIGHT if EVERYDAY.match(source) else 1


def spoken(english: str) -> str:
    """Spelt a little more as it sounds."""
    for letters, sound in SPOKEN:
        english = re.sub(letters, sound, english)
    return english


def borrowed(together: Mapping[tuple[str, str], int], counts: Mapping[str, int]) -> dict[str, str]:
    """English word → Hindi word: those that sound alike and stand in texts of one meaning."""
    best: dict[str, tuple[int, str]] = {}
    for (english, word), count in together.items():
        if count >= max(OFTEN, MOSTLY * counts[word]):
            best[english] = max(best.get(english, (0, "")), (count, word))
    return {english: word for english, (_, word) in best.items()}


def spellings(data: Path) -> dict[str, Counter[str]]:
    """Word → how people type it, and how often; of a text and its spelling with as many words each."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for word, ways in COMMON.items():
        found[_without_joiners(word)].update(ways.split())
    rows = [line.split("\t") for line in (data / "romanised.tsv").read_text(encoding="utf-8").splitlines()]
    random.Random(1).shuffle(rows)
    for typed, text, *_ in rows[ASIDE:]:
        here, there = (WORD.findall(one) for one in (typed.lower(), _without_joiners(text)))
        if len(here) == len(there):
            for spelling, word in zip(here, there, strict=True):
                is_word = LATIN.fullmatch(spelling) and DEVANAGARI.fullmatch(word)
                sounds_so = (deromanise.sound_of(one) for one in (spelling, romanise(word)))
                if is_word and deromanise.distance(*sounds_so) <= FARTHEST:
                    found[word][spelling] += 1
    return found


def base_36(number: int) -> str:
    return (base_36(number // 36) if number >= 36 else "") + DIGITS[number % 36]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    frame_of = cache(lambda word: frame(sounds(one_letter(word))))
    english_frame = cache(lambda word: frame(spoken(word)))
    for english, words, weight in texts(given.data):
        for before, word in zip(["", *words], words, strict=False):
            counts[word] += weight
            pairs[before, word] += weight
        there = {english_frame(one): one for one in english if len(one) >= SHORTEST}
        for word in set(words):
            if frame_of(word) in there:
                together[there[frame_of(word)], word] += weight
    typed = spellings(given.data)
    for spelling, word in borrowed(together, counts).items():
        if counts[word] * 2**RAREST >= counts.total():
            typed[word][BORROWED + spelling] += 1
    total = counts.total()
    frequent = [word for word, _ in counts.most_common(WORDS) if not word.endswith(VIRAMA) and len(word) > 1]
    listed = ["", *dict.fromkeys([*frequent, *typed])]
    number = {word: at for at, word in enumerate(listed)}
    bits = {word: -math.log2(max(0.5, counts[word]) / total) for word in listed[1:]}
    sound = {word: deromanise.sound_of(romanise(word)) for word in listed}
    # Only where a sound or a spelling may be several words does it matter what stands beside them.
    sharing = Counter(deromanise.frame_of(one) for one in sound.values())
    spelt = Counter(one for ways in typed.values() for one in ways)
    doubtful = {
        word
        for word in listed
        if sharing[deromanise.frame_of(sound[word])] > 1 or any(spelt[one] > 1 for one in typed.get(word, ()))
    }
    followers: dict[str, list[str]] = defaultdict(list)
    totals: Counter[str] = Counter()
    for (before, _), count in pairs.items():
        totals[before] += count
    for (before, word), count in pairs.most_common():
        if count < FEWEST:
            break
        told = -math.log2(count / totals[before])
        if (
            before in number
            and word in number
            and {before, word} & doubtful
            and (not before or told < bits[word] + 1 - TELLING)
        ):
            followers[before].append(f"{base_36(number[word])}:{round(told)}")
    with atomic_file(given.out) as file:
        for word in listed:
            row = [word, str(round(bits.get(word, 0))), " ".join(typed.get(word, ())), " ".join(followers[word])]
            file.write(("\t".join(row) + "\n").encode())
    print(f"{len(listed):,} words and {sum(map(len, followers.values())):,} pairs are in {given.out}.")


if __name__ == "__main__":
    main()
