"""`dhyan packs`: list the packs there are, install and remove others, bundle one for others."""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import Command
from dhyan.cli.options import AsJson, complete_pack
from dhyan.cli.packs import Pack, models, refuse_taken
from dhyan.core.atomic import atomic_file
from dhyan.core.errors import DhyanError
from dhyan.core.paths import user_packs
from dhyan.pack.install_pack import install_pack, package_of, remove_pack
from dhyan.pack.pack import MANIFEST, find_pack, known_packs, open_pack
from dhyan.pack.pack_archive import SUFFIXES, is_plain_name, write_archive
from dhyan.pack.published_packs import published_packs

packs = typer.Typer(no_args_is_help=True)


def complete_own_pack(incomplete: str) -> list[str]:
    return [
        name
        for name, folder in known_packs().items()
        if folder.parent == user_packs() and name in complete_pack(incomplete)
    ]


@packs.command("list", cls=Command, help="List the packs that can be called by name, as `dhyan models` does.")
def list_packs(as_json: AsJson = False) -> None:
    models(as_json)
    known = known_packs()
    for one in published_packs():
        if not (one.folder / MANIFEST).is_file():
            typer.echo(f"Note: the package {one.package} has no pack in {one.folder}.", err=True)
        elif known[one.name] != one.folder:
            before = package_of(known[one.name]) or known[one.name]
            typer.echo(
                f"Note: {one.name} of the package {one.package} is not used: {before} goes before it.", err=True
            )


@packs.command(cls=Command, help="Install a pack, to call it by its name: all of it is checked before it is there.")
def install(
    source: Annotated[str, typer.Argument(metavar="FOLDER|ARCHIVE|URL", help="where it is: .tar.gz, or a folder")],
    sha256: Annotated[
        str | None, typer.Option("--sha256", metavar="HASH", help="what the archive must have, else it is refused")
    ] = None,
    name: Annotated[str | None, typer.Option("--name", help="what to call it; else its folder's name")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="also where this name calls another pack now")] = False,
) -> None:
    done = install_pack(source, name, sha256, replace, ConsoleProgress())
    terms = done.manifest.licence or "not stated"
    typer.echo(f"{done.name} is installed ({done.manifest.task}; licence: {terms}): --model {done.name}.", err=True)
    if done.sha256 and sha256 is None:
        typer.echo(f"Its SHA-256 is {done.sha256}; with --sha256 nothing else is taken for it.", err=True)


@packs.command(cls=Command, help="Remove a pack that was installed, or put into the folder of your packs.")
def remove(
    name: Annotated[str, typer.Argument(metavar="NAME", help="its name", autocompletion=complete_own_pack)],
) -> None:
    typer.echo(f"{remove_pack(name)} is removed.", err=True)


@packs.command(cls=Command, help="Write a pack as one file for others, and print its SHA-256.")
def bundle(
    pack: Pack,
    out: Annotated[Path, typer.Argument(metavar="OUT.tar.gz", help="the file to write, .tar.gz or .tar")],
) -> None:
    if not out.name.endswith(SUFFIXES):
        raise DhyanError(f"{out}: the name must end in .tar.gz or .tar.")
    refuse_taken(out)
    folder = find_pack(pack)
    open_pack(folder)
    name = next((name for name, known in known_packs().items() if known == folder), folder.resolve().name)
    if not is_plain_name(name):
        raise DhyanError(f"'{name}' is no name for a pack: rename its folder to letters, digits, '.', '-' and '_'.")
    if not out.parent.is_dir():
        raise DhyanError(f"{out.parent}: there is no such folder; make it first.")
    with atomic_file(out) as file:
        write_archive(folder, name, file, compress=not out.name.endswith(".tar"))
    with out.open("rb") as written:
        digest = hashlib.file_digest(written, "sha256").hexdigest()
    typer.echo(f"{digest}  {out.name}")
    typer.echo(f"{out} is written ({out.stat().st_size / 1e6:.1f} MB).", err=True)
