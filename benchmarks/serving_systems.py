"""The servers that are compared: how each is started, and what it costs. For Linux, whose /proc says so."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serving_load import Protocol, request

ROOT = Path(__file__).parents[1]
STARTS_WITHIN = 180.0  # seconds
TICKS = os.sysconf("SC_CLK_TCK")

DHYAN = Protocol("/api/translate", lambda text: {"text": text}, lambda answer: str(answer["text"]))
LIBRETRANSLATE = Protocol(
    "/translate",
    lambda text: {"q": text, "source": "en", "target": "hi", "format": "text"},
    lambda answer: str(answer["translatedText"]),
)


@dataclass(frozen=True, slots=True)
class Usage:
    """Of a server's processes together."""

    cpu: float  # seconds
    rss: float  # MB
    handles: int
    threads: int


class Server:
    """A server as a process of its own, ready once it has translated something."""

    def __init__(
        self, name: str, command: list[str], protocol: Protocol, log: Path, environment: dict[str, str], cwd: Path
    ) -> None:
        """command: with {port} where the port goes."""
        self.name, self.protocol, self.log = name, protocol, log
        self._command, self._environment, self._cwd = command, environment, cwd
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        command = [part.format(port=self.port) for part in self._command]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, env=self._environment, cwd=self._cwd, stdout=log, stderr=log, start_new_session=True
            )
        waited = 0.0
        while (await request(self.port, self.protocol.path, self.protocol.fields("Good morning."))).status != 200:
            if self._process.poll() is not None or waited > STARTS_WITHIN:
                said = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
                await self.kill()
                raise SystemExit(f"{self.name} did not start: {' '.join(command)}\n{said}")
            await asyncio.sleep(0.2)
            waited += 0.2

    async def kill(self) -> None:
        """kill -9, it and all that it started."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            await asyncio.to_thread(self._process.wait)
            self._process = None

    def usage(self) -> Usage:
        if self._process is None:
            raise RuntimeError(f"{self.name} is not running")
        found = [_usage(pid) for pid in [self._process.pid, *_descendants(self._process.pid)]]
        return Usage(
            sum(one.cpu for one in found),
            sum(one.rss for one in found),
            sum(one.handles for one in found),
            sum(one.threads for one in found),
        )


def _usage(pid: int) -> Usage:
    folder = Path(f"/proc/{pid}")
    user, system = (folder / "stat").read_text().rsplit(")", 1)[1].split()[11:13]
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines() if ":" in line)
    return Usage(
        cpu=(int(user) + int(system)) / TICKS,
        rss=int(status["VmRSS"].split()[0]) / 1024,
        handles=sum(1 for _ in (folder / "fd").iterdir()),
        threads=int(status["Threads"]),
    )


def _descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [one for child in map(int, children) for one in [child, *_descendants(child)]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(**more: str) -> dict[str, str]:
    """Each system chooses its own number of threads, whatever is set here for tests."""
    return {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"} | more


def dhyan_server(name: str, source: Path, model: str, work: Path, *options: str) -> Server:
    """`dhyan serve` as the sources of a tree have it."""
    command = [sys.executable, "-m", "dhyan.cli", "serve", "--port", "{port}", "--model", model, *options]
    return Server(name, command, DHYAN, work / f"{name}.log", environment(PYTHONPATH=str(source)), work)


@contextmanager
def tree_of(revision: str, work: Path) -> Iterator[Path]:
    """The sources of a Git revision, in a folder of their own."""
    folder = work / "before"
    git: Any = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--detach", str(folder), revision], check=True, capture_output=True)
    try:
        yield folder / "src"
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True, capture_output=True)
