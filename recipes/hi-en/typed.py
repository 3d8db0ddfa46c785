"""Hindi as people type it, besides Hindi as it is printed: more sources for the same English.

    python recipes/hi-en/typed.py typed.tsv --train clean.tsv.zst [--train …] [--words open.tsv] [--share 0.3]

Rows are English, Hindi, source, as they come in. Of a share of them a second row is written, whose Hindi is in Latin
letters (source `latin/NAME`) or carelessly typed (`typed/NAME`): a full stop or nothing instead of a danda, no dots
under letters, ं for ँ, Hindi digits, curly quotation marks, no marks at all.
"""

import argparse
import random
import re
from pathlib import Path

from romanise import Romaniser, frame, one_letter, sounds

from dhyan.core.atomic import atomic_file
from dhyan.data.open_text import numbered_lines

SHORTEST = 4  # letters of a borrowed word
LATIN = 0.3  # of the rows that are varied
DIGITS = str.maketrans("0123456789", "०१२३४५६७८९")
DOTTED = re.compile("([कखगजफ])\u093c")
MARKS = re.compile(r"[।,;:!?\"'“”‘’.()—–-]+")
END = re.compile(r"[।.]+$")


def typed(text: str, draw: random.Random) -> str:
    """Careless in one way at least, or in several."""
    before = text
    while text == before:
        chance = draw.random
        if chance() < 0.35:
            text = text.replace("।", "." if chance() < 0.85 else "|")
        elif chance() < 0.3:
            text = END.sub("", text)
        if chance() < 0.45:
            text = DOTTED.sub(r"\1", text)
        if chance() < 0.45:
            text = text.replace("ँ", "ं")
        if chance() < 0.06:
            text = text.translate(DIGITS)
        if chance() < 0.06 and '"' in text:
            text = re.sub(r'"([^"]*)"', "“\\1”", text)
        if chance() < 0.08:
            text = " ".join(MARKS.sub(" ", text).split())
        if chance() < 0.1:
            break
    return text


def latin(text: str, english: str, romanise: Romaniser, draw: random.Random) -> str:
    text = romanise(text, draw, english)
    text = text.replace("।", "." if draw.random() < 0.4 else "")
    if draw.random() < 0.5:
        text = END.sub("", text)
    if draw.random() < 0.15:
        text = " ".join(MARKS.sub(" ", text).split())
    text = text.lower() if draw.random() < 0.75 else text[:1].upper() + text[1:]
    return " ".join(text.split())


def borrowed(files: list[Path]) -> dict[str, str]:
    """English words in Devanagari: ऑफ़िस is office. The list was mined, so the sounds must agree."""
    found: dict[str, str] = {}
    for file in files:
        for _, line in numbered_lines(file):
            english, hindi, source, *_ = line.split("\t")
            single = len(hindi) >= SHORTEST and len(english) >= SHORTEST and " " not in english + hindi
            if source == "transliteration-mined" and single and frame(sounds(one_letter(hindi))) == frame(english):
                found.setdefault(hindi, english.lower())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--train", type=Path, action="append", required=True)
    parser.add_argument("--words", type=Path, action="append", default=[])
    parser.add_argument("--share", type=float, default=0.3)
    given = parser.parse_args()
    romanise = Romaniser(borrowed(given.words))
    draw = random.Random(1)
    count = 0
    with atomic_file(given.out) as file:
        for path in given.train:
            for _, line in numbered_lines(path):
                english, hindi, source, *rest = line.split("\t")
                words = hindi.count(" ") + 1
                if words < 2 or draw.random() >= given.share:
                    continue
                if words <= 40 and draw.random() < LATIN:
                    hindi, source = latin(hindi, english, romanise, draw), f"latin/{source}"
                else:
                    hindi, source = typed(hindi, draw), f"typed/{source}"
                file.write(("\t".join([english, hindi, source, *rest]) + "\n").encode())
                count += 1
    print(f"{count:,} rows are in {given.out}.")


if __name__ == "__main__":
    main()
