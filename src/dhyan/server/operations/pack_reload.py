"""Packs that change while they are served: new requests get the new one, those that run finish with the old one.

A pack that has changed is opened and started aside. When that fails, it is said once, and the old one goes on.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.server.served_packs import ServedPack, ServedPacks

State = tuple[tuple[str, int, int, int], ...]  # name, size, time and inode of each file of a folder


class PackReload:
    """Looks at the folders every so many seconds, and at once when told to (SIGHUP)."""

    def __init__(
        self, packs: ServedPacks, find: Callable[[], Mapping[str, Path]], report: Callable[[str], object]
    ) -> None:
        """find: the packs to serve as of now, by name."""
        self.packs, self._find, self._report = packs, find, report
        self._known = {name: folder_state(one.pack.folder) for name, one in packs.served.items()}
        self._seen: dict[str, State] = {}  # changed states, as of the last look
        self._told = threading.Event()

    def start(self, seconds: float) -> None:
        """seconds: between two looks; 0: only when told to."""
        threading.Thread(target=self._watch, args=(seconds or None,), name="pack-reload", daemon=True).start()

    def tell(self, *_: object) -> None:
        """Look now. Safe in a signal handler."""
        self._told.set()

    def _watch(self, seconds: float | None) -> None:
        problem = ""
        while True:
            told = self._told.wait(seconds)
            self._told.clear()
            try:
                self.look(told)
                problem = ""
            except Exception as error:  # the next look may go better, and serving goes on
                if str(error) != problem or told:
                    problem = str(error)
                    self._report(f"Packs are not looked at: {problem}")

    def look(self, told: bool = False) -> None:
        """Take in what has changed. Unless told, a folder must look the same twice: it may be being copied."""
        found = dict(self._find())
        for name, folder in found.items():
            state = folder_state(folder)
            if state == self._known.get(name) and not (told and name not in self.packs.served):
                self._seen.pop(name, None)
            elif told or self._seen.get(name) == state:
                self._seen.pop(name, None)
                self._known[name] = state
                self._take_in(name, folder)
            else:
                self._seen[name] = state
        if told:  # a folder may be gone for a moment only, so nothing is dropped unasked
            for name in [name for name in self.packs.served if name not in found]:
                self.packs.remove(name)
                self._known.pop(name, None)
                self._report(f"{name} is served no more: its folder is gone.")

    def _take_in(self, name: str, folder: Path) -> None:
        old = self.packs.served.get(name)
        try:
            new = ServedPack(name, folder, self.packs.settings)
            new.load_as(old)
        except Exception as error:
            goes_on = "the one that was served goes on" if old else "it is not served"
            said = str(error) if isinstance(error, DhyanError) else f"{name} cannot be loaded ({error})."
            self._report(f"{said} Until it is mended, {goes_on}.")
            return
        self.packs.add(new)
        self._report(f"{name} has changed and was loaded again." if old else f"{name} is new and is served now.")


def folder_state(folder: Path) -> State:
    try:
        files = sorted(folder.iterdir())
        return tuple((one.name, *_numbers(one)) for one in files)
    except OSError:
        return ()


def _numbers(file: Path) -> tuple[int, int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns, found.st_ino
