"""Source-side noise: the same sentence as people type it in a hurry, so that a model meets it in training."""

import random
import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from dhyan.data.mix.settings import NoiseSettings

# In the order in which chance goes through them: the settings of the same names are their shares.
KINDS = (
    "uppercase",
    "lowercase",
    "lowercase_unpunctuated",
    "no_full_stop",
    "title_case",
    "no_apostrophes",
    "abbreviated",
)

_FINAL_MARKS = ".?!"
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")


def add_noise(source: str, settings: NoiseSettings, times: float, draw: random.Random) -> str | None:
    """A noisy copy of `source`, drawn by the settings' shares; None when none is due or it changes nothing."""
    chance = draw.random()
    if chance >= times * _all_shares(settings) or source.count(" ") + 1 < settings.min_words:
        return None
    for kind in KINDS:
        chance -= times * getattr(settings, kind)
        if chance < 0:
            changed = with_noise(source, kind, settings.abbreviations)
            return changed if changed != source else None
    return None


def with_noise(source: str, kind: str, abbreviations: Mapping[str, str] = MappingProxyType({})) -> str:
    """`source` with one kind of noise, by the name of its setting."""
    match kind:
        case "uppercase":
            return source.upper()
        case "lowercase":
            return source.lower()
        case "lowercase_unpunctuated":
            return source.lower().rstrip(_FINAL_MARKS)
        case "no_full_stop":
            return source if source.endswith("..") else source.removesuffix(".")
        case "title_case":
            return " ".join(word[:1].upper() + word[1:] for word in source.split(" "))
        case "no_apostrophes":
            return _plain(source) if _APOSTROPHE.search(source) else source
        case "abbreviated":
            plain = _plain(source)
            shortened = _any_of(tuple(abbreviations)).sub(lambda found: abbreviations[found.group()], plain)
            return shortened if shortened != plain else source
    raise ValueError(f"there is no noise '{kind}'")


@cache
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(map(re.escape, phrases), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\b")


def _plain(source: str) -> str:
    return _APOSTROPHE.sub("", with_noise(source, "lowercase_unpunctuated"))


def _all_shares(settings: NoiseSettings) -> float:
    shares: list[float] = [getattr(settings, kind) for kind in KINDS]
    return sum(shares)
