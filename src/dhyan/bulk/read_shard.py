"""A shard's rows as Arrow batches, in the order of the file."""

import codecs
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from dhyan.bulk.plan import TEXT_COLUMN
from dhyan.bulk.shard import Shard
from dhyan.core.errors import DhyanError
from dhyan.data.open_text import numbered_lines

LINES = pa.schema([(TEXT_COLUMN, pa.string())])


def schema_of(shard: Shard) -> pa.Schema:
    return pq.read_schema(shard.file) if shard.kind == "parquet" else LINES


def rows_of(shard: Shard, at_a_time: int) -> Iterator[pa.RecordBatch]:
    if shard.kind == "parquet":
        with pq.ParquetFile(shard.file) as file:
            groups = list(range(shard.begin, shard.end))
            if groups:  # none would mean all
                yield from file.iter_batches(at_a_time, row_groups=groups)
        return
    if shard.kind == "lines":
        lines = lines_between(Path(shard.file), shard.begin, shard.end)
    else:
        lines = (text for _, text in numbered_lines(Path(shard.file)))
    while some := list(islice(lines, at_a_time)):
        yield pa.record_batch([pa.array(some, pa.string())], schema=LINES)


def lines_between(file: Path, begin: int, end: int) -> Iterator[str]:
    """The lines whose first byte lies in [begin, end), so that each line belongs to exactly one shard."""
    with file.open("rb") as stream:
        if begin:
            stream.seek(begin - 1)
            stream.readline()  # the rest of a line that began earlier, or just its end
        at = stream.tell()
        while at < end and (data := stream.readline()):
            yield _text(file, stream, at, data)
            at += len(data)


def _text(file: Path, stream: BinaryIO, at: int, data: bytes) -> str:
    if at == 0:
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        stream.seek(0)
        line = 1 + sum(stream.read(min(1 << 20, at - done)).count(b"\n") for done in range(0, at, 1 << 20))
        raise DhyanError(
            f"{file}, line {line}: byte 0x{error.object[error.start]:02X} is not UTF-8 text; convert the file to "
            "UTF-8, for instance with iconv."
        ) from None
