"""The pairs whose terms do not forbid commercial use, and of the romanised rows a hundred kept for a test.

    python recipes/hi-en/open_pairs.py DATA open.tsv romanised.tsv romanised-test.tsv [others.tsv]

DATA has train.tsv.xz, sources.tsv and romanised.tsv. `open.tsv` has English, Hindi, source; `romanised.tsv` English,
Hindi in Latin letters, source; the test Hindi in Latin letters, English. No pair of the test is in either, in any
writing. `others.tsv` gets the pairs whose terms do not allow it, to measure what leaving them out costs.
"""

import random
import re
import sys
from contextlib import nullcontext
from pathlib import Path

from dhyan.core.atomic import atomic_file
from dhyan.data.open_text import numbered_lines

ALLOWED = {"open", "share-alike", "unstated"}  # the last: public, no licence given
ASIDE = 100


def rows(file: Path) -> list[list[str]]:
    return [line.split("\t") for _, line in numbered_lines(file)]


def plain(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def main() -> None:
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    data, pairs, latin, test, *others = map(Path, sys.argv[1:])
    terms = {row[0]: row[3] for row in rows(data / "sources.tsv")}
    romanised = rows(data / "romanised.tsv")
    random.Random(1).shuffle(romanised)
    aside, rest = romanised[:ASIDE], romanised[ASIDE:]
    secret = {plain(text) for row in aside for text in row[1:]}
    with atomic_file(test) as file:
        file.writelines(f"{row[0]}\t{row[2]}\n".encode() for row in aside)
    with atomic_file(latin) as file:
        file.writelines(
            f"{row[2]}\t{row[0]}\twritten-latin\n".encode()
            for row in rest
            if plain(row[1]) not in secret and plain(row[2]) not in secret
        )
    kept = 0
    with atomic_file(pairs) as file, atomic_file(others[0]) if others else nullcontext() as rest_file:
        for _, line in numbered_lines(data / "train.tsv.xz"):
            english, hindi, source, *_ = line.split("\t")
            if plain(english) in secret or plain(hindi) in secret:
                continue
            out = file if terms.get(source) in ALLOWED else rest_file
            if out is not None:
                out.write(f"{english}\t{hindi}\t{source}\n".encode())
                kept += out is file
    print(f"{kept:,} pairs are in {pairs}, {len(rest)} romanised rows in {latin}, {len(aside)} in {test}.")


if __name__ == "__main__":
    main()
