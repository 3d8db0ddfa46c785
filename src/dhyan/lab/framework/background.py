"""A quick run in a process of its own, for whoever must not wait: it reports how far it is, and can be stopped.

    python -m dhyan.lab.framework.background sqrt-dk FOLDER

Each line of its output is a `RunProgress` as JSON. It ends when its input does, so that it never outlives whoever
started it; what was measured by then is kept.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel

from dhyan.core.errors import DhyanError
from dhyan.core.progress import Progress, ProgressUpdate
from dhyan.core.standard_streams import use_utf8
from dhyan.lab.framework.registry import about, experiment
from dhyan.lab.framework.results import knobs_of, run

LINE_EVERY_SECONDS = 0.2


class RunProgress(BaseModel):
    """How far a run is."""

    doing: str = ""
    share: float = 0.0  # of all measurements
    failed: str = ""


class LineProgress(Progress):
    """ProgressUpdate as lines of JSON."""

    def __init__(self) -> None:
        self.index, self.count, self.last = 0, 1, 0.0

    def begin(self, index: int, count: int) -> None:
        self.index, self.count = index, count

    @contextmanager
    def working(self, what: str, total: int) -> Iterator[ProgressUpdate]:
        def progress(done: int, **seen: str) -> None:
            now = time.monotonic()
            if now - self.last >= LINE_EVERY_SECONDS:
                self.last = now
                send(RunProgress(doing=what, share=(self.index + done / max(1, total)) / self.count))

        progress(0)
        yield progress


def send(progress: RunProgress) -> None:
    print(progress.model_dump_json(), flush=True)


def measure(name: str, root: Path) -> None:
    progress = LineProgress()
    try:
        one = experiment(name)
        run(about(name), one, knobs_of(one, True, {}, name), root=root, report=progress, begin=progress.begin)
    except DhyanError as error:
        send(RunProgress(failed=str(error)))
    else:
        send(RunProgress(share=1.0))


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    use_utf8()
    threading.Thread(target=_end_with_input, daemon=True).start()
    measure(sys.argv[1], Path(sys.argv[2]))
    sys.stdout.flush()
    os._exit(0)  # the thread above still waits for its input
