"""The experiments of `dhyan lab`: what was measured on this machine, the light ones live, and quick runs."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from dhyan.core.errors import DhyanError
from dhyan.lab.framework.experiment import Knobs
from dhyan.lab.framework.live import LIVE, run_live
from dhyan.lab.framework.plot_svg import plot_svg
from dhyan.lab.framework.plots import Plot
from dhyan.lab.framework.registry import EXPERIMENTS, About, about
from dhyan.lab.framework.results import RESULT, kept_results, read_kept
from dhyan.server import schemas_labs as schemas
from dhyan.server.http_errors import HttpError
from dhyan.server.lab_runs import LabRuns
from dhyan.server.model_calls import ModelCalls

MOST_KEPT = 20  # results of one experiment that are listed
Width = Annotated[int, Query(ge=schemas.NARROWEST, le=schemas.WIDEST, description="of the figures, in pixels")]


def lab_routes(root: Path, calls: ModelCalls) -> APIRouter:
    """root: where results are kept, as by `dhyan lab`."""
    routes = APIRouter(prefix="/labs", tags=["lab"])
    measuring = LabRuns(root)

    @routes.get("")
    def list_labs() -> list[schemas.LabInfo]:
        """The experiments, their knobs where they are live, and what was measured."""
        return [listed(one, root) for one in EXPERIMENTS]

    @routes.get("/{name}/kept/{id}")
    def kept(name: str, id: str, width: Width = 640) -> schemas.KeptResult:
        """A result as it was measured."""
        _found(name)
        folder = next((one for one in kept_results(name, root) if one.name == id), None)
        result = read_kept(folder) if folder else None
        if result is None:
            raise HttpError(404, f"no such result of {name} is kept; `dhyan lab {name} --quick` measures one.")
        figures = figures_of(result.plots, width)
        return schemas.KeptResult(figures=figures, **result.model_dump(include=set(schemas.KeptResult.model_fields)))

    @routes.post("/{name}/live")
    async def live(request: Request, name: str, asked: schemas.LiveRequest) -> schemas.LiveInfo:
        """A light experiment with its knobs turned."""
        _found(name)
        return await calls.lab(request, lambda: live_result(name, asked))

    @routes.post("/{name}/measure")
    def measure(name: str, asked: schemas.MeasureRequest) -> schemas.RunInfo:
        """Begin the quick run; `measuring` tells how far it is."""
        return measuring.start(_found(name).name)

    @routes.get("/measuring")
    def measuring_now() -> schemas.RunInfo | None:
        """The run that is under way, or the last one."""
        return measuring.state()

    @routes.delete("/measuring")
    def stop_measuring() -> None:
        """Stop it; what has been measured by now is kept."""
        measuring.stop()

    return routes


def _found(name: str) -> About:
    try:
        return about(name)
    except DhyanError as error:
        raise HttpError(404, str(error)) from None


def live_result(name: str, asked: schemas.LiveRequest) -> schemas.LiveInfo:
    started = time.perf_counter()
    found = run_live(name, asked.knobs, asked.seed)
    figures = figures_of(found.plots, asked.width)
    seconds = time.perf_counter() - started
    said = found.model_dump(include={"sentence", "numbers"})
    return schemas.LiveInfo(tables=found.tables, figures=figures, seconds=seconds, **said)


def listed(one: About, root: Path) -> schemas.LabInfo:
    kept = []
    for folder in kept_results(one.name, root)[:MOST_KEPT]:
        result = read_kept(folder)
        if result is not None:
            measured = datetime.fromtimestamp((folder / RESULT).stat().st_mtime, UTC)
            summary = result.model_dump(include={"verdict", "seconds"})
            kept.append(schemas.KeptInfo(id=folder.name, measured=measured, **summary))
    return schemas.LabInfo(
        name=one.name,
        line=one.line,
        question=one.question,
        claim=one.claim,
        method=one.method,
        quick_seconds=one.quick_seconds,
        full_minutes=one.full_minutes,
        live=one.live,
        knobs=_knobs(LIVE[one.name][0]) if one.live else [],
        kept=kept,
    )


def _knobs(knobs: type[Knobs]) -> list[schemas.KnobInfo]:
    """Bounds and help come from the fields themselves."""
    return [_knob(name, field) for name, field in knobs.model_json_schema()["properties"].items()]


def _knob(name: str, field: dict[str, Any]) -> schemas.KnobInfo:
    described = {"name": name, "help": field["description"], "value": field["default"]}
    if field["type"] == "array":
        return schemas.KnobInfo(kind="words" if field["items"]["type"] == "string" else "numbers", **described)
    step = field.get("multipleOf", 1 if field["type"] == "integer" else 0.1)
    least = field["minimum"] if "minimum" in field else field["exclusiveMinimum"] + step
    return schemas.KnobInfo(kind="number", least=least, most=field["maximum"], step=step, **described)


def figures_of(plots: Sequence[Plot], width: int) -> list[schemas.FigureInfo]:
    return [
        schemas.FigureInfo(name=one.name, title=one.title, svg=plot_svg(one, width, titled=False)) for one in plots
    ]
