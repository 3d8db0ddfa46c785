"""Pairs of many sources become one training file: cleaned, weighted, with noise added, shuffled, as a mix says."""

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
from dhyan.data.mix.clean_pair import CleanPair, PairCleaner, RowBatch
from dhyan.data.mix.noise import add_noise
from dhyan.data.mix.settings import Mix

_COLUMNS = ("source text", "target text", "name of the source", "score?")
_SMALL_WORDS = re.compile(r"(?<![A-Za-z])[a-z]{2,}(?![A-Za-z])")
_OFTEN = 3  # a word met in small letters more often than this is no name
_REPORT_EVERY = 10_000
BATCH_ROWS = 2_000  # that one process cleans before it is given more

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
    noisy: int = 0


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
            elif _is_below(row.columns[3], mix.groups[name].min_score):
                counts[name].dropped["score"] += 1
            else:
                rows[name].append("\t".join(row.columns[:3]).encode())
        if done % _REPORT_EVERY == 0:
            progress(done)
    return Gathered(rows, counts, in_no_group, mix.unmatched(set(group_of)))


def _is_below(score: str, least: float | None) -> bool:
    """score: what stands in the column, such as a teacher's mean log-probability; it may be no number."""
    try:
        return least is not None and float(score) < least
    except ValueError:
        return False


def mix_pairs(gathered: Gathered, mix: Mix, seed: int, progress: Progress = _silent, processes: int = 1) -> Mixed:
    """Clean, weight and shuffle the rows, with noise; the seed decides all chance, however many processes work."""
    mixer = _Mixer(mix, seed)
    clean = PairCleaner(mix, _common_words(mix, gathered.rows))
    # Earlier groups come first: of near-duplicates, theirs are kept.
    batches = [
        RowBatch(name, lines[begin : begin + BATCH_ROWS])
        for name, lines in gathered.rows.items()
        for begin in range(0, len(lines), BATCH_ROWS)
    ]
    cleaned = zip(batches, in_parallel(clean, batches, min(processes, len(batches))), strict=True)
    rows: list[bytes] = []
    done = 0
    for name, some in groupby(cleaned, lambda pair: pair[0].group):
        kept: list[CleanPair] = []
        for batch, pairs in some:
            kept += mixer.without_near_duplicates(pairs, name, gathered.counts[name])
            done += len(batch.lines)
            progress(done)
        rows += mixer.weighted(kept, name, gathered.counts[name])
    if not rows:
        raise DhyanError("the mix leaves no rows; check its groups' sources against the third column of the data.")
    random.Random(f"{seed} order").shuffle(rows)
    words = sum(row.partition(b"\t")[0].count(b" ") + 1 for row in rows)
    return Mixed(rows, gathered.counts, words)


def with_style_tag(text: str, tag: str) -> str:
    """In training the tag tells the style of the target; afterwards it requests that style."""
    return f"{tag} {text}" if tag else text


class _Mixer:
    def __init__(self, mix: Mix, seed: int) -> None:
        self._mix = mix
        self._seed = seed
        self._sources: Counter[int] = Counter()
        self._targets: Counter[int] = Counter()

    def without_near_duplicates(
        self, pairs: Sequence[CleanPair | str], name: str, count: Count
    ) -> Iterator[CleanPair]:
        """Those that were not dropped and are not too much like earlier ones; the reasons of the rest are counted."""
        max_same_source = self._mix.groups[name].max_same_source or self._mix.filter.max_same_source
        for pair in pairs:
            if isinstance(pair, str):
                count.dropped[pair] += 1
            elif (
                self._sources[pair.source_key] >= max_same_source
                or self._targets[pair.target_key] >= self._mix.filter.max_same_target
            ):
                count.dropped["near-duplicate"] += 1
            else:
                self._sources[pair.source_key] += 1
                self._targets[pair.target_key] += 1
                yield pair

    def weighted(self, kept: list[CleanPair], name: str, count: Count) -> Iterator[bytes]:
        """The rows of one group as they are to be written."""
        settings = self._mix.groups[name]
        draw = random.Random(f"{self._seed} {name}")
        draw.shuffle(kept)
        if settings.max_rows is not None and len(kept) > settings.max_rows:
            count.dropped["over max_rows"] += len(kept) - settings.max_rows
            del kept[settings.max_rows :]
        count.kept = len(kept)
        whole, part = divmod(settings.repeat, 1.0)
        extra = round(part * len(kept))
        for number, pair in enumerate(kept):
            row = with_style_tag(pair.source, settings.style_tag).encode() + pair.rest
            for _ in range(int(whole) + (number < extra)):
                count.written += 1
                yield row
                changed = add_noise(pair.source, self._mix.noise, settings.noise, draw) if settings.noise else None
                if changed is not None:
                    count.noisy += 1
                    yield with_style_tag(changed, settings.style_tag).encode() + pair.rest


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
