"""Input → shards: text files are cut at line ends, Parquet files between row groups. Nothing is read but footers."""

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dhyan.bulk.shard import Kind, Shard, state_of
from dhyan.core.errors import DhyanError, did_you_mean

TEXT = (".txt",)
COMPRESSED = (".txt.gz", ".txt.xz", ".txt.zst")
PARQUET = (".parquet", ".pq")
TEXT_COLUMN = "text"  # what the lines of a text file are called in the result


def input_files(source: Path) -> dict[str, Path]:
    """Name relative to the folder → file, in a steady order. A file of another kind is refused, not left out."""
    if source.is_file():
        found = {source.name: source}
    elif source.is_dir():
        found = {str(file.relative_to(source)): file for file in _walk(source)}
    else:
        raise DhyanError(f"{source}: there is no such file or folder; name a folder of .txt or .parquet files.")
    for file in found.values():
        kind_of(file)
    if not found:
        raise DhyanError(f"{source} holds no files; name a folder of .txt or .parquet files.")
    return found


def kind_of(file: Path) -> Kind:
    name = file.name.lower()
    if name.endswith(PARQUET):
        return "parquet"
    if name.endswith(COMPRESSED):
        return "compressed lines"
    if name.endswith(TEXT):
        return "lines"
    endings = ", ".join((*TEXT, *COMPRESSED, *PARQUET))
    raise DhyanError(f"{file} is neither text nor Parquet ({endings}); move it out of the folder, or convert it.")


def shards_of(name: str, file: Path, column: str, new_columns: list[str], shard_bytes: int) -> list[Shard]:
    """The shards of one file, none much larger than asked for, unless the file cannot be cut."""
    size, changed = state_of(file)
    kind = kind_of(file)
    sizes = [size]
    if kind == "lines":
        cuts = [*range(0, max(1, size), shard_bytes), size]
        sizes = [end - begin for begin, end in pairwise(cuts)]
    elif kind == "parquet":
        cuts, sizes = _row_group_cuts(file, column, new_columns, shard_bytes)
    else:  # a compressed file can only be read from its beginning
        cuts = [0, size]
    count = len(sizes)
    return [
        Shard(
            f"{name}.{number:05}-of-{count:05}.parquet", str(file.resolve()), kind, begin, end, weight, size, changed
        )
        for number, ((begin, end), weight) in enumerate(zip(pairwise(cuts), sizes, strict=True), start=1)
    ]


def _row_group_cuts(file: Path, column: str, new_columns: list[str], shard_bytes: int) -> tuple[list[int], list[int]]:
    """Where to cut between row groups, by the size of the texts alone; and the size of each part."""
    try:
        footer = pq.read_metadata(file)
    except (pa.ArrowException, OSError) as error:
        raise DhyanError(f"{file} is not a whole Parquet file ({_first_line(error)}); copy it again.") from None
    _check_columns(file, footer.schema.to_arrow_schema(), column, new_columns)
    # A nested column has several leaves, so the index of the text's leaf is looked up by its path.
    leaf = [footer.schema.column(index).path for index in range(footer.num_columns)].index(column)
    groups = [footer.row_group(index).column(leaf).total_uncompressed_size for index in range(footer.num_row_groups)]
    cuts, sizes = [0], [0]
    for index, size in enumerate(groups):
        if sizes[-1] and sizes[-1] + size > shard_bytes:
            cuts.append(index)
            sizes.append(0)
        sizes[-1] += size
    return [*cuts, len(groups)], sizes


def _check_columns(file: Path, schema: pa.Schema, column: str, new_columns: list[str]) -> None:
    if column not in schema.names:
        near = did_you_mean(column, schema.names)
        raise DhyanError(
            f"{file} has no column '{column}'{near}; it has {', '.join(schema.names)}: name one with --column."
        )
    if not is_text(schema.field(column).type):
        raise DhyanError(
            f"{file}: the column '{column}' is {schema.field(column).type}, not text; name another with --column."
        )
    for new in new_columns:
        if new in schema.names:
            raise DhyanError(f"{file} has a column '{new}' already, where the result would go; rename it first.")


def is_text(type: pa.DataType) -> bool:
    if pa.types.is_dictionary(type):
        type = type.value_type
    return bool(pa.types.is_string(type) or pa.types.is_large_string(type) or pa.types.is_string_view(type))


def _walk(folder: Path) -> Iterator[Path]:
    """Every file but the hidden ones, and those whose name begins with _, which are marks of other programs."""
    for here, folders, files in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        yield from (Path(here) / name for name in sorted(files) if not name.startswith((".", "_")))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
