"""`dhyan mix`: clean, weight and shuffle parallel corpora into one training file."""

import gzip
import lzma
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.core.atomic import atomic_file
from dhyan.core.errors import DhyanError
from dhyan.data.mix.config import read_mix
from dhyan.data.mix.mixing import Gathered, Mixed, gather_pairs, mix_pairs
from dhyan.data.open_text import zstd
from dhyan.pack.inherited import origins_of, write_origin

ENDINGS = (".tsv", ".tsv.zst", ".tsv.xz", ".tsv.gz")
REASONS = 4  # named in the table, the rest are summed
NAMED = 8
ROWS_FOR_A_WORKER = 20_000


def mix(
    mix_file: Annotated[
        Path, typer.Argument(metavar="MIX.toml", help="groups of sources, their weights, and how they are cleaned")
    ],
    train: Annotated[
        list[Path], typer.Option("--train", help="pairs (.tsv, also .gz, .xz, .zst) whose third column is the source")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", help=f"the mixed pairs: {', '.join(ENDINGS)}; written at the end: who stops a mix starts it over"
        ),
    ],
    seed: Annotated[int, typer.Option("--seed", help="seed of sampling and shuffling")] = 1,
    workers: Annotated[int, typer.Option("--workers", min=0, help="processes; 0 for one per core")] = 0,
) -> None:
    if not out.name.endswith(ENDINGS):
        raise DhyanError(f"--out {out}: the name has to end in {', '.join(ENDINGS)}.")
    if out.is_dir() or not out.parent.is_dir():
        raise DhyanError(f"--out {out}: name a file in a folder that is there.")
    if any(out.exists() and path.exists() and out.samefile(path) for path in (mix_file, *train)):
        raise DhyanError(f"--out {out} is one of the files to be read; name another.")
    settings = read_mix(mix_file)
    progress = ConsoleProgress()
    with progress.working("reading", 0) as update:
        gathered = gather_pairs(train, settings, update)
    with progress.working("mixing", sum(map(len, gathered.rows.values()))) as update:
        mixed = mix_pairs(gathered, settings, seed, update, workers or _enough_workers(gathered))
    _write(out, mixed.rows)
    write_origin(out, origins_of(train))
    _show_counts(mixed, progress)
    if gathered.in_no_group:
        named = [f"{name} {number:,}" for name, number in gathered.in_no_group.most_common(NAMED)]
        others = len(gathered.in_no_group) - len(named)
        more = f" and {others} more sources" if others else ""
        progress.say(f"In no group, so left out: {', '.join(named)}{more}.")
    if gathered.unmatched:
        progress.say(f"These fit no source of the data: {', '.join(gathered.unmatched)}.")
    progress.say(f"{len(mixed.rows):,} rows with {mixed.words:,} source words are in {out}.")


def _enough_workers(gathered: Gathered) -> int:
    """One per core, but none that would have little to do: one takes half a second to start."""
    return min(os.cpu_count() or 1, sum(map(len, gathered.rows.values())) // ROWS_FOR_A_WORKER)


def _write(out: Path, rows: Iterable[bytes]) -> None:
    with atomic_file(out) as file:
        match out.suffix:
            case ".zst":
                with zstd.ZstdFile(file, "w", level=10) as packed:
                    _fill(packed, rows)
            case ".xz":
                with lzma.LZMAFile(file, "w") as packed:
                    _fill(packed, rows)
            case ".gz":
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:  # no clock, so that runs are alike
                    _fill(packed, rows)
            case _:
                _fill(file, rows)


def _fill(file: "BinaryIO | zstd.ZstdFile | lzma.LZMAFile | gzip.GzipFile", rows: Iterable[bytes]) -> None:
    for row in rows:
        file.write(row)


def _show_counts(mixed: Mixed, progress: ConsoleProgress) -> None:
    table = []
    for name, count in mixed.counts.items():
        reasons = [f"{reason} {number:,}" for reason, number in count.dropped.most_common(REASONS)]
        others = count.dropped.total() - sum(number for _, number in count.dropped.most_common(REASONS))
        if others:
            reasons.append(f"other {others:,}")
        numbers = [count.read, count.kept, count.written + count.noisy, count.noisy]
        table.append([name, *(f"{number:,}" for number in numbers), ", ".join(reasons)])
    progress.table("The mix", ["group", "read", "kept", "written", "of them noisy", "dropped"], table)
