"""How well languages are told apart: of each file of texts, how many are right, unknown and wrong.

    python recipes/language-id/measure.py DATA

DATA has flores200-dev.en and .hi, tico19-dev.en, ui.tsv and romanised.tsv (the hundred rows that the table was not
made from are asked). The made-up texts of the tests are asked too.
"""

import argparse
import random
import tomllib
from pathlib import Path

from make_profiles import ASIDE

from dhyan.text.language_id import UNKNOWN, detect

TESTS = Path(__file__).parents[2] / "tests"


def lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def first_column(path: Path) -> list[str]:
    return [line.split("\t")[0] for line in lines(path) if not line.startswith("#")]


def typed(path: Path) -> list[str]:
    rows = lines(path)
    random.Random(1).shuffle(rows)
    return [row.split("\t")[0] for row in rows[:ASIDE]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    data = parser.parse_args().data
    asked = [
        ("FLORES-200 dev, English", "en", lines(data / "flores200-dev.en")),
        ("TICO-19 dev, English", "en", lines(data / "tico19-dev.en")),
        ("everyday sentences, English", "en", first_column(TESTS / "shipped" / "everyday.tsv")),
        ("labels of programs, English", "en", first_column(data / "ui.tsv")),
        ("FLORES-200 dev, Hindi", "hi", lines(data / "flores200-dev.hi")),
        ("Hindi as people type it in Latin letters", "hi-Latn", typed(data / "romanised.tsv")),
    ]
    made_up = tomllib.loads((TESTS / "unit" / "text" / "made_up_texts.toml").read_text(encoding="utf-8"))
    others = {code: row["texts"] for code, row in made_up.items() if code not in ("en", "hi", "hi-Latn")}
    print("| texts | number | right | unknown | wrong |\n|---|--:|--:|--:|--:|")
    for name, code, texts in asked:
        found = [one.language for one in detect(texts)]
        print(row(name, len(found), found.count(code), found.count(UNKNOWN)))
    answers = [(code, one.language) for code, texts in others.items() for one in detect(texts)]
    right = sum(code == answer for code, answer in answers)
    unknown = sum(answer == UNKNOWN for _, answer in answers)
    print(row(f"made-up texts in {len(others)} other languages", len(answers), right, unknown))


def row(name: str, count: int, right: int, unknown: int) -> str:
    return f"| {name} | {count:,} | {right:,} | {unknown:,} | {count - right - unknown:,} |"


if __name__ == "__main__":
    main()
