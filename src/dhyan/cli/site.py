"""`dhyan site`: the page and packs as a folder for any static host; a visitor's browser does the rest."""

from pathlib import Path
from typing import Annotated

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.options import complete_pack
from dhyan.core.errors import DhyanError
from dhyan.pack.named_packs import BUILT_IN, MANIFEST, find_pack


def site(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the folder to write; an earlier site is replaced")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="a pack's name or folder; may be repeated; else those that come with Dhyan",
            autocompletion=complete_pack,
        ),
    ] = None,
) -> None:
    from dhyan.browser.site import check_place, plan_site, write_site
    from dhyan.server.serve import packs_named

    out = out.resolve()
    check_place(out)
    shipped = {path.parent.name: path.parent for path in sorted(BUILT_IN.glob(f"*/{MANIFEST}"))}
    folders = packs_named(model or [], shipped, find_pack)
    if not folders:
        raise DhyanError("there is no pack to put in: name one with `dhyan site OUT --model my-pack`.")
    progress = ConsoleProgress()
    planned = plan_site(folders)
    with progress.working("packs", planned.pack_bytes) as tell:
        write_site(planned, out, tell)
    rows = [
        (name, f"{pack.bytes / 1e6:.1f} MB", pack.licence or "none given") for name, pack in planned.packs.items()
    ]
    progress.table("Packs, fetched when a visitor first needs them", ("pack", "size", "licence"), rows)
    progress.say(
        f"{out} is written: the page and its scripts, {planned.bytes / 1e6:.1f} MB, and the packs. Put it on any"
        f" static host that has https (GitHub Pages, Netlify, nginx), or try it: python -m http.server -d {out}"
    )
