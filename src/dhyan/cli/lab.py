"""`dhyan lab`: experiments that test claims of the lecture notes: the list, one of them, or all."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.options import AsJson, Threads, limit_threads
from dhyan.core.errors import DhyanError
from dhyan.core.screen import BOLD, Screen

if TYPE_CHECKING:
    from dhyan.lab.framework.experiment import Experiment
    from dhyan.lab.framework.registry import About
    from dhyan.lab.framework.results import Kept

ALL = "all"


def lab(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="an experiment, or all; without one: the list")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="smaller and faster; it shows the same effect")] = False,
    chosen: Annotated[
        list[str] | None, typer.Option("--set", metavar="KNOB=VALUE", help="turn a knob; may be repeated")
    ] = None,
    seed: Annotated[list[int] | None, typer.Option("--seed", min=0, help="a seed; may be repeated")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="keep results here, not in your own lab folder")] = None,
    knobs: Annotated[bool, typer.Option("--knobs", help="list the experiment's knobs")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="run again what has a result already")] = False,
    threads: Threads = 0,
    as_json: AsJson = False,
) -> None:
    limit_threads(threads)
    from dhyan.lab.framework.registry import EXPERIMENTS, about

    if out is not None and out.exists() and not out.is_dir():
        raise DhyanError(f"--out {out} is a file; name a folder.")
    if name is None:
        if quick or chosen or seed or knobs or fresh or out is not None:
            raise DhyanError(f"name an experiment, such as `dhyan lab {EXPERIMENTS[0].name}`, or all.")
        _list(as_json)
    elif name == ALL:
        if chosen or knobs:
            raise DhyanError("knobs belong to one experiment; name it instead of all.")
        _run_all(quick, seed, out, fresh, as_json)
    elif knobs:
        _list_knobs(about(name), quick, as_json)
    else:
        kept = _run(about(name), quick, chosen or [], seed, out, fresh)
        if as_json:
            _print_json(kept.model_dump(mode="json"))
        else:
            _show(kept)


def _list(as_json: bool) -> None:
    from dhyan.lab.framework.registry import EXPERIMENTS

    if as_json:
        fields = ("name", "line", "question", "claim", "method", "quick_seconds", "full_minutes", "live")
        _print_json([{field: getattr(one, field) for field in fields} for one in EXPERIMENTS])
        return
    rows = [[one.name, one.line, f"{one.quick_seconds} s", f"{one.full_minutes:g} min"] for one in EXPERIMENTS]
    _table("The notes' claims, measured", ["experiment", "what it does", "--quick", "full"], rows)
    typer.echo("Run one with `dhyan lab NAME`, all with `dhyan lab all --quick`. Times are those of one core.")


def _list_knobs(one: "About", quick: bool, as_json: bool) -> None:
    from dhyan.lab.framework.registry import experiment
    from dhyan.lab.framework.results import knobs_of

    found = experiment(one.name)
    values = knobs_of(found, quick, {}, one.name).model_dump(mode="json")
    if as_json:
        _print_json(values)
        return
    fields = found.knobs.model_fields
    rows = [[key, json.dumps(values[key], ensure_ascii=False), fields[key].description or ""] for key in values]
    _table(f"Knobs of {one.name}: --set KNOB=VALUE", ["knob", "value", "what it is"], rows)


def _run(
    one: "About", quick: bool, chosen: list[str], seeds: list[int] | None, out: Path | None, fresh: bool
) -> "Kept":
    from dhyan.lab.framework.registry import experiment
    from dhyan.lab.framework.results import knobs_of, run

    found = experiment(one.name)
    knobs = knobs_of(found, quick, _turned(found, chosen), f"dhyan lab {one.name} --set")
    return run(one, found, knobs, seeds, out, ConsoleProgress(), fresh)


def _turned(one: "Experiment[Any]", chosen: list[str]) -> dict[str, Any]:
    """'steps=500', 'sizes=4,16' → {"steps": "500", "sizes": ["4", "16"]}; the knob's own check reads the text."""
    values: dict[str, Any] = {}
    for text in chosen:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise DhyanError(f"--set {text!r}: write it as KNOB=VALUE, such as steps=100.")
        field = one.knobs.model_fields.get(key.strip())
        many = field is not None and get_origin(field.annotation) is list
        values[key.strip()] = [part.strip() for part in value.strip("[] ").split(",")] if many else value.strip()
    return values


def _run_all(quick: bool, seeds: list[int] | None, out: Path | None, fresh: bool, as_json: bool) -> None:
    """One after another; one that cannot be run does not stop the others."""
    from dhyan.lab.framework.registry import EXPERIMENTS

    done: list[Kept] = []
    failed: dict[str, str] = {}
    for number, one in enumerate(EXPERIMENTS, start=1):
        ConsoleProgress().say(f"{number} of {len(EXPERIMENTS)}: {one.name}, {one.line}")
        try:
            done.append(_run(one, quick, [], seeds, out, fresh))
        except DhyanError as error:
            failed[one.name] = str(error)
            ConsoleProgress().complain(f"  {error}")
            continue
        ConsoleProgress().say(f"  {done[-1].verdict}: {done[-1].because} ({done[-1].seconds:,.0f} s)")
    if as_json:
        _print_json([kept.model_dump(mode="json") for kept in done])
    else:
        rows = [[kept.name, kept.verdict, kept.because, f"{kept.seconds:,.0f} s"] for kept in done]
        rows += [[name, "was not run", why, ""] for name, why in failed.items()]
        _table("What was measured", ["experiment", "the claim", "because", "took"], rows)
        if done:
            typer.echo(f"Results and plots: {Path(done[0].folder).parent.parent}")
    if failed:
        raise DhyanError(f"{len(failed)} of {len(EXPERIMENTS)} experiments could not be run: {', '.join(failed)}.")


def _show(kept: "Kept") -> None:
    from dhyan.lab.framework.registry import about
    from dhyan.lab.framework.terminal import plotted

    screen = Screen()
    one = about(kept.name)
    for text in (one.question, f"The notes: {kept.claim}", f"Method: {one.method}"):
        screen.print(text)
    screen.print()
    for table in kept.tables:
        _table(table.title, table.headers, table.rows)
        screen.print()
    for plot in kept.plots:
        screen.print(plotted(plot))
        screen.print()
    for line in kept.fair:
        screen.print(f"Fair: {line}")
    seeds = ", ".join(map(str, kept.seeds))
    screen.print(f"Seeds {seeds}; {kept.seconds:,.1f} s of measuring on {'; '.join(kept.machines)}.")
    screen.print()
    screen.print(f"The claim {kept.verdict}: {kept.because}", BOLD)
    screen.print(f"Kept, with plots as SVG: {kept.folder}")


def _table(title: str, headers: list[str], rows: list[list[str]]) -> None:
    ConsoleProgress(Screen()).table(title, headers, rows)


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False))
