"""A pack and the engine that runs it: how it is loaded, shown and explained, whatever its task."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

from dhyan.core.arguments import check_text, kind_of
from dhyan.core.errors import DhyanError
from dhyan.engines.base import Engine, start_engine
from dhyan.engines.convert import Compute
from dhyan.explain.explainer import Explainer
from dhyan.explain.interactive import InteractiveExplanation
from dhyan.explain.read_edits import Value
from dhyan.pack.manifest import Task
from dhyan.pack.pack import Pack, find_pack, open_pack
from dhyan.pack.parameter_shapes import parameter_count


class LoadedModel:
    """What `dhyan.load` gives for every task; `Translator`, `Embedder`, `Classifier` and `Writer` add their own."""

    task: ClassVar[Task]
    shipped: ClassVar[str]  # the pack for this task that comes with Dhyan

    def __init__(self, pack: Pack, engine: Engine) -> None:
        self.pack, self.engine = pack, engine

    @classmethod
    def load(
        cls, name: str | Path | None = None, device: str = "cpu", compute: Compute = "int8", threads: int = 0
    ) -> Self:
        """Open a pack by its name or folder; without one, the pack for this task that comes with Dhyan.

        device: cpu, or cuda with PyTorch. compute: int8 (small and fast) or float32 (exact), on the CPU. threads: 0
        for one per core.
        """
        return cls.from_pack(open_named(cls.shipped if name is None else name), device, compute, threads)

    @classmethod
    def from_pack(cls, pack: Pack, device: str = "cpu", compute: Compute = "int8", threads: int = 0) -> Self:
        refuse_other_tasks(pack, cls.task)
        return cls(pack, start_engine(pack, device, compute, threads))

    def __repr__(self) -> str:
        manifest = self.pack.manifest
        size = f"{parameter_count(manifest.architecture) / 1e6:.1f}M parameters"
        runs = f"{self.engine.compute} on {self.engine.device}"
        return f"<dhyan.{type(self).__name__} '{manifest.name}': {', '.join([*self._traits(), size, runs])}>"

    def _traits(self) -> list[str]:
        """What `repr` says of this pack besides its size."""
        return []

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the pack's folder and the engine's settings: whoever unpickles it opens the pack again."""
        engine = self.engine
        how = (self.pack.folder.resolve(), str(engine.device), engine.compute, engine.threads)
        return _load_again, (type(self), *how), self._state() or None

    def _state(self) -> dict[str, Any]:
        """What a pickle carries besides the pack: attributes that were set after loading."""
        return {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)

    @cached_property
    def explainer(self) -> Explainer:
        return Explainer(self.pack)

    def explain(
        self,
        text: str,
        *,
        target: str | None = None,
        beam: int | None = None,
        max_length: int | None = None,
        heads_off: str | Iterable[str] = (),
        force: Mapping[int, int | str] | None = None,
        hide: int | str | Iterable[int | str] = (),
        set: Mapping[str, Value] | None = None,
    ) -> InteractiveExplanation:
        """Every number of the model at work on one sentence, by address; see docs/guides/explain.md.

        target: explain this translation or continuation instead of the model's own. beam, max_length: of the search.
        heads_off: heads to switch off, such as "enc.2.h5". force: step → the piece or id to write there.
        hide: words of the text, by number or written out, that nobody may look at.
        set: address → a number, an array, or another trace (the same address of it): the model goes on from there.
        """
        return self.explainer.explain(
            check_text(text),
            target=target,
            beam=beam,
            max_length=max_length,
            heads_off=heads_off,
            force=force,
            hide=hide,
            set=set,
        )


def open_named(name: object) -> Pack:
    if not isinstance(name, str | Path):
        raise DhyanError(f"name a pack or its folder (str or Path), not {kind_of(name)}.")
    if name == "":
        raise DhyanError("name a pack or its folder; the name is empty.")
    return open_pack(find_pack(name))


def _load_again(kind: type[LoadedModel], folder: Path, device: str, compute: Compute, threads: int) -> LoadedModel:
    return kind.load(folder, device, compute, threads)


def refuse_other_tasks(pack: Pack, task: Task) -> None:
    """A classifier's encoder embeds too; otherwise a pack does what it was trained for."""
    found = pack.manifest.task
    if found != task and not (task == "embed" and pack.manifest.architecture.shape == "encoder"):
        raise DhyanError(
            f"{pack.folder} is a pack for `dhyan {found}`, not for `dhyan {task}`; name another --model."
        )
