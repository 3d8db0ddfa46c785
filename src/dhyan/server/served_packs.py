"""The packs that are served: described at once, started when first asked."""

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import count
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from dhyan.core.cores import usable_cores
from dhyan.core.errors import did_you_mean
from dhyan.explain.explainer import Explainer
from dhyan.pack.manifest import Task
from dhyan.pack.pack import Pack, open_pack
from dhyan.server.http_errors import HttpError
from dhyan.server.settings import ServerSettings

if TYPE_CHECKING:  # an engine takes a moment to import, and the page should be there before
    from dhyan.engines.dynamic_batching import DynamicBatching
    from dhyan.engines.loaded_model import LoadedModel
    from dhyan.engines.writer import Writer
    from dhyan.translation.translator import Translator
    from dhyan.vectors.classifier import Classifier
    from dhyan.vectors.embedder import Embedder

Model = TypeVar("Model", bound="LoadedModel")

DOES: dict[str, set[Task]] = {"embed": {"embed", "classify"}}  # a classifier's encoder embeds too

_GENERATIONS = count()  # a pack that is loaded again is another one


class ServedPack:
    """One pack: what it says of itself, its engine, and its explainer."""

    def __init__(self, name: str, folder: Path, settings: ServerSettings) -> None:
        self.name, self.pack, self.settings = name, open_pack(folder), settings
        self.made = (folder / "pack.json").stat().st_mtime  # read now: the folder may be gone later
        self.explainer = Explainer(self.pack)
        self.generation = next(_GENERATIONS)
        self.expected: Callable[[], int] = lambda: 1  # how many requests may be about to ask the engine
        self._lock = Lock()
        self._engine: DynamicBatching | None = None
        self._models: dict[type[LoadedModel], LoadedModel] = {}

    @property
    def task(self) -> Task:
        return self.pack.manifest.task

    @property
    def is_loaded(self) -> bool:
        return bool(self._models)

    @cached_property
    def languages(self) -> tuple[str, str] | None:
        """The codes of the two languages of a translator; None if unknown."""
        from dhyan.translation.pack_languages import pack_languages

        return pack_languages(self.pack)

    def model(self, kind: "type[Model]") -> "Model":
        with self._lock:
            found = self._models.get(kind)
            if not isinstance(found, kind):
                found = self._models[kind] = kind(self.pack, self._started_engine())
            return found

    def _started_engine(self) -> "DynamicBatching":
        """One for all that the pack does, and for all requests."""
        if self._engine is None:
            from dhyan.engines.base import start_engine
            from dhyan.engines.dynamic_batching import DynamicBatching

            settings = self.settings
            # Small products gain little from a second thread: a core each for two batches does more than two for one.
            workers = settings.threads or usable_cores()
            engine = start_engine(self.pack, threads=workers)
            self._engine = DynamicBatching(
                engine, settings.batch_tokens, settings.batch_wait_ms, workers, lambda: self.expected()
            )
        return self._engine

    @property
    def engine_work(self) -> tuple[int, int, int, float]:
        """Batches that the engine has computed, their rows and tokens, and the seconds that it took."""
        engine = self._engine
        return (engine.batches, engine.rows, engine.tokens, engine.seconds) if engine else (0, 0, 0, 0.0)

    def load_as(self, other: "ServedPack | None") -> None:
        """Start what the other has started: this one is to take its place without a pause."""
        if other is not None and other.task == self.task:
            for kind in list(other._models):
                self.model(kind)


class ServedPacks:
    """All packs that are served, by name, in the order they were named."""

    def __init__(self, folders: Mapping[str, Path], settings: ServerSettings | None = None) -> None:
        self.settings = settings or ServerSettings()
        self.served = {name: ServedPack(name, folder, self.settings) for name, folder in folders.items()}
        self._expected: Callable[[], int] = lambda: 1

    def expect(self, requests: Callable[[], int]) -> None:
        """requests: how many may be about to ask an engine."""
        self._expected = requests
        for one in self.served.values():
            one.expected = requests

    def add(self, new: ServedPack) -> None:
        """Serve a pack, in the place of one of the same name. Whoever reads `served` meanwhile is not disturbed."""
        new.expected = self._expected
        self.served = self.served | {new.name: new}

    def remove(self, name: str) -> None:
        self.served = {one: served for one, served in self.served.items() if one != name}

    def find(self, name: str = "") -> ServedPack:
        """By name; without one, the first."""
        if not self.served:  # all have been removed since the start
            raise HttpError(404, "no pack is served here any more: the operator can put one back and send SIGHUP.")
        if not name:
            return next(iter(self.served.values()))
        if name not in self.served:
            raise HttpError(404, f"no pack '{name}' is served here{did_you_mean(name, self.served)}.")
        return self.served[name]

    def able(self, task: Task) -> list[ServedPack]:
        """Those that can do this."""
        return [one for one in self.served.values() if one.task in DOES.get(task, {task})]

    def find_for(self, task: Task, name: str = "") -> ServedPack:
        """One that can do this; without a name, the first that can."""
        able = self.able(task)
        if not name and able:
            return able[0]
        if not name:
            raise HttpError(404, how_to_get(task))
        found = self.find(name)
        if found not in able:
            raise HttpError(400, f"'{name}' is a pack for `dhyan {found.task}`, not for `dhyan {task}`.")
        return found

    def translator(self, name: str) -> "Translator":
        from dhyan.translation.translator import Translator

        return self.find_for("translate", name).model(Translator)

    def embedder(self, name: str) -> "Embedder":
        from dhyan.vectors.embedder import Embedder

        return self.find_for("embed", name).model(Embedder)

    def classifier(self, name: str) -> "Classifier":
        from dhyan.vectors.classifier import Classifier

        return self.find_for("classify", name).model(Classifier)

    def writer(self, name: str) -> "Writer":
        from dhyan.engines.writer import Writer

        return self.find_for("write", name).model(Writer)


def how_to_get(task: Task) -> str:
    return (
        f"no pack that can {task} is served: train one with `dhyan train {task} --train FILE --out my-pack` and start"
        " `dhyan serve --model my-pack`."
    )


def described(pack: Pack) -> str:
    a = pack.manifest.architecture
    layers = " + ".join(
        str(count) for count, there in ((a.encoder_layers, a.has_encoder), (a.decoder_layers, a.has_decoder)) if there
    )
    return f"{a.shape}, {layers} layers × {a.heads} heads, d_model {a.d_model}"
