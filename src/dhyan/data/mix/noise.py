"""The same sentence as hasty people type it, so that a model meets it in training."""

import random
import re
from collections.abc import Mapping
from types import MappingProxyType

from dhyan.data.mix.settings import VariantSettings

SPELLINGS = ("upper", "lower", "bare", "no_stop", "title", "hasty", "short")

_FINAL_MARKS = ".?!"
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_WORD = re.compile(r"\w+")


def careless(source: str, settings: VariantSettings, times: float, draw: random.Random) -> str | None:
    """A careless spelling of `source`, drawn by the settings' shares; None when none is due or it changes nothing."""
    luck = draw.random()
    if luck >= times * _all_shares(settings) or source.count(" ") + 1 < settings.least_words:
        return None
    for kind in SPELLINGS:
        luck -= times * getattr(settings, kind)
        if luck < 0:
            changed = spelt(source, kind, settings.short_forms)
            return changed if changed != source else None
    return None


def spelt(source: str, kind: str, short_forms: Mapping[str, str] = MappingProxyType({})) -> str:
    """`source` in one of the careless spellings, by the name of its setting."""
    match kind:
        case "upper":
            return source.upper()
        case "lower":
            return source.lower()
        case "bare":
            return source.lower().rstrip(_FINAL_MARKS)
        case "no_stop":
            return source if source.endswith("..") else source.removesuffix(".")
        case "title":
            return " ".join(word[:1].upper() + word[1:] for word in source.split(" "))
        case "hasty":
            return _without_apostrophes(spelt(source, "bare")) if _APOSTROPHE.search(source) else source
        case "short":
            plain = _without_apostrophes(spelt(source, "bare"))
            shortened = _WORD.sub(lambda found: short_forms.get(found.group(), found.group()), plain)
            return shortened if shortened != plain else source
    raise ValueError(f"there is no spelling '{kind}'")


def _without_apostrophes(text: str) -> str:
    return _APOSTROPHE.sub("", text)


def _all_shares(settings: VariantSettings) -> float:
    shares: list[float] = [getattr(settings, kind) for kind in SPELLINGS]
    return sum(shares)
