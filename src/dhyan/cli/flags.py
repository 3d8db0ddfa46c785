"""Settings → flags: every field is an option with the field's own help and bounds, so nothing is defined twice."""

import inspect
import types
from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import typer
from pydantic.fields import FieldInfo
from typer.core import TyperCommand

from dhyan.cli.help_text import write_options
from dhyan.core.errors import DhyanError
from dhyan.core.settings import (
    Settings,
    allowed_values,
    flat_fields,
    nested_settings,
    notice_renamed,
    old_names,
    other_flags,
)

COMMAND_LINE = "command line"


def flag_of(name: str) -> str:
    return "--" + name.replace("_", "-")


class Command(TyperCommand):
    """A command whose options keep their old names: hidden in its help, and each says the new name once."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write_options(self, ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        old: dict[str, str] = getattr(self.callback, "old_flags", {})
        other: dict[str, str] = getattr(self.callback, "other_flags", {})
        end = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [_new_name(word, old, other) for word in args[:end]] + args[end:])


def _new_name(word: str, old: dict[str, str], other: dict[str, str]) -> str:
    flag, equals, value = word.partition("=")
    if flag in other:
        return f"{other[flag]}{equals}{value}"
    if flag not in old:
        return word
    notice_renamed(flag, old[flag])
    return f"{old[flag]}{equals}{value}"


def renamed_flags(new_of: dict[str, str]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a command: `@renamed_flags({"--engine": "--executor"})` keeps the old name `--engine` working."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command.old_flags = getattr(command, "old_flags", {}) | new_of  # type: ignore[attr-defined]
        return command

    return decorate


def with_flags(
    settings: type[Settings],
    without: Container[str] = (),
    only: Container[str] | None = None,
    groups: Mapping[str, str] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a command `f(…, **flags)`: it gets an option per setting, which is None where it was not given.

    without: settings that get no option. only: these alone get one. groups: the first setting of each group → the
    group's heading in the help, which then says the defaults too.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(command)
        own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        options = []
        new_of: dict[str, str] = {}
        other_of: dict[str, str] = {}
        heading = ""
        for section, name, field in flat_fields(settings):
            heading = (groups or {}).get(name, heading)
            if name in without or (only is not None and name not in only):
                continue
            options.append(_option(heading or section.capitalize() or "Options", name, field, bool(groups)))
            other_of |= {flag_of(other): flag_of(name) for other in other_flags(field)}
            for old in old_names(field):
                new_of[flag_of(old)] = flag_of(name)
                if _is(field.annotation, bool):
                    new_of[flag_of(f"no_{old}")] = flag_of(f"no_{name}")
        command.__signature__ = signature.replace(parameters=[*own, *options])  # type: ignore[attr-defined]
        command.__annotations__ = {p.name: p.annotation for p in [*own, *options]}
        command.other_flags = other_of  # type: ignore[attr-defined]
        return renamed_flags(new_of)(command)

    return decorate


def given_settings(settings: type[Settings], flags: dict[str, Any]) -> dict[str, Any]:
    """The flags that were given, checked one by one; nested as the settings are."""
    kinds = {name: field.annotation for _, name, field in flat_fields(settings)}
    given = {
        name: named_values(name, value) if value and _is(kinds[name], dict) else value
        for name, value in flags.items()
        if value not in ([], ())
    }
    return nested_settings(settings, given, COMMAND_LINE)


def _option(panel: str, name: str, field: FieldInfo, says_default: bool) -> inspect.Parameter:
    choices = allowed_values(field.annotation)
    help_text = field.description or ""
    if says_default and field.default not in (None, (), ""):
        help_text += f" (default {field.default})"
    if _is(field.annotation, bool):
        option = typer.Option(
            f"{flag_of(name)}/{flag_of(_opposite(name, field))}", help=help_text, rich_help_panel=panel
        )
        kind: Any = bool | None
    elif _is(field.annotation, list):
        option = typer.Option(flag_of(name), help=help_text, rich_help_panel=panel, metavar="FILE")
        kind = list[str] | None
    elif _is(field.annotation, tuple):
        option = typer.Option(flag_of(name), help=help_text, rich_help_panel=panel, metavar="TEXT")
        kind = list[str] | None
    else:
        # Everything else stays text: the setting's own check reads it, and its error is the one that is shown.
        metavar = "|".join(choices) if choices else _metavar(field.annotation)
        option = typer.Option(flag_of(name), help=help_text, rich_help_panel=panel, metavar=metavar)
        kind = str | None
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option])


def _opposite(name: str, field: FieldInfo) -> str:
    """The opposite of a flag, which a field may name: `json_schema_extra={"off": "per_line"}`."""
    extra = field.json_schema_extra
    return str(extra.get("off", f"no_{name}")) if isinstance(extra, dict) else f"no_{name}"


def _is(annotation: Any, kind: type) -> bool:
    if get_origin(annotation) in (types.UnionType,):
        return any(_is(inner, kind) for inner in get_args(annotation))
    return annotation is kind or get_origin(annotation) is kind


def _metavar(annotation: Any) -> str:
    for kind, shown in ((int, "NUMBER"), (float, "NUMBER"), (Path, "PATH"), (dict, "NAME=VALUE,…")):
        if _is(annotation, kind):
            return shown
    return "TEXT"


def named_values(name: str, text: str) -> dict[str, str]:
    """'label=2,text=1' → {"label": "2", "text": "1"}"""
    pairs = {}
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise DhyanError(f"{flag_of(name)} {text!r}: write pairs such as label=2,text=1.")
        pairs[key.strip()] = value.strip()
    return pairs
