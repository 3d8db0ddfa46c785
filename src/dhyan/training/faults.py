"""What may go wrong while a training runs, and what to do then, each in a sentence."""

from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.data.id_store import IdStore
from dhyan.training.batching import BatchRows
from dhyan.training.recipe import TrainingSettings

ROWS_NAMED = 5


def check_rows(rows: int, processes: int, settings: TrainingSettings) -> None:
    """rows: of a batch, which the processes share."""
    if rows < processes:
        raise DhyanError(
            f"a batch has about {rows} rows, too few for {processes} processes; start at most {rows},"
            f" or raise --batch-tokens (now {settings.batch_tokens:,})."
        )


def loss_is_not_finite(
    batch: BatchRows, store: IdStore, step: int, settings: TrainingSettings, checkpoint: Path
) -> DhyanError:
    """Names the rows that the loss is of."""
    rows = [store.origin(int(row)) for row in batch.rows[:ROWS_NAMED] if int(row) < len(store)]
    more = f" and {len(batch.rows) - ROWS_NAMED} more" if len(batch.rows) > ROWS_NAMED else ""
    good = f"the checkpoint in {checkpoint} is good" if checkpoint.exists() else "nothing was saved yet"
    remedy = f"--learning-rate (now {settings.learning_rate:g})"
    remedy += f" or --clip (now {settings.clip:g})" if settings.clip else ", or set --clip 1"
    return DhyanError(
        f"the loss is no longer a number at step {step:,} (epoch {batch.position.epoch + 1},"
        f" batch {batch.position.batch + 1}: {', '.join(rows)}{more}); train again with another --out,"
        f" with a lower {remedy}; {good}."
    )
