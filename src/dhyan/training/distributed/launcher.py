"""`dhyan train --processes N`: run the same command in N processes on this machine, and report for all of them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from dhyan.core.errors import DhyanError

LAUNCHER = "DHYAN_LAUNCHER"  # the environment variable that names the process that started another
GRACE_SECONDS = 30.0  # for the others to end by themselves after one has


def launch(processes: int, folder: Path) -> int:
    """Run this command in so many processes. Returns their exit code; a killed one is an error."""
    port = _free_port()
    children = [_start(rank, processes, port) for rank in range(processes)]
    try:
        with _forwarding_signals(children):
            failed = _wait(children)
    finally:
        for child in children:
            child.kill()
            child.wait()
    if failed is None:
        return 0
    code = children[failed].returncode
    if code > 0:  # it has reported why
        return code
    raise DhyanError(
        f"process {failed} of {processes} (counted from 0) was killed ({signal.Signals(-code).name}; a system that"
        f" runs out of memory does that), so the others have stopped. {how_to_resume(folder)}"
    )


def how_to_resume(folder: Path | None) -> str:
    if folder is None or not (folder / "recipe.toml").exists():
        return "Nothing was saved yet: start again."
    return f"What was saved is good; resume with any number of processes: dhyan train --resume {folder}"


def _start(rank: int, count: int, port: int) -> subprocess.Popen[bytes]:
    settings = {
        "RANK": rank,
        "LOCAL_RANK": rank,
        "WORLD_SIZE": count,
        "LOCAL_WORLD_SIZE": count,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
        LAUNCHER: os.getpid(),
    }
    environment = os.environ | {name: str(value) for name, value in settings.items()}
    environment.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // count)))
    environment.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # its warnings of lost connections: we report what matters
    command = [sys.executable, "-m", "dhyan.cli", *sys.argv[1:]]
    # A session of its own, so that Ctrl-C reaches each of them once, and from us.
    return subprocess.Popen(command, env=environment, start_new_session=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def _forwarding_signals(children: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    def forward(number: int, frame: FrameType | None) -> None:
        if sys.platform == "win32" and number == signal.SIGINT:
            return  # it has reached them already, and cannot be sent
        for child in children:
            if child.poll() is None:
                child.send_signal(number)

    before = {number: signal.signal(number, forward) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _wait(children: list[subprocess.Popen[bytes]]) -> int | None:
    """Until all have ended. Returns the number of the first that failed, if one did."""
    failed: int | None = None
    deadline = float("inf")
    while True:
        codes = [child.poll() for child in children]
        bad = [rank for rank, code in enumerate(codes) if code]
        if bad and failed is None:
            failed = min(bad, key=lambda rank: codes[rank] or 0)  # killed ones first: the others follow them
            deadline = time.monotonic() + GRACE_SECONDS
        if all(code is not None for code in codes) or time.monotonic() > deadline:
            return failed
        time.sleep(0.05)
