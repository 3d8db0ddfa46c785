"""The same sentence as hasty people type it, so that a model meets it in training."""

import random

from dhyan.text.mix_settings import VariantSettings

_FINAL_MARKS = ".?!"


def careless(source: str, settings: VariantSettings, times: float, draw: random.Random) -> str | None:
    """A careless spelling of `source`, drawn by the settings' shares; None when none is due or it changes nothing."""
    luck = draw.random()
    if luck >= times * _all_shares(settings) or source.count(" ") + 1 < settings.least_words:
        return None
    for kind in ("upper", "lower", "bare", "no_stop", "title"):
        luck -= times * getattr(settings, kind)
        if luck < 0:
            changed = spelt(source, kind)
            return changed if changed != source else None
    return None


def spelt(source: str, kind: str) -> str:
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
    raise ValueError(f"there is no spelling '{kind}'")


def _all_shares(settings: VariantSettings) -> float:
    return settings.upper + settings.lower + settings.bare + settings.no_stop + settings.title
