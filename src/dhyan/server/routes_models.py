"""What is served, and how to get what is not."""

from fastapi import APIRouter, Request

from dhyan._version import __version__
from dhyan.pack.manifest import Task
from dhyan.server import schemas
from dhyan.server.file_translation import file_suffixes
from dhyan.server.operations.gate import LocalOnly
from dhyan.server.served_packs import ServedPack, ServedPacks, described, how_to_get
from dhyan.server.settings import ServerSettings

TASKS: tuple[Task, ...] = ("translate", "embed", "classify", "write")


def model_routes(
    packs: ServedPacks,
    settings: ServerSettings,
    dev_pairs: int,
    may_explain: LocalOnly,
    may_use_labs: LocalOnly,
    may_watch: LocalOnly,
) -> APIRouter:
    routes = APIRouter(tags=["use"])

    @routes.get("/models")
    def list_models(request: Request) -> schemas.ModelList:
        """What is served, and how to get what is not."""
        return schemas.ModelList(
            models=[model_info(one) for one in packs.served.values()],
            version=__version__,
            how_to_get={task: how_to_get(task) for task in TASKS},
            most_characters=settings.max_characters,
            most_alternatives=settings.max_alternatives,
            most_file_bytes=settings.max_file_bytes,
            file_suffixes=file_suffixes() if settings.takes_files else [],
            dev_pairs=dev_pairs,
            explain=may_explain.allows(request),
            labs=may_use_labs.allows(request),
            trainings=len(settings.training) if may_watch.allows(request) else 0,
        )

    return routes


def model_info(served: ServedPack) -> schemas.ModelInfo:
    manifest = served.pack.manifest
    return schemas.ModelInfo(
        name=served.name,
        task=served.task,
        shape=manifest.architecture.shape,
        about=described(served.pack),
        architecture=manifest.architecture.model_dump(),
        d_head=manifest.architecture.d_head,
        labels=manifest.labels,
        label_kind=manifest.label_kind,
        reads_pairs=manifest.reads_pairs,
        **manifest.decoding.model_dump(include={"beam", "temperature", "top_k", "top_p"}),
        licence=manifest.licence,
        languages=served.languages,
    )
