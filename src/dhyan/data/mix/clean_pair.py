"""Every pair of a mix on its own: normalised, or dropped for a reason.

Nothing here depends on the other pairs, so several processes can share the work.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from dhyan.data.mix.filters import PairFilter, dedup_key
from dhyan.data.mix.normalise import Normaliser
from dhyan.data.mix.settings import GroupSettings, Mix

WORD_RATIO_FROM_WORDS = 10  # what is said in fewer words may well need fewer


class CleanPair(NamedTuple):
    """A pair that is kept, normalised."""

    source: str
    rest: bytes  # of the row as it is to be written: target and name, UTF-8
    source_key: int  # equal for near-duplicates
    target_key: int


class RowBatch(NamedTuple):
    """Some rows of a group, in order."""

    group: str
    lines: Sequence[bytes]


class PairCleaner:
    def __init__(self, mix: Mix, common_words: set[str]) -> None:
        self._mix = mix
        self._common_words = common_words
        self._normalise = Normaliser(mix.normalise)
        self._filter = PairFilter(mix.filter, mix.normalise.source_language)

    def __call__(self, batch: RowBatch) -> list[CleanPair | str]:
        """Its rows; instead of one that is dropped, the reason."""
        group = self._mix.groups[batch.group]
        return [self._clean(line, group) for line in batch.lines]

    def _clean(self, line: bytes, group: GroupSettings) -> CleanPair | str:
        source, target, name = line.decode().split("\t")
        if group.target_ends_with is not None and target.rstrip()[-1:] not in group.target_ends_with:
            return "end of the target"
        source, target = self._normalise(source, target, group)
        reason = self._filter.rejection_reason(source, target, group.trusted)
        reason = reason or self._rejection_reason_of_group(source, target, group)
        if reason is not None:
            return reason
        written = source[:1].upper() + source[1:] if group.names_only else source
        return CleanPair(written, f"\t{target}\t{name.strip()}\n".encode(), _key_number(source), _key_number(target))

    def _rejection_reason_of_group(self, source: str, target: str, group: GroupSettings) -> str | None:
        words = source.count(" ") + 1
        if words < group.min_words:
            return "too short"
        if words >= WORD_RATIO_FROM_WORDS and target.count(" ") + 1 < group.min_length_ratio * words:
            return "target too short"
        if any(part in source for part in group.drop_containing):
            return "left out by the mix"
        if group.names_only and source.casefold() in self._common_words:
            return "common word"
        return None


def _key_number(text: str) -> int:
    """Eight bytes stand for a text, so that ten million rows fit in memory; the same in every process."""
    return int.from_bytes(blake2b(dedup_key(text).encode(), digest_size=8).digest())
