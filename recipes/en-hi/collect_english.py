"""English sentences that have no Hindi, from the training splits of the benchmarks, for a teacher to translate.

python recipes/en-hi/collect_english.py BENCH-FOLDER english.txt
"""

import random
import re
import sys
from collections.abc import Iterator
from html import unescape
from itertools import chain
from pathlib import Path

from dhyan.core.atomic import atomic_file
from dhyan.data.open_text import numbered_lines
from dhyan.text.sentences import split_sentences

REVIEW_SENTENCES = 200_000
TITLES = 10_000
CAPTIONS_A_PICTURE = 2
LONGEST = 50

BEFORE_MARK = re.compile(r"\s+(?=[.,;:?!%)\]]|'(?:s|re|ve|ll|d|m)\b|n't\b|'(?:\s|$))")
AFTER_MARK = re.compile(r"(?<=[(\[$#])\s+")
QUOTED = re.compile(r"(?:``|''|\")\s*(.*?)\s*(?:''|\")")
BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


def columns(file: Path) -> Iterator[list[str]]:
    return (line.split("\t") for _, line in numbered_lines(file))


def encyclopaedia(file: Path) -> Iterator[str]:
    """Sentences of Wikipedia; longer ones are mostly lists of names."""
    return (joined(row[3]) for row in columns(file) if 4 <= len(row[3].split()) <= LONGEST)


def joined(tokens: str) -> str:
    """Tokenised text as people write it: "apple 's store , too ." is "apple's store, too."."""
    text = tokens.replace("-lrb-", "(").replace("-rrb-", ")").replace(" -- ", " – ")
    text = QUOTED.sub(r'"\1"', text).replace("` ", "'")
    return AFTER_MARK.sub("", BEFORE_MARK.sub("", text))


def reviews(file: Path) -> list[str]:
    """The sentences of film reviews, neither stumps nor run-on."""
    return [
        sentence.strip()
        for row in columns(file)
        for sentence in split_sentences(BREAK.sub("\n", row[1]))
        if 4 <= len(sentence.split()) <= 40 and "http" not in sentence
    ]


def some(sentences: list[str], most: int) -> list[str]:
    """A fair draw."""
    return random.Random(1).sample(sentences, min(most, len(sentences)))


def english(bench: Path) -> Iterator[str]:
    titles = [row[1] for row in columns(bench / "stackoverflow/titles.tsv.xz")]
    return chain(
        encyclopaedia(bench / "coarsewsd20/train.tsv.xz"),
        (text for row in columns(bench / "captions/train.tsv.xz") for text in row[:CAPTIONS_A_PICTURE]),
        some(reviews(bench / "imdb/train.tsv.xz"), REVIEW_SENTENCES),
        (joined(row[1]) for row in columns(bench / "sst2/train.tsv.xz")),
        (text for row in columns(bench / "stsb/train.tsv.xz") for text in row[1:3]),
        some(titles, TITLES),
    )


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: english.py BENCH-FOLDER OUTPUT.txt")
    tidy = (" ".join(unescape(sentence).split()) for sentence in english(Path(sys.argv[1])))
    sentences = list(dict.fromkeys(sentence for sentence in tidy if sentence))
    with atomic_file(Path(sys.argv[2])) as file:
        file.writelines(f"{sentence}\n".encode() for sentence in sentences)
    print(f"{len(sentences):,} sentences are in {sys.argv[2]}.")


if __name__ == "__main__":
    main()
