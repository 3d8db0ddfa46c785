"""`dhyan.load`: a pack by name or folder, ready to be used for what it was trained for."""

from pathlib import Path
from typing import Literal, overload

from dhyan.core.errors import DhyanError
from dhyan.engines.convert import Compute
from dhyan.engines.loaded_model import open_named
from dhyan.engines.writer import Writer
from dhyan.pack.manifest import Task
from dhyan.translation.translator import Translator
from dhyan.vectors.classifier import Classifier
from dhyan.vectors.embedder import Embedder

Model = Translator | Embedder | Classifier | Writer

MODEL_CLASSES: dict[Task, type[Model]] = {
    "translate": Translator,
    "embed": Embedder,
    "classify": Classifier,
    "write": Writer,
}


# fmt: off
@overload
def load(
    name: Literal["en-hi", "hi-en"], device: str = ..., compute: Compute = ..., threads: int = ...
) -> Translator: ...
@overload
def load(name: Literal["english"], device: str = ..., compute: Compute = ..., threads: int = ...) -> Embedder: ...
@overload
def load(name: Literal["sentiment"], device: str = ..., compute: Compute = ..., threads: int = ...) -> Classifier: ...
@overload
def load(name: Literal["writer"], device: str = ..., compute: Compute = ..., threads: int = ...) -> Writer: ...
@overload
def load(
    name: str | Path, device: str = ..., compute: Compute = ..., threads: int = ..., *, task: Literal["translate"]
) -> Translator: ...
@overload
def load(
    name: str | Path, device: str = ..., compute: Compute = ..., threads: int = ..., *, task: Literal["embed"]
) -> Embedder: ...
@overload
def load(
    name: str | Path, device: str = ..., compute: Compute = ..., threads: int = ..., *, task: Literal["classify"]
) -> Classifier: ...
@overload
def load(
    name: str | Path, device: str = ..., compute: Compute = ..., threads: int = ..., *, task: Literal["write"]
) -> Writer: ...
@overload
def load(
    name: str | Path, device: str = ..., compute: Compute = ..., threads: int = ..., *, task: Task | None = ...
) -> Model: ...
# fmt: on
def load(
    name: str | Path, device: str = "cpu", compute: Compute = "int8", threads: int = 0, *, task: Task | None = None
) -> Model:
    """Open a pack for use: a `Translator`, `Embedder`, `Classifier` or `Writer`, by what it was trained for.

    name: a pack that comes with Dhyan (en-hi, hi-en, english, sentiment, writer), one of your own, or a folder.
    device: cpu, or cuda with PyTorch. compute: int8 (small and fast) or float32 (exact), on the CPU. threads: 0 for
    one per core.
    task: translate, embed, classify or write; a pack for another task is refused, and type checkers know the result.
    """
    pack = open_named(name)
    wanted = pack.manifest.task if task is None else task
    if wanted not in MODEL_CLASSES:
        raise DhyanError(f"task = {wanted!r}: it is {', '.join(MODEL_CLASSES)}.")
    return MODEL_CLASSES[wanted].from_pack(pack, device, compute, threads)
