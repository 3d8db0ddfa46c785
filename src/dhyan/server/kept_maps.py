"""Maps of packs, each drawn once: kept in memory, and in the user's cache for the next start."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from threading import Lock
from zipfile import BadZipFile

import numpy as np

from dhyan.core.atomic import atomic_file
from dhyan.core.cancellation import stop_if_cancelled
from dhyan.core.paths import cache_folder
from dhyan.explain.analyses.meaning_map import MeaningMap, Stage, meaning_map
from dhyan.pack.pack import MANIFEST, WEIGHTS, Pack
from dhyan.server.served_packs import ServedPack

VERSION = 1  # raised when the same pack gets another map
MOST_MAPS = 4  # in memory, a dozen MB each
ARRAYS = ("near", "plane", "means", "units", "directions")
CHUNK = 1 << 20  # bytes
LOOK_EVERY = 0.2  # seconds that another draws, before it is checked whether anybody waits for the map


class KeptMaps:
    """The maps that were asked for lately; several who ask at the same time wait for one drawing."""

    def __init__(self) -> None:
        self._maps: OrderedDict[int, MeaningMap] = OrderedDict()
        self._lock = Lock()

    def of(self, served: ServedPack) -> MeaningMap:
        while not self._lock.acquire(timeout=LOOK_EVERY):
            stop_if_cancelled()
        try:
            if served.generation not in self._maps:
                self._maps[served.generation] = _read_or_draw(served)
            self._maps.move_to_end(served.generation)
            while len(self._maps) > MOST_MAPS:
                self._maps.popitem(last=False)
            return self._maps[served.generation]
        finally:
            self._lock.release()


def _read_or_draw(served: ServedPack) -> MeaningMap:
    file = cache_folder() / "maps" / f"{_digest(served.pack)}.npz"
    with suppress(OSError, ValueError, KeyError, TypeError, BadZipFile):  # none there, or damaged
        return read_map(file)
    # Outside of what can be given up: whoever asks next will want it, though this one may have gone.
    found = Context().run(meaning_map, served.explainer)
    with suppress(OSError):  # a cache that cannot be written to
        file.parent.mkdir(parents=True, exist_ok=True)
        write_map(file, found)
    return found


def write_map(file: Path, found: MeaningMap) -> None:
    about = {
        "stages": [(stage.name, stage.address) for stage in found.stages],
        "ids": found.ids,
        "words": found.words,
        "kept": found.kept,
        "plane_kept": found.plane_kept,
        "share": found.share,
    }
    with atomic_file(file) as out:
        np.savez(out, about=np.array(json.dumps(about)), **{name: getattr(found, name) for name in ARRAYS})


def read_map(file: Path) -> MeaningMap:
    with np.load(file, allow_pickle=False) as stored:
        about = json.loads(str(stored["about"]))
        arrays = {name: stored[name] for name in ARRAYS}
    stages = tuple(Stage(name, address) for name, address in about.pop("stages"))
    share: tuple[float, float] = tuple(about.pop("share"))
    return MeaningMap(stages=stages, share=share, **about, **arrays)


def _digest(pack: Pack) -> str:
    found = hashlib.blake2b(str(VERSION).encode(), digest_size=16)
    for name in (MANIFEST, WEIGHTS, *sorted(set(pack.manifest.tokenizers.values()))):
        for chunk in _chunks(pack.folder / name):
            found.update(chunk)
    return found.hexdigest()


def _chunks(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while chunk := stream.read(CHUNK):
            yield chunk
