"""`dhyan keys`: the keys of a server that is run for others."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dhyan.cli.console import ConsoleProgress
from dhyan.cli.flags import Command, given_settings, with_flags
from dhyan.server.operations.api_keys import KeyLimits, add_key, read_keys, remove_key

keys = typer.Typer(no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="whose key it is, such as mastodon")]
KeyPath = Annotated[Path, typer.Option("--file", help="the file of keys, as for `dhyan serve --keys`")]
DEFAULT = Path("keys.toml")


@keys.command(cls=Command, help="Make a key: it is printed once, and only its hash is kept.")
@with_flags(KeyLimits)
def add(name: Name, file: KeyPath = DEFAULT, **flags: Any) -> None:
    key = add_key(file, name, KeyLimits.checked(given_settings(KeyLimits, flags), "command line"))
    typer.echo(key)
    ConsoleProgress().say(f"This is the key of {name}, shown this once: {file} has its hash alone.")


@keys.command("list", cls=Command, help="List whose keys there are, and their limits.")
def list_keys(file: KeyPath = DEFAULT) -> None:
    for name, entry in read_keys(file).items():
        limits = [f"{entry.requests_per_minute:,} requests"] if entry.requests_per_minute else []
        limits += [f"{entry.characters_per_minute:,} characters"] if entry.characters_per_minute else []
        typer.echo(f"{name}\t{' and '.join(limits) + ' per minute' if limits else 'no limits'}")


@keys.command(cls=Command, help="Take a key out of the file: a running server refuses it a second later.")
def remove(name: Name, file: KeyPath = DEFAULT) -> None:
    remove_key(file, name)
    ConsoleProgress().say(f"{name} is removed from {file}.")
