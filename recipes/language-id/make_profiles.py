"""The table that tells languages in Latin letters apart: how often three letters follow each other in each of them.

    python recipes/language-id/make_profiles.py DATA PROFILES src/dhyan/text/language_profiles.tsv

DATA has train.tsv.xz (English, Hindi, source), sources.tsv (its terms) and romanised.tsv. English is counted in the
pairs with open terms; Hindi in Latin letters in romanised.tsv and in their Hindi, romanised as people type it.
PROFILES has the counts of other languages, one JSON file per language: those of the package langdetect 1.0.9
(Apache-2.0, Copyright 2010-2014 Cybozu Labs, 2014-2015 Michal Danilak), counted in abstracts of Wikipedia.
"""

import argparse
import csv
import json
import lzma
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "hi-en"))
from romanise import Romaniser

from dhyan.core.atomic import atomic_file
from dhyan.text.words import words_of

OTHERS = "es fr de it pt ca nl sv da no fi et pl cs sk sl hr hu ro sq lt lv tr id vi tl sw"  # as PROFILES calls them
TRIGRAMS = 700  # per language: the rest is too rare to tell anything
WORDS = {"en": 2500, "hi-Latn": 1200}
WORDS_OF_ONE = "ai"  # letters; the others stand alone in code and lists
ROMANISED = 120_000  # Hindi sentences
ASIDE = 100  # rows of romanised.tsv that are kept for measuring, as in recipes/hi-en/open_pairs.py
OPEN = ("open", "share-alike")
LATIN = re.compile(r"[^\W\d_]+")


def open_pairs(data: Path) -> Iterator[tuple[str, str]]:
    with (data / "sources.tsv").open(encoding="utf-8") as file:
        allowed = {row["source"] for row in csv.DictReader(file, delimiter="\t") if row["terms"] in OPEN}
    with lzma.open(data / "train.tsv.xz", "rt", encoding="utf-8") as file:
        for line in file:
            english, hindi, source = line.rstrip("\n").split("\t")[:3]
            if source in allowed:
                yield english, hindi


def typed_hindi(data: Path, pairs: list[tuple[str, str]]) -> Iterator[str]:
    rows = [line.split("\t") for line in (data / "romanised.tsv").read_text(encoding="utf-8").splitlines()]
    random.Random(1).shuffle(rows)
    for row in rows[ASIDE:]:
        yield from [row[0]] * 5
    romanise = Romaniser({})
    draw = random.Random(1)
    for _, hindi in draw.sample(pairs, min(ROMANISED, len(pairs))):
        yield romanise(hindi, draw)


def trigrams(words: Counter[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for word, count in words.items():
        padded = f" {word} "
        for at in range(len(padded) - 2):
            counts[padded[at : at + 3]] += count
    return counts


def word_counts(texts: Iterable[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(word for word in words_of(text) if LATIN.fullmatch(word) and word.encode().isascii())
    return counts


def profile(path: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for ngram, count in json.loads(path.read_text(encoding="utf-8"))["freq"].items():
        if len(ngram) == 3 and all(one == " " or one.isalpha() for one in ngram):
            counts[ngram.lower()] += count
    return counts


def line(code: str, counts: Counter[str], words: Iterable[str]) -> str:
    """Code, the three-letter sequences grouped by the rounded −log2 of their frequency × 4, frequent words."""
    total = counts.total()
    groups: dict[int, list[str]] = {}
    for ngram, count in counts.most_common(TRIGRAMS):
        groups.setdefault(round(-4 * math.log2(count / total)), []).append(ngram.replace(" ", "_"))
    listed = " ".join(f"{score}:{','.join(sorted(group))}" for score, group in sorted(groups.items()))
    return f"{code}\t{listed}\t{' '.join(words)}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("profiles", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    pairs = list(open_pairs(given.data))
    own = {"en": word_counts(english for english, _ in pairs), "hi-Latn": word_counts(typed_hindi(given.data, pairs))}
    with atomic_file(given.out) as file:
        for code, words in own.items():
            frequent = [word for word, _ in words.most_common(WORDS[code]) if len(word) > 1 or word in WORDS_OF_ONE]
            file.write(line(code, trigrams(words), frequent).encode())
        for code in OTHERS.split():
            file.write(line(code, profile(given.profiles / code), ()).encode())


if __name__ == "__main__":
    main()
