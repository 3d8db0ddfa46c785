"""The page of all commands, from their definitions: what `dhyan COMMAND --help` shows."""

from typing import Any

import typer

from dhyan.cli.app import app

HEAD = """# Commands

This page is made from the definitions that the program itself uses. `dhyan COMMAND --help` shows the same.

{index}
"""


def page() -> str:
    commands = dict(every(typer.main.get_command(app), "dhyan"))
    index = "| command | what it does |\n|---|---|\n" + "".join(
        f"| [`{name}`](#{name.replace(' ', '-')}) | {line(command.help)} |\n" for name, command in commands.items()
    )
    return HEAD.format(index=index) + "".join(described(name, command) for name, command in commands.items())


def every(group: Any, path: str) -> Any:
    """(full name, command) of everything that can be called, groups opened."""
    for name, command in group.commands.items():
        if getattr(command, "hidden", False):
            continue
        if hasattr(command, "commands"):
            yield from every(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def described(name: str, command: Any) -> str:
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    options = [one for one in shown if one.param_type_name == "option"]
    usage = " ".join([name, *(one.metavar or one.name.upper() for one in arguments), "[OPTIONS]" if options else ""])
    parts = [f"\n## {name}\n\n{line(command.help)}\n\n```text\n{usage.strip()}\n```\n"]
    if told := [one for one in arguments if getattr(one, "help", None)]:
        parts.append(table("argument", [(f"`{one.metavar or one.name.upper()}`", one.help) for one in told]))
    panels: dict[str, list[Any]] = {}
    for one in options:
        panels.setdefault(getattr(one, "rich_help_panel", None) or "Options", []).append(one)
    for panel, members in panels.items():
        title = "" if panel == "Options" else f"\n**{panel}**\n\n"
        parts.append(title + table("option", [(flags(one), one.help) for one in members]))
    return "\n".join(parts)


def flags(option: Any) -> str:
    names = " ".join(f"`{one}`" for one in option.opts)
    off = " ".join(f"`{one}`" for one in option.secondary_opts)
    takes = "" if option.is_flag else f" `{option.metavar or option.type.name.upper()}`"
    return names + (f", {off}" if off else takes.replace("|", "\\|"))


def table(kind: str, rows: list[tuple[str, str | None]]) -> str:
    return f"| {kind} | |\n|---|---|\n" + "".join(f"| {name} | {line(told)} |\n" for name, told in rows)


def line(text: str | None) -> str:
    """A help text as it can stand in a table's cell."""
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "&lt;")
