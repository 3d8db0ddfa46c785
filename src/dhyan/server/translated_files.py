"""Files that were translated for somebody and wait to be fetched: few of them, not for long, in a private folder."""

import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from threading import Lock

_PREFIX = "dhyan-files-"
_FORGOTTEN = 24 * 3600  # seconds; a folder that nobody has touched for so long was left behind by a kill
_LONGEST_NAME = 80  # characters of a name that is shown again
_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f-\x9f/\\:*?\"<>|%#\ud800-\udfff\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True, slots=True)
class TranslatedFile:
    path: Path
    name: str  # what it is called by whoever fetches it
    size: int
    made: float  # on the clock of the store


class TranslatedFiles:
    """Each under a name that cannot be guessed. The oldest make room; all are gone when the server ends."""

    def __init__(
        self, most: int, most_bytes: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._most_bytes, self._seconds, self._clock = most, most_bytes, seconds, clock
        self._lock = Lock()
        self._files: dict[str, TranslatedFile] = {}  # the oldest first
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        _sweep(Path(tempfile.gettempdir()), seconds + _FORGOTTEN)

    def workspace(self) -> "tempfile.TemporaryDirectory[str]":
        """A folder for one translation, to be used in a `with`; only this user can look into it."""
        return tempfile.TemporaryDirectory(dir=self._home(), prefix="work-")

    def keep(self, file: Path, name: str) -> str:
        """Take a finished file over; the key that it is fetched by."""
        key = secrets.token_hex(16)
        kept = self._home() / key
        shutil.move(file, kept)
        with self._lock:
            self._files[key] = TranslatedFile(kept, name, kept.stat().st_size, self._clock())
            self._make_room()
        return key

    def find(self, key: str) -> TranslatedFile | None:
        with self._lock:
            self._make_room()
            return self._files.get(key)

    def _home(self) -> Path:
        with self._lock:
            if self._folder is None or not Path(self._folder.name).is_dir():  # some systems sweep /tmp
                self._folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
                self._files.clear()
            return Path(self._folder.name)

    def _make_room(self) -> None:
        oldest = self._clock() - self._seconds
        while self._files:
            key, file = next(iter(self._files.items()))
            full = len(self._files) > self._most or sum(one.size for one in self._files.values()) > self._most_bytes
            if file.made >= oldest and not (full and len(self._files) > 1):
                return
            del self._files[key]
            file.path.unlink(missing_ok=True)


def _sweep(temporary: Path, seconds: float) -> None:
    """Remove what servers of this user that were killed have left behind."""
    for folder in temporary.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            state = folder.lstat()
            if stat.S_ISDIR(state.st_mode) and state.st_mtime < time.time() - seconds and _is_ours(state):
                shutil.rmtree(folder, ignore_errors=True)


def _is_ours(state: os.stat_result) -> bool:
    return not hasattr(os, "getuid") or state.st_uid == os.getuid()


def safe_name(name: str) -> str:
    """A name of a file that came from anywhere, without a path and what could be taken for one."""
    safe = PurePosixPath(_NOT_IN_NAMES.sub("_", re.split(r"[/\\]", name)[-1]).strip(" ."))
    return (safe.stem[:_LONGEST_NAME].strip(" .") or "file") + safe.suffix[:20]
