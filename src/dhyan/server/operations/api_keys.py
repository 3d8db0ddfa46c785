"""API keys: a TOML file of names with the hash of each key and its limits. `dhyan keys` writes it.

A key is 256 random bits, so its plain SHA-256 cannot be guessed back: no slow hash is needed, and whoever reads the
file has no key.
"""

import hashlib
import hmac
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Lock
from time import monotonic

from pydantic import Field

from dhyan.core.atomic import atomic_file
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.file_lock import file_lock
from dhyan.core.settings import Settings, read_toml, to_toml
from dhyan.server.operations.rate_limit import RateLimit

PREFIX = "dhyan-"  # so that a key that was published by mistake is known for what it is
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
LOOK_EVERY = 1.0  # seconds between two looks at the file
HEADING = "# Keys of `dhyan serve --keys`: hashes only. Written by `dhyan keys add`; limits may be changed by hand.\n"


class KeyLimits(Settings):
    """What a key may ask for."""

    requests_per_minute: int = Field(0, ge=0, description="requests per minute; 0 for no limit")
    characters_per_minute: int = Field(0, ge=0, description="characters of text per minute; 0 for no limit")


class KeyEntry(KeyLimits):
    """One key in the file."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="64 hexadecimal digits: the SHA-256 of the key")


class ApiKey:
    """A key in use: whose it is, and what has been spent in the last minute."""

    def __init__(self, name: str, entry: KeyEntry) -> None:
        self.name, self.entry = name, entry
        self.requests = RateLimit(entry.requests_per_minute)
        self.characters = RateLimit(entry.characters_per_minute)


class KeyFile:
    """The keys of a file, read again when it changes. A change that cannot be read is reported; the keys stay."""

    def __init__(self, path: Path, report: Callable[[str], object] = lambda sentence: None) -> None:
        self.path, self._report = path, report
        self._lock = Lock()
        self._looked = monotonic()
        self._state = _state(path)
        self._keys = {name: ApiKey(name, entry) for name, entry in read_keys(path).items()}

    def find(self, key: str) -> ApiKey | None:
        """Whose key it is. Every hash is compared, each in constant time: the time taken tells nothing."""
        self._look()
        digest = hash_key(key)
        found = None
        for one in self._keys.values():
            if hmac.compare_digest(one.entry.sha256, digest):
                found = one
        return found

    def reload(self) -> None:
        """Read the file again; a key whose entry is the same keeps what it has spent."""
        with self._lock:
            try:
                self._state = _state(self.path)
                entries = read_keys(self.path)
            except (DhyanError, OSError) as error:
                self._report(f"{error} The keys stay as they were.")
                return
            old = self._keys
            self._keys = {
                name: old[name] if name in old and old[name].entry == entry else ApiKey(name, entry)
                for name, entry in entries.items()
            }

    def _look(self) -> None:
        now = monotonic()
        if now - self._looked < LOOK_EVERY:
            return
        self._looked = now
        if _state(self.path) != self._state:
            self.reload()


def hash_key(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def read_keys(path: Path) -> dict[str, KeyEntry]:
    """Name → entry. A file that others on the machine can read is refused."""
    content = read_toml(path)
    if sys.platform != "win32" and path.stat().st_mode & stat.S_IROTH:
        raise DhyanError(f"{path} can be read by everybody on this machine: `chmod 600 {path}`, then try again.")
    keys = {}
    for name, entry in content.items():
        if not isinstance(entry, dict):
            raise DhyanError(
                f"{path}: '{name}' stands alone; a key is a table [name], as `dhyan keys add` writes it."
            )
        keys[name] = KeyEntry.checked(entry, f"{path}: [{name}]")
    return keys


def add_key(path: Path, name: str, limits: KeyLimits) -> str:
    """A new key under this name; its hash goes into the file, the key itself is only returned."""
    if not NAME.fullmatch(name):
        raise DhyanError(f"'{name}' is no name for a key: write letters, digits, - and _, at most 64.")
    with _changing(path):
        known = read_keys(path) if path.exists() else {}
        if name in known:
            raise DhyanError(
                f"{path} has a key '{name}' already: `dhyan keys remove {name} --file {path}` first, or choose"
                " another name."
            )
        key = PREFIX + secrets.token_urlsafe(32)
        entry = KeyEntry(sha256=hash_key(key), **limits.model_dump())
        before = path.read_text(encoding="utf-8").rstrip("\n") + "\n" if path.exists() else HEADING
        _write(path, f"{before}\n[{name}]\n{to_toml(entry)}")
    return key


def remove_key(path: Path, name: str) -> None:
    """Take a key out of the file; what was written by hand around it stays."""
    with _changing(path):
        known = read_keys(path)
        if name not in known:
            raise DhyanError(f"{path} has no key '{name}'{did_you_mean(name, known)}.")
        kept: list[str] = []
        remarks: list[str] = []  # below the last value of the key, so they are about something else
        inside = False
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            heading = re.match(r"\s*\[\s*[\"']?([^\]\"']+?)[\"']?\s*\]", line)
            if heading:
                kept += remarks if inside else []
                inside = heading[1] == name
            if not inside:
                kept.append(line)
            elif line.lstrip().startswith("#"):
                remarks.append(line)
            elif line.strip():
                remarks.clear()
        kept += remarks if inside else []
        _write(path, "".join(kept).rstrip("\n") + "\n")
        if name in read_keys(path):
            raise DhyanError(f"{path}: '{name}' is written in another way there; take it out by hand.")


def _changing(path: Path) -> AbstractContextManager[None]:
    return file_lock(
        path.with_name(f".{path.name}.lock"), busy=f"{path} is being changed by another process.", remove=True
    )


def _write(path: Path, text: str) -> None:
    with atomic_file(path) as file:
        if sys.platform != "win32":
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o600)
        file.write(text.encode("utf-8"))


def _state(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode
