"""A group of commands: each is imported when it is called, and the help lists them under headings."""

from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from dhyan.cli.command_table import COMMANDS, GROUPS
from dhyan.cli.help_text import write_options, write_rows
from dhyan.cli.verbosity import with_verbosity


class ImportedWhenCalled(MutableMapping[str, Any]):
    """Name → command. To list the names imports nothing."""

    def __init__(self, others: Mapping[str, Any]) -> None:
        self._loaded = dict(others)

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _load(name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**COMMANDS, **self._loaded})

    def __len__(self) -> int:
        return len({**COMMANDS, **self._loaded})


@cache
def _load(name: str) -> Any:
    """The command of this name, or the group of commands; a KeyError if there is none."""
    from dhyan.cli.flags import Command

    entry = COMMANDS[name]
    module = import_module(f"dhyan.cli.{entry.module}")
    found = getattr(module, name if hasattr(module, name) else f"{name}_")  # import_: `import` is Python's own word
    outer = typer.Typer(add_completion=False, rich_markup_mode=None)
    if not isinstance(found, typer.Typer):
        outer.command(name, cls=Command, help=entry.purpose)(with_verbosity(found))
        return typer.main.get_command(outer)
    for command in found.registered_commands:
        if command.callback is not None:
            command.callback = with_verbosity(command.callback)
    outer.add_typer(found, name=name, help=entry.purpose, cls=PlainGroup)
    group: Any = typer.main.get_command(outer)
    return group.commands[name]


class PlainGroup(TyperGroup):
    """A group with our help, such as `dhyan keys`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        self.format_commands(ctx, formatter)
        write_options(self, ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        write_rows(formatter, "Commands", [(name, command.help or "") for name, command in self.commands.items()])


class CommandGroup(PlainGroup):
    """`dhyan`, whose commands are those of the table."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = ImportedWhenCalled(self.commands)

    def invoke(self, ctx: Any) -> Any:
        """Ctrl-C leaves as what `main` has a sentence for: Typer would end without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        widest = max(map(len, COMMANDS))  # so that all groups have their columns at the same place
        for heading, group in GROUPS.items():
            write_rows(formatter, heading, [(name.ljust(widest), entry.purpose) for name, entry in group.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The commands' names and purposes, without importing any."""
        options = super().shell_complete(ctx, incomplete) if incomplete.startswith("-") else []
        named = [name for name in COMMANDS if name.startswith(incomplete)]
        return options + [_completion(name, COMMANDS[name].purpose) for name in named]


def _completion(value: str, purpose: str) -> Any:
    """Typer carries its own copy of Click or uses the installed one, by version: this is right for both."""
    click = TyperGroup.__mro__[1].__module__.rpartition(".")[0]
    return import_module(f"{click}.shell_completion").CompletionItem(value, help=purpose)
