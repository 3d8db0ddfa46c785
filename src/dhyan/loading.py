"""`dhyan.load`: a pack by name or folder, ready to be used for what it was trained for."""

from pathlib import Path

from dhyan.core.errors import DhyanError
from dhyan.engines.base import start_engine
from dhyan.engines.convert import Compute
from dhyan.engines.writer import Writer
from dhyan.pack.locate import find_pack
from dhyan.pack.manifest import Task
from dhyan.pack.pack import Pack, open_pack
from dhyan.translation.translator import Translator
from dhyan.vectors.embedder import Classifier, Embedder

Model = Translator | Embedder | Classifier | Writer

USED_FOR: dict[Task, type[Model]] = {
    "translate": Translator,
    "embed": Embedder,
    "classify": Classifier,
    "write": Writer,
}


def load(name: str | Path, device: str = "cpu", compute: Compute = "int8", threads: int = 0) -> Model:
    """Open a pack for use.

    name: a built-in pack, one of your own, or a folder. device: cpu, or cuda with PyTorch. compute: int8 (small and
    fast) or float32 (exact). threads: 0 for as many as there are cores.
    """
    pack = open_pack(find_pack(name))
    return USED_FOR[pack.manifest.task](pack, start_engine(pack, device, compute, threads))


def load_for(task: Task, name: str | Path, device: str = "cpu", compute: Compute = "int8", threads: int = 0) -> Model:
    """The same, for a command that needs a certain kind of pack."""
    pack = open_pack(find_pack(name))
    refuse_other_tasks(pack, task)
    return USED_FOR[task](pack, start_engine(pack, device, compute, threads))


def refuse_other_tasks(pack: Pack, task: Task) -> None:
    """A classifier's encoder embeds too; otherwise a pack does what it was trained for."""
    found = pack.manifest.task
    if found != task and not (task == "embed" and pack.manifest.architecture.shape == "encoder"):
        raise DhyanError(
            f"{pack.folder} is a pack for `dhyan {found}`, not for `dhyan {task}`; name another --model."
        )
