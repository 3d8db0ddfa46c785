"""A worker that dies, in a module that its process loads quickly."""

import os
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dhyan.bulk.shard import Outcome


class Dying:
    """A worker that one shard kills every time, and another shard once."""

    def __init__(self, job, out):
        self.out = Path(out)

    def __call__(self, shard, tell):
        with (self.out / ".starts-of-processes").open("a") as file:
            file.write("x")
        once = self.out / ".died-once"
        if "deep" in shard.name and not once.exists():
            once.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if shard.name.startswith("b.txt"):
            os.kill(os.getpid(), signal.SIGKILL)
        place = self.out / shard.name
        place.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"text": ["x"]}), place)
        return Outcome(shard.name, 1)
