"""Rows made of pairs by rules: with placeholders, with spans that are copied, with the style that their Hindi shows.

    python recipes/en-hi/made_rows.py placeholders OUT.tsv --share 0.1 --train clean.tsv.zst [--train …]
    python recipes/en-hi/made_rows.py markup       OUT.tsv --clean mixes/clean.toml --train open.tsv
    python recipes/en-hi/made_rows.py letters      OUT.tsv --share 24 --train placeholder_phrases.tsv
    python recipes/en-hi/made_rows.py copied       OUT.tsv --share 0.1 --train clean.tsv.zst
    python recipes/en-hi/made_rows.py styles       OUT.tsv --train clean.tsv.zst

Rows are English, Hindi, source, as they come in; the name of a row that is made is KIND/SOURCE. `markup` takes the
rows with addresses and code that cleaning drops: they are cleaned after placeholders have taken the place of those.
`letters` writes rows that have placeholders so many times, each time with other ones.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "hi-en"))

from copied_rows import LONGEST_JOINED, joined, with_copied_span
from placeholder_rows import LETTERS, with_placeholders
from style_rows import styled

from dhyan.core.atomic import atomic_file
from dhyan.data.mix.clean_pair import PairCleaner, RowBatch
from dhyan.data.mix.config import read_mix
from dhyan.data.open_text import numbered_lines

Row = tuple[str, str, str]  # English, Hindi, name


class Maker:
    """Makes rows of rows; draws of its own, so that several processes can share the work."""

    def __init__(self, seed: str) -> None:
        self.draw = random.Random(seed)
        self.short: tuple[str, str] | None = None

    def placeholders(self, row: Row, share: float) -> Iterator[Row]:
        english, hindi, name = row
        if self.draw.random() < share and (made := with_placeholders(english, hindi, self.draw)):
            yield *made, f"placeholders/{name}"

    def markup(self, row: Row, share: float) -> Iterator[Row]:
        english, hindi, name = row
        if self.draw.random() < share and (made := with_placeholders(english, hindi, self.draw, markup_only=True)):
            yield *made, f"placeholders/{name}"

    def letters(self, row: Row, share: float) -> Iterator[Row]:
        for _ in range(int(share)):
            other = str.maketrans(LETTERS, "".join(self.draw.sample(LETTERS, len(LETTERS))))
            yield row[0].translate(other), row[1].translate(other), f"placeholders/{row[2]}"

    def copied(self, row: Row, share: float) -> Iterator[Row]:
        english, hindi, name = row
        if self.draw.random() >= share:
            return
        if len(english.split()) <= LONGEST_JOINED:
            if self.short and self.short[0] != english:
                yield *joined(self.short, (english, hindi), self.draw), f"copied/{name}"
                self.short = None
            else:
                self.short = english, hindi
        elif made := with_copied_span(english, hindi, self.draw):
            yield *made, f"copied/{name}"

    def styles(self, row: Row, share: float) -> Iterator[Row]:
        english, hindi, name = row
        for style, *made in styled(english, hindi, self.draw):
            if self.draw.random() < share:
                yield made[0], made[1], f"{style}/{name}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["placeholders", "markup", "letters", "copied", "styles"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--train", type=Path, action="append", required=True)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--clean", type=Path)
    given = parser.parse_args()
    make = getattr(Maker("1"), given.kind)
    mix = read_mix(given.clean) if given.clean else None
    clean = PairCleaner(mix, set()) if mix else None
    count = 0
    with atomic_file(given.out) as file:
        for path in given.train:
            for _, line in numbered_lines(path):
                english, hindi, name, *_ = line.split("\t")
                for made in make((english, hindi, name), given.share):
                    text = "\t".join(made) + "\n"
                    if mix and clean:
                        group = mix.group_of(name)
                        if group is None or mix.groups[group].drop:
                            continue
                        pair = clean(RowBatch(group, [text.rstrip("\n").encode()]))[0]
                        if isinstance(pair, str):
                            continue
                        text = pair.source + pair.rest.decode()
                    file.write(text.encode())
                    count += 1
    print(f"{count:,} rows are in {given.out}.")


if __name__ == "__main__":
    main()
