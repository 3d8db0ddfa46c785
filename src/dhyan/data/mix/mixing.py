"""Pairs of many sources become one training file: kept, put right, weighed, varied and shuffled by a mix's file."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.core.parallel import in_parallel
from dhyan.data.corpus import read_rows
from dhyan.data.mix.clean_pair import Fitter, Fitting, Stretch
from dhyan.data.mix.noise import careless
from dhyan.data.mix.settings import Mix
from dhyan.data.mix.tagging import tagged

_COLUMNS = ("source text", "target text", "name of the source", "score?")
_SMALL_WORDS = re.compile(r"(?<![A-Za-z])[a-z]{2,}(?![A-Za-z])")
_OFTEN = 3  # a word met in small letters more often than this is no name
_TELL_EVERY = 10_000
ROWS_AT_ONCE = 2_000  # that one process puts right before it is given more

Progress = Callable[[int], None]


def _silent(done: int) -> None:
    pass


@dataclass
class Count:
    """What became of the rows of one group."""

    read: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    written: int = 0
    varied: int = 0


@dataclass
class Gathered:
    """The rows of the files by group, and the sources that no group names."""

    rows: dict[str, list[bytes]]  # as UTF-8, the lightest form that Python knows
    counts: dict[str, Count]
    in_no_group: Counter[str]
    unmatched: list[str]  # names and patterns of the mix that fit no source


@dataclass
class Mixed:
    """The rows of a mix in the order they are to be written, and what became of every group."""

    rows: list[bytes]  # a repeated row is the same object
    counts: dict[str, Count]
    words: int  # in the sources' texts


def gather_pairs(files: Sequence[Path], mix: Mix, progress: Progress = _silent) -> Gathered:
    """Read TSV files whose third column names the source of a pair; a fourth may hold a score."""
    counts = {name: Count() for name in mix.groups}
    rows: dict[str, list[bytes]] = {name: [] for name in mix.groups}
    in_no_group: Counter[str] = Counter()
    group_of: dict[str, str | None] = {}
    for done, row in enumerate(read_rows(files, _COLUMNS), start=1):
        source_name = row.columns[2].strip()
        if source_name not in group_of:
            group_of[source_name] = mix.group_of(source_name)
        name = group_of[source_name]
        if name is None:
            in_no_group[source_name] += 1
        else:
            counts[name].read += 1
            if mix.groups[name].drop:
                counts[name].dropped["left out by the mix"] += 1
            elif _is_below(row.columns[3], mix.groups[name].least_score):
                counts[name].dropped["score"] += 1
            else:
                rows[name].append("\t".join(row.columns[:3]).encode())
        if done % _TELL_EVERY == 0:
            progress(done)
    return Gathered(rows, counts, in_no_group, mix.unmatched(set(group_of)))


def _is_below(score: str, least: float | None) -> bool:
    """score: what stands in the column, such as a teacher's mean log-probability; it may be no number."""
    try:
        return least is not None and float(score) < least
    except ValueError:
        return False


def mix_pairs(gathered: Gathered, mix: Mix, seed: int, progress: Progress = _silent, processes: int = 1) -> Mixed:
    """Put the rows right, weigh, vary and shuffle them; the seed decides all chance, however many share the work."""
    mixer = _Mixer(mix, seed)
    fit = Fitter(mix, _common_words(mix, gathered.rows))
    # Earlier groups come first: of near-duplicates, theirs are kept.
    stretches = [
        Stretch(name, lines[begin : begin + ROWS_AT_ONCE])
        for name, lines in gathered.rows.items()
        for begin in range(0, len(lines), ROWS_AT_ONCE)
    ]
    fitted = zip(stretches, in_parallel(fit, stretches, min(processes, len(stretches))), strict=True)
    rows: list[bytes] = []
    done = 0
    for name, some in groupby(fitted, lambda pair: pair[0].group):
        kept: list[Fitting] = []
        for stretch, pairs in some:
            kept += mixer.unlike(pairs, name, gathered.counts[name])
            done += len(stretch.lines)
            progress(done)
        rows += mixer.weighed(kept, name, gathered.counts[name])
    if not rows:
        raise DhyanError("the mix leaves no rows; check its groups' sources against the third column of the data.")
    random.Random(f"{seed} order").shuffle(rows)
    words = sum(row.partition(b"\t")[0].count(b" ") + 1 for row in rows)
    return Mixed(rows, gathered.counts, words)


class _Mixer:
    def __init__(self, mix: Mix, seed: int) -> None:
        self._mix = mix
        self._seed = seed
        self._sources: Counter[int] = Counter()
        self._targets: Counter[int] = Counter()

    def unlike(self, pairs: Sequence[Fitting | str], name: str, count: Count) -> Iterator[Fitting]:
        """Those that are fit and not too much like others that came before; why the rest is left out is counted."""
        same_source = self._mix.groups[name].alike or self._mix.filter.same_source
        for pair in pairs:
            if isinstance(pair, str):
                count.dropped[pair] += 1
            elif (
                self._sources[pair.source_likeness] >= same_source
                or self._targets[pair.target_likeness] >= self._mix.filter.same_target
            ):
                count.dropped["seen before"] += 1
            else:
                self._sources[pair.source_likeness] += 1
                self._targets[pair.target_likeness] += 1
                yield pair

    def weighed(self, kept: list[Fitting], name: str, count: Count) -> Iterator[bytes]:
        """The rows of one group as they are to be written."""
        settings = self._mix.groups[name]
        draw = random.Random(f"{self._seed} {name}")
        draw.shuffle(kept)
        if settings.most is not None and len(kept) > settings.most:
            count.dropped["over the cap"] += len(kept) - settings.most
            del kept[settings.most :]
        count.kept = len(kept)
        whole, part = divmod(settings.repeat, 1.0)
        extra = round(part * len(kept))
        for place, pair in enumerate(kept):
            row = tagged(pair.source, settings.tag).encode() + pair.rest
            for _ in range(int(whole) + (place < extra)):
                count.written += 1
                yield row
                changed = careless(pair.source, self._mix.variants, settings.vary, draw) if settings.vary else None
                if changed is not None:
                    count.varied += 1
                    yield tagged(changed, settings.tag).encode() + pair.rest


def _common_words(mix: Mix, rows: dict[str, list[bytes]]) -> set[str]:
    """Words that are no names: dictionary entries, and words met in small letters in running text."""
    if not any(group.names_only for group in mix.groups.values()):
        return set()
    often: Counter[str] = Counter()
    entries: set[str] = set()
    for name, lines in rows.items():
        if mix.groups[name].names_only:
            continue
        for line in lines:
            source = line.partition(b"\t")[0].decode()
            # Text all in small letters writes names so too and tells nothing, but for a short entry of a list.
            if not source.islower():
                often.update(_SMALL_WORDS.findall(source))
            elif source.count(" ") < 2:
                entries.update(source.split())
    return entries | {word for word, count in often.items() if count > _OFTEN}
