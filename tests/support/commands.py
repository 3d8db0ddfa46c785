"""The real command, in a process of its own.

Most of a short command's time goes into importing PyTorch. So processes come from one that has imported it and done
nothing else: each is as fresh as a new one, and there at once.
"""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from support.processes import SLOW_TO_IMPORT

ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"}

_ready_made = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")
if sys.platform != "win32":
    _ready_made.set_forkserver_preload(SLOW_TO_IMPORT)


class ReadyMade:
    """A command in such a process, begun; its end is that of a `subprocess.Popen`."""

    def __init__(self, *arguments, folder):
        given = [str(argument) for argument in arguments]
        self.place = tempfile.TemporaryDirectory()
        self.streams = [Path(self.place.name) / name for name in ("out", "err")]
        self.process = _ready_made.Process(target=_run, args=(given, str(folder), dict(ENVIRONMENT), self.streams))
        self.process.start()

    def poll(self):
        return self.process.exitcode

    @property
    def returncode(self):
        return self.process.exitcode

    def send_signal(self, number):
        os.kill(self.process.pid, number)

    def communicate(self, timeout=None):
        self.process.join(timeout)
        assert self.process.exitcode is not None, f"goes on after {timeout} seconds"
        with self.place:
            return [stream.read_text(encoding="utf-8") for stream in self.streams]


def dhyan(*arguments, folder, expect=0):
    """Run `dhyan …` in a folder and check its exit code."""
    running = ReadyMade(*arguments, folder=folder)
    printed, said = running.communicate()
    assert running.returncode == expect, said
    return subprocess.CompletedProcess(arguments, running.returncode, printed, said)


def _run(arguments, folder, environment, streams):
    """What the new process does."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # that it comes from ignores Ctrl-C
    for number, stream in enumerate(streams, start=1):
        os.dup2(os.open(stream, os.O_WRONLY | os.O_CREAT), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    from dhyan.cli.app import main

    main(arguments)


def start(*arguments, folder):
    """One that imports everything itself, left running."""
    return subprocess.Popen(
        [sys.executable, "-m", "dhyan.cli", *map(str, arguments)],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background has told them to ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def wait_for_step(training, step, process):
    """Until a checkpoint at or after this step is on disk."""
    state = training / "checkpoints" / "last" / "state.json"
    for _ in range(6000):
        if process.poll() is not None:
            pytest.fail(f"ended before step {step}: {process.communicate()[1]}")
        try:
            if json.loads(state.read_text())["step"] >= step:
                return
        except (FileNotFoundError, NotADirectoryError):
            pass  # between two checkpoints
        time.sleep(0.005)
    pytest.fail(f"never came to step {step}")
