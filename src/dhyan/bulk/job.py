"""What is to be done to every text, in a form that travels to a worker; and what the result depends on."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dhyan._version import __version__
from dhyan.core.errors import DhyanError
from dhyan.engines.converted_cache import converted_model, pack_digest
from dhyan.engines.loaded_model import refuse_other_tasks
from dhyan.loading import MODEL_CLASSES, Model
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.manifest import Task
from dhyan.pack.pack import Pack, find_pack, open_pack
from dhyan.translation import Glossary


@dataclass(frozen=True, slots=True)
class Job:
    """`model` is a pack's name, or its folder as every worker sees it; `pack` says what must be found there."""

    task: Task
    model: str
    pack: str
    column: str
    device: str = "cpu"
    threads: int = 1
    glossary: Glossary | None = None
    settings: dict[str, Any] = field(default_factory=dict)  # the command's own: beam, temperature, …

    def depends_on(self) -> dict[str, Any]:
        """The settings that change results: a run continues only with the same. Where it runs makes no difference."""
        return {
            "dhyan": __version__,
            "task": self.task,
            "pack": self.pack,
            "column": self.column,
            "device": self.device.partition(":")[0],  # the CPU's weights are int8, the GPU's are not
            "glossary": _glossary_digest(self.glossary),
            **self.settings,
        }


def job_for(
    task: Task,
    model: str | Path,
    column: str,
    device: str,
    threads: int,
    glossary: Path | None,
    settings: dict[str, Any],
) -> Job:
    """Checked as far as it can be before any worker starts; the pack is converted here, once for all of them."""
    folder = find_pack(model)
    pack = open_pack(folder)
    refuse_other_tasks(pack, task)
    said = {name: value for name, value in settings.items() if name in GenerationSettings.model_fields}
    GenerationSettings.checked(pack.manifest.decoding.model_dump() | said, "command line")
    if device == "cpu":
        converted_model(pack, "int8")
    named = str(model) if not Path(model).exists() else str(folder.resolve())
    terms = Glossary.read(glossary) if glossary is not None else None
    return Job(task, named, pack_digest(pack), column, device, threads, terms, settings)


def load_model(job: Job) -> Model:
    """The pack as a worker uses it. Another pack of the same name on the worker's machine is refused."""
    pack = open_pack(find_pack(job.model))
    _refuse_other_packs(pack, job)
    return MODEL_CLASSES[job.task].from_pack(pack, job.device, "int8", job.threads)


def _refuse_other_packs(pack: Pack, job: Job) -> None:
    if pack_digest(pack) != job.pack:
        raise DhyanError(
            f"{pack.folder} on this machine is another pack, or goes with another CTranslate2, than where the work"
            " was started; make the two the same."
        )


def _glossary_digest(glossary: Glossary | None) -> str:
    """16 hexadecimal digits for what a glossary says."""
    if glossary is None:
        return ""
    return hashlib.blake2b(repr(sorted(vars(glossary).items())).encode(), digest_size=8).hexdigest()
