"""`dhyan serve`: the translator, the page that opens a model up, and the HTTP API."""

import os
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from dhyan.cli.bulk import EXECUTORS
from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import given_settings, with_flags
from dhyan.cli.options import Threads, complete_pack
from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.extras import missing_extra
from dhyan.core.settings import every_field_optional, read_toml
from dhyan.pack.named_packs import find_pack, known_packs
from dhyan.server.settings import GROUPS, ServerSettings

PREFIX = "DHYAN_"  # of an environment variable
REPLICAS = 2  # on Ray, unless it is said how many
MOST_PAIRS = 20  # of --dev: enough to see a head's worth, few enough to wait for


@with_flags(ServerSettings, without={"model", "threads"}, groups=GROUPS)
def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", help="a pack's name or folder; may be repeated; else all known", autocompletion=complete_pack
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="open the page in the browser")] = False,
    threads: Threads = 0,
    dev: Annotated[
        Path | None,
        typer.Option("--dev", help=f"pairs (.tsv): head switches are tried on the first {MOST_PAIRS} of them"),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", help=f"these options in a file (TOML); {PREFIX}… in the environment goes before it"),
    ] = None,
    executor: Annotated[
        str,
        typer.Option(
            "--executor", metavar="|".join(EXECUTORS), help="by this process, or by replicas on a Ray cluster"
        ),
    ] = EXECUTORS[0],
    replicas: Annotated[
        int | None, typer.Option("--replicas", min=1, help="with --executor ray: processes that serve (2)")
    ] = None,
    **flags: Any,
) -> None:
    from dhyan.data.corpus import read_rows
    from dhyan.server.serve import check_host, check_trainings, packs_named, run, take_port
    from dhyan.server.served_packs import ServedPacks

    settings = server_settings(config, os.environ, flags | {"model": model, "threads": threads or None})
    check_host(settings)
    check_trainings(settings.training)

    def find() -> dict[str, Path]:
        return packs_named(settings.model, known_packs(), find_pack)

    folders = find()
    if not folders and not settings.training:
        raise DhyanError(
            "there is no pack to serve: train one with `dhyan train translate --train pairs.tsv --out my-pack`, then"
            " `dhyan serve --model my-pack`."
        )
    say = ConsoleProgress().say

    def ready(address: str) -> None:
        shown = [*folders, *map(str, settings.training)]
        say(f"Dhyan is at {address} with {', '.join(shown)}. Ctrl-C ends it.")
        if open_page:
            webbrowser.open(f"{address}/#/watch" if settings.training else address)

    if executor != EXECUTORS[0] or replicas is not None:
        serve_on_ray(settings, executor, replicas, dev, ready)
        return
    models = ServedPacks(folders, settings)
    pairs = (
        [(row.columns[0], row.columns[1]) for row in islice(read_rows([dev], ("source", "target")), MOST_PAIRS)]
        if dev
        else []
    )
    held = take_port(settings.port, settings.host)
    try:
        run(models, held, settings, pairs, ready, say, find)
    except KeyboardInterrupt:
        say("Stopped.")


def serve_on_ray(
    settings: ServerSettings,
    executor: str,
    replicas: int | None,
    dev: Path | None,
    ready: Callable[[str], object],
) -> None:
    if executor not in EXECUTORS:
        raise DhyanError(f"--executor {executor}: it is {' or '.join(EXECUTORS)}{did_you_mean(executor, EXECUTORS)}.")
    if executor != "ray":
        raise DhyanError("--replicas goes with --executor ray.")
    if dev is not None:
        raise DhyanError("--dev does not go with --executor ray, where packs are not opened up; leave it out.")
    if settings.training:
        raise DhyanError("--training does not go with --executor ray; watch it with a `dhyan serve` of its own.")
    try:
        from dhyan.server.ray_serve import run_on_ray
    except ModuleNotFoundError as error:  # Ray alone is not enough, Ray Serve needs many more
        raise missing_extra("--executor ray", error.name, "ray") from None
    with suppress(KeyboardInterrupt):
        run_on_ray(settings, replicas or REPLICAS, ready)


def server_settings(config: Path | None, environment: Mapping[str, str], flags: dict[str, Any]) -> ServerSettings:
    """What the flags say, else the environment, else the file, else the defaults."""
    optional = every_field_optional(ServerSettings)
    given: dict[str, Any] = {}
    if config is not None:
        given |= optional.checked(read_toml(config), str(config)).model_dump(exclude_none=True)
    found = {name: environment.get(f"{PREFIX}{name.upper()}", "") for name in ServerSettings.model_fields}
    several = [name for name, field in ServerSettings.model_fields.items() if isinstance(field.default, tuple)]
    values: dict[str, Any] = {name: text for name, text in found.items() if text.strip()}
    values |= {name: [one.strip() for one in values[name].split(",")] for name in several if name in values}
    given |= optional.checked(values, "environment").model_dump(exclude_none=True)
    given |= given_settings(ServerSettings, flags)
    return ServerSettings.checked(given, "dhyan serve")
