"""`dhyan serve`: the translator, the page that opens a model up, and the HTTP API, on this machine alone."""

import webbrowser
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.options import Threads, complete_pack
from dhyan.core.errors import DhyanError
from dhyan.pack.pack import find_pack, known_packs

MOST_PAIRS = 20  # of --dev: enough to see a head's worth, few enough to wait for


def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model", help="a pack's name or folder; may be repeated; else all known", autocompletion=complete_pack
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 for any free port")] = 8080,
    open_page: Annotated[bool, typer.Option("--open", help="open the page in the browser")] = False,
    threads: Threads = 0,
    dev: Annotated[
        Path | None,
        typer.Option("--dev", help=f"pairs (.tsv): head switches are tried on the first {MOST_PAIRS} of them"),
    ] = None,
) -> None:
    from dhyan.data.corpus import read_rows
    from dhyan.server.serve import packs_named, run, take_port
    from dhyan.server.served_packs import ServedPacks
    from dhyan.server.settings import ServerSettings

    folders = packs_named(model or [], known_packs(), find_pack)
    if not folders:
        raise DhyanError(
            "there is no pack to serve: train one with `dhyan train translate --train pairs.tsv --out my-pack`, then"
            " `dhyan serve --model my-pack`."
        )
    settings = ServerSettings(threads=threads)
    models = ServedPacks(folders, settings)
    pairs = (
        [(row.columns[0], row.columns[1]) for row in islice(read_rows([dev], ("source", "target")), MOST_PAIRS)]
        if dev
        else []
    )
    held = take_port(port)
    say = ConsoleProgress().say

    def ready(address: str) -> None:
        say(f"Dhyan is at {address} with {', '.join(folders)}. Ctrl-C ends it.")
        if open_page:
            webbrowser.open(address)

    try:
        run(models, held, settings, pairs, ready)
    except KeyboardInterrupt:
        say("Stopped.")
