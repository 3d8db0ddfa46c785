"""One quick run of an experiment at a time, in a process of its own: the page stays quick meanwhile."""

import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread

from dhyan.lab.framework.background import RunProgress
from dhyan.lab.framework.registry import about
from dhyan.server.http_errors import HttpError
from dhyan.server.schemas_labs import RunInfo


@dataclass
class _Run:
    name: str
    process: subprocess.Popen[str]
    started: float = field(default_factory=time.monotonic)
    progress: RunProgress = field(default_factory=RunProgress)

    def listen(self) -> None:
        for line in self.process.stdout or ():
            progress = RunProgress.model_validate_json(line)
            progress.share = max(progress.share, self.progress.share)  # a second look at the same case begins anew
            self.progress = progress
        if self.process.wait() != 0 and not self.progress.failed:
            self.progress = RunProgress(
                failed=f"the run has ended early; `dhyan lab {self.name} --quick` goes on from there."
            )


class LabRuns:
    """What is being measured now, or was measured last."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lock = Lock()
        self._run: _Run | None = None

    def start(self, name: str) -> RunInfo:
        about(name)
        with self._lock:
            if self._run is not None and self._run.process.poll() is None:
                raise HttpError(409, f"{self._run.name} is being measured; wait for it, or stop it, then ask again.")
            command = [sys.executable, "-m", "dhyan.lab.framework.background", name, str(self.root)]
            # Its input stays open as long as this process lives: when it closes, the run ends.
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
            self._run = _Run(name, process)
            Thread(target=self._run.listen, daemon=True).start()
            return self._info(self._run)

    def state(self) -> RunInfo | None:
        with self._lock:
            return self._info(self._run) if self._run else None

    def stop(self) -> None:
        """What has been measured by now is kept, and the next run goes on from there."""
        with self._lock:
            if self._run is not None:
                self._run.process.terminate()
                self._run.process.wait()
                self._run = None

    @staticmethod
    def _info(run: _Run) -> RunInfo:
        return RunInfo(
            name=run.name,
            running=run.process.poll() is None,
            seconds=time.monotonic() - run.started,
            **run.progress.model_dump(),
        )
