"""IMDB's labelled reviews, in pieces that a window of 512 tokens holds, each with its review's label.

python recipes/sentiment/reviews.py IMDB-TRAIN.tsv.xz OUTPUT-FOLDER

A training reads a text's beginning and no more than a window; what a review ends with is often its verdict. In use a
long text is read in windows and their tokens pooled, so a piece is what the classifier meets there, too.

- imdb-train.tsv, imdb-valid.tsv: every 25th review is for validation, with all its pieces
"""

import re
import sys
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path

from dhyan.core.atomic import atomic_file
from dhyan.data.open_text import numbered_lines

BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
PIECE = 360  # words
HELD_OUT = 25


def pieces(review: str) -> Iterator[str]:
    """Parts of equal length, as few as fit."""
    words = unescape(BREAK.sub(" ", review)).split()
    count = max(1, -(-len(words) // PIECE))
    bounds = [len(words) * number // count for number in range(count + 1)]
    return (" ".join(words[begin:end]) for begin, end in pairwise(bounds))


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: reviews.py IMDB-TRAIN.tsv.xz OUTPUT-FOLDER")
    reviews, out = map(Path, sys.argv[1:])
    with atomic_file(out / "imdb-train.tsv") as train, atomic_file(out / "imdb-valid.tsv") as valid:
        for number, line in numbered_lines(reviews):
            label, review = line.split("\t")[:2]
            for piece in pieces(review):
                (train if number % HELD_OUT else valid).write(f"{label}\t{piece}\n".encode())
    print(f"The pieces are in {out / 'imdb-train.tsv'} and {out / 'imdb-valid.tsv'}.")


if __name__ == "__main__":
    main()
