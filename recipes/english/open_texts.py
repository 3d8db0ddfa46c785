"""English on open terms to learn from: plain text for masked tokens, and texts that mean the same for contrast.

    python recipes/english/open_texts.py PAIRS ENGLISH BACK-TRANSLATED STSB OUTPUT-FOLDER

PAIRS, ENGLISH and BACK-TRANSLATED are clean.tsv.zst, english.tsv and back-translated.tsv.zst of recipes/en-hi;
STSB is a folder with valid.tsv.xz and test.tsv.xz, whose texts are left out of everything that is written.

- text.txt: sentences, one per line
- paraphrases.tsv: a text, and what a model made of its Hindi (a paraphrase by back-translation); two English texts
  that have the same Hindi
- twins.tsv: sentences beside themselves; dropout makes two different vectors of one, and that is contrast enough
- stsb-valid.tsv, stsb-test.tsv: STS-B's pairs
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from texts import LONGEST, MOST_ALIKE, SHORTEST, TWINS, columns, key, tidy, written
from texts import NO_PROSE as NO_PROSE_OF_ALL

LEAST_SCORE = -0.9  # of a paraphrase: mean log-probability per token
OVERLAP = (0.15, 0.75)  # of the words: less is a mistake, more is the same text again
NO_PROSE = (
    *NO_PROSE_OF_ALL,
    *("fdroid", "gatitos", "islrtc", "osm-website", "paratext", "reg-", "valmiki"),
)


def english_by_hindi(pairs: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for english, hindi, *_ in columns(pairs):
        if len(hindi.split()) >= 3:  # a word alone has many meanings
            found[hindi].append(english)
    return found


def same_hindi(by_hindi: dict[str, list[str]]) -> Iterator[list[str]]:
    for texts in by_hindi.values():
        different = list({key(text): text for text in texts}.values())
        if 2 <= len(different) <= MOST_ALIKE:
            yield different


def translated_back(by_hindi: dict[str, list[str]], back: Path) -> Iterator[list[str]]:
    for english, hindi, _, score, *_ in columns(back):
        first = by_hindi.get(hindi, [""])[0]
        if float(score) >= LEAST_SCORE and OVERLAP[0] <= overlap(first, english) <= OVERLAP[1]:
            yield [first, english]


def overlap(one: str, other: str) -> float:
    """The share of all words that both texts have."""
    first, second = set(one.lower().split()), set(other.lower().split())
    return len(first & second) / max(1, len(first | second))


def main() -> None:
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    pairs, english, back, stsb, out = map(Path, sys.argv[1:])
    judged_rows = {split: list(columns(stsb / f"{split}.tsv.xz")) for split in ("valid", "test")}
    judged = {key(text) for rows in judged_rows.values() for row in rows for text in row[1:3]}
    prose = (text for text, _, source, *_ in columns(pairs) if not source.startswith(NO_PROSE))
    sources = chain(prose, (row[0] for row in columns(english)))
    unlike = {tidy(text): None for text in sources if len(text.split()) >= 3 and key(text) not in judged}
    written(out / "text.txt", unlike)
    sentences = [text for text in unlike if SHORTEST <= len(text.split()) <= LONGEST]
    written(out / "twins.tsv", (f"{text}\t{text}" for text in sentences[::TWINS]))
    by_hindi = english_by_hindi(pairs)
    groups = chain(same_hindi(by_hindi), translated_back(by_hindi, back))
    clean = ([tidy(text) for text in group if text.strip() and key(text) not in judged] for group in groups)
    written(out / "paraphrases.tsv", ("\t".join(group) for group in clean if len(group) >= 2))
    for split, rows in judged_rows.items():
        written(out / f"stsb-{split}.tsv", ("\t".join(row) for row in rows))


if __name__ == "__main__":
    main()
