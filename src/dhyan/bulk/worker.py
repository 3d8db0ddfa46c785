"""One worker: loads the pack once, then makes a finished Parquet file of each shard that it is given."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dhyan.bulk.columns import ResultColumns
from dhyan.bulk.job import Job, load_model
from dhyan.bulk.read_shard import rows_of, schema_of
from dhyan.bulk.shard import Outcome, Shard
from dhyan.core.atomic import atomic_file
from dhyan.core.errors import DhyanError

BATCH_TEXTS = 1024  # enough to find sentences of one length, little to hold
ROWS_PER_GROUP = 8192  # written at once: fewer make Parquet slow to read, more take memory
OnProgress = Callable[[int], None]  # rows done so far


class Worker:
    """Knows nothing but the job and the folder, so that any worker can do any shard, and do it again."""

    def __init__(self, job: Job, out: str) -> None:
        self.job, self.out = job, Path(out)
        self.columns: ResultColumns | None = None

    def __call__(self, shard: Shard, on_progress: OnProgress = lambda rows: None) -> Outcome:
        """Never raises: what goes wrong becomes the outcome. What the user has to put right is not tried again."""
        try:
            rows, unanswered = self.make(shard, on_progress)
        except DhyanError as error:
            return Outcome(shard.name, error=str(error))
        except Exception as error:
            said = " ".join(str(error).split())
            return Outcome(shard.name, error=f"{type(error).__name__}: {said}", try_again=True)
        return Outcome(shard.name, rows, unanswered)

    def make(self, shard: Shard, on_progress: OnProgress) -> tuple[int, int]:
        """The shard's file, written atomically; how many rows it has, how many without an answer."""
        if self.columns is None:
            self.columns = ResultColumns(self.job, load_model(self.job))
        results = self.columns
        shard.refuse_if_changed()
        schema = schema_of(shard)
        for name, type in zip(results.names, results.types, strict=True):
            schema = schema.append(pa.field(name, type))
        target = self.out / shard.name
        target.parent.mkdir(parents=True, exist_ok=True)
        rows = unanswered = 0
        waiting: list[pa.RecordBatch] = []
        with atomic_file(target) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:

            def flush() -> None:
                if waiting:
                    writer.write_table(pa.Table.from_batches(waiting, schema))
                    waiting.clear()

            for batch in rows_of(shard, BATCH_TEXTS):
                columns, failed = results(batch.column(_column_index(batch, self.job.column, shard)).to_pylist())
                waiting.append(pa.record_batch([*batch.columns, *columns], schema=schema))
                rows += len(batch)
                unanswered += failed
                if sum(map(len, waiting)) >= ROWS_PER_GROUP:
                    flush()
                on_progress(rows)
            flush()
            shard.refuse_if_changed()
        return rows, unanswered


def _column_index(batch: pa.RecordBatch, column: str, shard: Shard) -> int:
    return int(batch.schema.get_field_index(column)) if shard.kind == "parquet" else 0
