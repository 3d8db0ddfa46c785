"""English to learn from: plain text for masked tokens, and groups of texts that mean the same for contrast.

python recipes/english/texts.py BENCH-FOLDER ENGLISH-HINDI.tsv.xz OUTPUT-FOLDER

Only training splits are read. A text of STS-B's validation or test pairs is left out of everything that is written:
some of the captions are such texts, and a score on them would say nothing.

- text.txt: sentences and passages, one per line
- paraphrases.tsv: captions of one picture; two English texts that have the same Hindi
- twins.tsv: sentences beside themselves; dropout makes two different vectors of one, and that is contrast enough
- stsb-valid.tsv, stsb-test.tsv: STS-B's pairs without those that hold a caption; stsb-leaked.tsv the test's that do
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain
from pathlib import Path

from dhyan.core.atomic import atomic_file
from dhyan.data.open_text import numbered_lines
from dhyan.text.sentences import split_sentences

BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
PASSAGE = 360  # words: what a window of 512 tokens holds
MOST_ALIKE = 5  # English texts of one Hindi: more are headings and buttons
TWINS, SHORTEST, LONGEST = 14, 6, 40  # every 14th sentence of so many words
NO_PROSE = (  # sources of pairs: strings of software, manuals of products, lists, and what is centuries old
    "android", "aspose", "bhagavad", "bible", "chrom", "cldr", "conholdate", "curify", "debian", "firefox",
    "freedict", "i2p", "intlayer", "iso-codes", "kolibri", "libreoffice", "mediawiki", "msdocs", "openclaw",
    "openedx", "openspec", "quran", "scratch", "signal", "transliteration", "uw-glt", "uw-translation-notes", "xcsh",
)  # fmt: skip


def columns(file: Path) -> Iterator[list[str]]:
    return (line.split("\t") for _, line in numbered_lines(file))


def key(text: str) -> str:
    """What two texts must share to be the same: their letters and digits, in lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


def reviews(file: Path) -> Iterator[str]:
    """Passages of film reviews: whole sentences, as many as are read together."""
    for row in columns(file):
        passage: list[str] = []
        for sentence in split_sentences(unescape(BREAK.sub("\n", row[1]))):
            words = sentence.split()
            if passage and len(passage) + len(words) > PASSAGE:
                yield " ".join(passage)
                passage = []
            passage += words
        yield " ".join(passage)


def same_meaning(pairs: Path) -> Iterator[list[str]]:
    """English texts that were translated by the same Hindi."""
    by_hindi: dict[str, list[str]] = defaultdict(list)
    for english, hindi, *_ in columns(pairs):
        if len(hindi.split()) >= 3:  # a word alone has many meanings
            by_hindi[hindi].append(english)
    for texts in by_hindi.values():
        different = list({key(text): text for text in texts}.values())
        if 2 <= len(different) <= MOST_ALIKE:
            yield different


def prose(pairs: Path) -> Iterator[str]:
    return (english for english, _, source, *_ in columns(pairs) if not source.startswith(NO_PROSE))


def written(file: Path, lines: Iterable[str]) -> None:
    count = 0
    with atomic_file(file) as out:
        for line in lines:
            out.write(f"{line}\n".encode())
            count += 1
    print(f"{count:,} lines are in {file}.")


def tidy(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    if len(sys.argv) != 4:
        sys.exit("usage: texts.py BENCH-FOLDER ENGLISH-HINDI.tsv.xz OUTPUT-FOLDER")
    bench, pairs, out = map(Path, sys.argv[1:])
    judged = {
        key(text)
        for split in ("valid", "test")
        for row in columns(bench / f"stsb/{split}.tsv.xz")
        for text in row[1:3]
    }
    captions = list(columns(bench / "captions/train.tsv.xz"))
    sources = chain(
        prose(pairs),
        reviews(bench / "imdb/train.tsv.xz"),
        (row[3] for row in columns(bench / "coarsewsd20/train.tsv.xz")),
        (text for row in captions for text in row),
        (row[1] for row in columns(bench / "sst2/train.tsv.xz")),
    )
    unlike = {tidy(text): None for text in sources if len(text.split()) >= 3 and key(text) not in judged}
    written(out / "text.txt", unlike)
    sentences = [text for text in unlike if SHORTEST <= len(text.split()) <= LONGEST]
    written(out / "twins.tsv", (f"{text}\t{text}" for text in sentences[::TWINS]))
    groups = chain(captions, same_meaning(pairs))
    clean = ([tidy(text) for text in group if text.strip() and key(text) not in judged] for group in groups)
    written(out / "paraphrases.tsv", ("\t".join(group) for group in clean if len(group) >= 2))
    pictured = {key(text) for row in captions for text in row}
    for split in ("valid", "test"):
        rows = [(row, not pictured.isdisjoint(map(key, row[1:3]))) for row in columns(bench / f"stsb/{split}.tsv.xz")]
        written(out / f"stsb-{split}.tsv", ("\t".join(row) for row, leaked in rows if not leaked))
    written(out / "stsb-leaked.tsv", ("\t".join(row) for row, leaked in rows if leaked))  # of the test


if __name__ == "__main__":
    main()
