"""Every pair of a mix on its own: put right, or left out for a reason.

Nothing here depends on the other pairs, so several processes can share the work.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from dhyan.data.mix.filters import likeness, why_dropped
from dhyan.data.mix.normalise import Normaliser
from dhyan.data.mix.settings import GroupSettings, Mix

RATIO_FROM_WORDS = 10  # what is said in fewer words may well need fewer


class Fitting(NamedTuple):
    """A pair that is fit to be mixed in, put right."""

    source: str
    rest: bytes  # of the row as it is to be written: target and name, UTF-8
    source_likeness: int  # equal for texts that are alike
    target_likeness: int


class Stretch(NamedTuple):
    """Some rows of a group, one behind the other."""

    group: str
    lines: Sequence[bytes]


class Fitter:
    def __init__(self, mix: Mix, common_words: set[str]) -> None:
        self._mix = mix
        self._common_words = common_words
        self._normalise = Normaliser(mix.normalise)

    def __call__(self, stretch: Stretch) -> list[Fitting | str]:
        """Its rows; instead of one that is left out, the reason."""
        group = self._mix.groups[stretch.group]
        return [self._fit(line, group) for line in stretch.lines]

    def _fit(self, line: bytes, group: GroupSettings) -> Fitting | str:
        source, target, name = line.decode().split("\t")
        if group.target_ends is not None and target.rstrip()[-1:] not in group.target_ends:
            return "target ends otherwise"
        source, target = self._normalise(source, target, group)
        reason = why_dropped(source, target, self._mix.filter, group.trusted)
        reason = reason or self._why_not_here(source, target, group)
        if reason is not None:
            return reason
        shown = source[:1].upper() + source[1:] if group.names_only else source
        return Fitting(shown, f"\t{target}\t{name.strip()}\n".encode(), _number_of(source), _number_of(target))

    def _why_not_here(self, source: str, target: str, group: GroupSettings) -> str | None:
        words = source.count(" ") + 1
        if words < group.least_words:
            return "too short"
        if words >= RATIO_FROM_WORDS and target.count(" ") + 1 < group.least_ratio * words:
            return "terse"
        if any(part in source for part in group.without):
            return "left out by the mix"
        if group.names_only and source.casefold() in self._common_words:
            return "common word"
        return None


def _number_of(text: str) -> int:
    """A number stands for a text, so that ten million rows fit in memory. Every process counts alike."""
    return int.from_bytes(blake2b(likeness(text).encode(), digest_size=8).digest())
