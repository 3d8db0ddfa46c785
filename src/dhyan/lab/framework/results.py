"""Measurements are kept, one file per case and seed, so that a run goes on where it was stopped.

    ROOT/sqrt-dk/1f3a…/measured/unscaled.seed-2.json      what was measured, with the seconds it took
    ROOT/sqrt-dk/1f3a…/result.json, variance.svg, …       what follows from it, and its plots

The folder's name stands for the knobs, the experiment's own code and whatever else it rests on, so a number is never
read back after the thing that made it has changed.
"""

import hashlib
import inspect
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import Field

from dhyan._version import __version__
from dhyan.core.atomic import write_atomic
from dhyan.core.paths import lab_folder
from dhyan.core.progress import Progress
from dhyan.lab.framework.experiment import Experiment, Knobs, Numbers, Result
from dhyan.lab.framework.registry import About

MEASURED, RESULT = "measured", "result.json"


class Kept(Result):
    """A result with all that is needed to get it again."""

    name: str
    claim: str
    knobs: dict[str, Any]
    seeds: list[int]
    seconds: float = Field(description="that the measurements took, whenever they were made")
    measured: dict[str, list[Numbers]] = Field(description="case → the numbers of each seed")
    machines: list[str] = Field(description="where it was measured, and with what")
    folder: str


def knobs_of(one: Experiment[Any], quick: bool, chosen: dict[str, Any], where: str) -> Any:
    """The full run's knobs, turned down by `quick`, then as the user chose."""
    return one.knobs.checked({**(one.quick if quick else {}), **chosen}, where)


def run(
    about: About,
    one: Experiment[Any],
    knobs: Knobs,
    seeds: Sequence[int] | None = None,
    root: Path | None = None,
    report: Progress | None = None,
    fresh: bool = False,
    begin: Callable[[int, int], object] = lambda index, count: None,
) -> Kept:
    """Measure what was not measured yet, conclude, and keep it all. `fresh` measures all of it anew.

    Before each measurement `begin` is called with its index, from 0, and how many there are.
    """
    report = report or Progress()
    seeds = list(dict.fromkeys(seeds or one.seeds))
    folder = (root or lab_folder()) / about.name / _digest(one, knobs)
    (folder / MEASURED).mkdir(parents=True, exist_ok=True)
    measured: dict[str, list[Numbers]] = {}
    seconds, machines = 0.0, set()
    cases = one.cases(knobs)
    for row, case in enumerate(cases):
        measured[case] = []
        for column, seed in enumerate(seeds):
            begin(row * len(seeds) + column, len(cases) * len(seeds))
            path = folder / MEASURED / f"{case}.seed-{seed}.json"
            found = None if fresh else _read(path)
            if found is None:
                started = time.perf_counter()
                with one_thread():
                    numbers = one.measure(knobs, case, seed, report)
                took = time.perf_counter() - started
                found = {"numbers": numbers, "seconds": round(took, 2), "machine": machine()}
                write_atomic(path, json.dumps(found, ensure_ascii=False))
                found = json.loads(json.dumps(found))  # as it will be read back: the same from now on
            measured[case].append(found["numbers"])
            seconds += found["seconds"]
            machines.add(found["machine"])
    result = one.conclude(knobs, measured)
    kept = Kept(
        name=about.name,
        claim=about.claim,
        knobs=knobs.model_dump(mode="json"),
        seeds=seeds,
        seconds=round(seconds, 1),
        measured=measured,
        machines=sorted(machines),
        folder=str(folder),
        **dict(result),
    )
    _keep(kept, folder)
    return kept


def kept_results(name: str, root: Path | None = None) -> list[Path]:
    """The folders of an experiment that hold a result, the newest first."""
    found = ((path.stat().st_mtime, path.parent) for path in ((root or lab_folder()) / name).glob(f"*/{RESULT}"))
    return [folder for _, folder in sorted(found, reverse=True)]


def read_kept(folder: Path) -> Kept | None:
    """A result as it was kept; None where another version wrote it, or where it is damaged."""
    try:
        return Kept.model_validate_json((folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


@contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch on one thread: more are no help to models this small, and sums come out the same on every machine."""
    torch = sys.modules.get("torch")  # an experiment that does not need it has not loaded it
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def machine() -> str:
    """Where we are, in words."""
    torch = f", PyTorch {version('torch')} on one thread" if "torch" in sys.modules else ""
    python = f"Python {platform.python_version()}, NumPy {version('numpy')}"
    return f"{platform.machine()}, {os.cpu_count()} cores, {python}{torch}"


def _keep(kept: Kept, folder: Path) -> None:
    from dhyan.lab.framework.plot_svg import plot_svg

    write_atomic(folder / RESULT, kept.model_dump_json(indent=1))
    for plot in kept.plots:
        write_atomic(folder / f"{plot.name}.svg", plot_svg(plot))


def _digest(one: Experiment[Any], knobs: Knobs) -> str:
    content = hashlib.blake2b(digest_size=6)
    content.update(json.dumps(knobs.model_dump(mode="json"), sort_keys=True).encode())
    content.update(Path(inspect.getfile(type(one))).read_bytes())
    content.update(f"{__version__} {one.rests_on(knobs)}".encode())
    return content.hexdigest()


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):  # never measured, or damaged: measure it
        return None
    return found if {"numbers", "seconds", "machine"} <= found.keys() else None
