"""Pairs with spans that are copied as they are: signs, formulas, prices, units, words of other scripts.

A span takes the place of a name or number that both sides have, is put before or after both sides, stands alone, or
joins two short pairs.
"""

import random
from pathlib import Path

from placeholder_rows import plain_spans, replaced

FILE = Path(__file__).with_name("copied_spans.tsv")
SPANS = {kind: spans for kind, *spans in (line.split("\t") for line in FILE.read_text("utf-8").splitlines())}
ON_NAMES = ("™", "®", "©", "°", "²", "*", "#", "^", "†", "~", "_", "|", "%")
RANGES = (  # of scripts: Chinese, Japanese, Korean, Russian, Greek, Arabic, Hebrew, Thai, Tamil, Bengali
    (0x4E00, 0x9FA5), (0x3041, 0x3096), (0x30A1, 0x30FA), (0xAC00, 0xD7A3), (0x430, 0x44F), (0x3B1, 0x3C9),
    (0x627, 0x64A), (0x5D0, 0x5EA), (0xE01, 0xE2E), (0xB85, 0xBB9), (0x985, 0x9B9),
)  # fmt: skip
QUANTITIES = 0.45
LONGEST_JOINED = 5  # words


def span(draw: random.Random, kinds: tuple[float, float] = (0.0, 1.0)) -> str:
    """kinds: a part of 0 to 1; up to 0.45 it is a quantity, beyond that a word, formula or sign."""
    kind = draw.uniform(*kinds)
    number = str(draw.randint(1, 999)) if draw.random() < 0.7 else f"{draw.uniform(0, 5000):,.2f}"
    if kind < 0.22:
        return number + draw.choice((" ", " ", "")) + draw.choice(SPANS["units"])
    if kind < QUANTITIES:
        currency = draw.choice(SPANS["currencies"])
        return currency + number if draw.random() < 0.8 else f"{number} {currency}"
    if kind < 0.8:
        return foreign(draw)
    return draw.choice(SPANS["formulas"]) if kind < 0.95 else draw.choice(SPANS["signs"])


def foreign(draw: random.Random) -> str:
    if draw.random() < 0.65:
        return draw.choice(SPANS["foreign"])
    first, last = draw.choice(RANGES)
    return "".join(chr(draw.randint(first, last)) for _ in range(draw.randint(1, 6)))


def with_copied_span(english: str, hindi: str, draw: random.Random) -> tuple[str, str] | None:
    """The pair with a span on both sides; None when there is no place for one."""
    way = draw.random()
    if way < 0.04:
        alone = " ".join(span(draw) for _ in range(draw.randint(1, 3)))
        return alone, alone
    if way < 0.16:
        sign = draw.choice(SPANS["signs"])
        before = draw.random() < 0.5
        return (f"{sign} {english}", f"{sign} {hindi}") if before else (f"{english} {sign}", f"{hindi} {sign}")
    if way < 0.24:
        return bracketed(english, hindi, span(draw))
    places = plain_spans(english, hindi)
    if not places:
        return None
    place = draw.choice(places)
    if way < 0.34:  # a sign on the name itself
        sign = draw.choice(ON_NAMES)
        left, right = place
        marked = replaced(english, hindi, [(place, "\0")])
        return marked[0].replace("\0", left + sign), marked[1].replace("\0", right + sign)
    kinds = (0.0, QUANTITIES) if place[0][-1].isdigit() else (QUANTITIES, 1.0)
    return replaced(english, hindi, [(place, span(draw, kinds))])


def bracketed(english: str, hindi: str, text: str) -> tuple[str, str] | None:
    """The span in brackets before the final mark."""
    if english[-1:] != "." or hindi[-1:] != "।":
        return None
    return f"{english[:-1]} ({text}).", f"{hindi[:-1]} ({text})।"


def joined(first: tuple[str, str], second: tuple[str, str], draw: random.Random) -> tuple[str, str]:
    """Two short pairs with a sign between them, as in a menu."""
    joint = draw.choice(SPANS["joints"])
    return f"{first[0]} {joint} {second[0]}", f"{first[1]} {joint} {second[1]}"
