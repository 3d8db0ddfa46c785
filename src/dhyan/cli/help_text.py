"""How help is laid out: the same on every machine, whichever version of Typer there is and with Rich or without."""

import copy
import inspect
import types
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer

MOST_NAME_WIDTH = 34  # a longer name has its help on the next line
METAVARS = {int: "NUMBER", float: "NUMBER", Path: "PATH", str: "TEXT"}


def write_options(command: Any, context: Any, formatter: Any) -> None:
    """The arguments and the options of a command, under the headings that its options name."""
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
    for parameter in command.get_params(context):
        if getattr(parameter, "hidden", False):
            continue
        is_argument = parameter.param_type_name == "argument"
        heading = "Arguments" if is_argument else getattr(parameter, "rich_help_panel", None) or "Options"
        name = parameter.metavar or parameter.name.upper() if is_argument else _names(parameter)
        said = parameter.show_default if isinstance(parameter.show_default, str) else ""
        sections.setdefault(heading, []).append((name, f"{parameter.help or ''} {said and f'({said})'}".strip()))
    for heading, rows in sections.items():
        if rows:
            write_rows(formatter, heading, rows)


def write_rows(formatter: Any, heading: str, rows: list[tuple[str, str]]) -> None:
    with formatter.section(heading):
        formatter.write_dl(rows, col_max=MOST_NAME_WIDTH)


def _names(option: Any) -> str:
    """`-o, --output PATH`, `--wrapped / --per-line`"""
    names = ", ".join(sorted(option.opts, key=len))
    if option.secondary_opts:
        return f"{names} / {', '.join(option.secondary_opts)}"
    if option.is_flag:
        return names
    choices = [str(getattr(one, "value", one)) for one in getattr(getattr(option, "type", None), "choices", ())]
    return f"{names} {option.metavar or '|'.join(choices) or 'TEXT'}"


def readable(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter of a command, its option with a metavar, and its default and bounds in its help."""
    kind, *more = get_args(parameter.annotation) if get_origin(parameter.annotation) is Annotated else (None,)
    found = next((one for one in more if isinstance(one, typer.models.OptionInfo | typer.models.ArgumentInfo)), None)
    if found is None:
        return parameter
    option = copy.copy(found)  # several commands share a definition
    option.metavar = option.metavar or _metavar(kind)
    said = []
    if isinstance(option.show_default, str):
        said.append(option.show_default)
    elif not isinstance(parameter.default, bool) and parameter.default not in (None, "", (), inspect.Parameter.empty):
        said.append(f"default {parameter.default}")
    elif parameter.default is inspect.Parameter.empty and isinstance(option, typer.models.OptionInfo):
        said.append("required")
    if option.min is not None and option.max is not None:
        said.append(f"{option.min} to {option.max}")
    option.show_default = "; ".join(said) or False
    return parameter.replace(annotation=Annotated[kind, option])


def _metavar(kind: Any) -> str | None:
    """Of a flag none."""
    inner = [one for one in get_args(kind) if one is not types.NoneType] if _is_union(kind) else [kind]
    inner = [argument for one in inner for argument in (get_args(one) if get_origin(one) is list else [one])]
    return next((METAVARS[one] for one in inner if one in METAVARS), None)


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (types.UnionType, Union)


def parameters_of(command: Any) -> list[inspect.Parameter]:
    """The parameters of a function, their annotations read where they are written as text."""
    hints = get_type_hints(command, include_extras=True)
    found = inspect.signature(command).parameters.values()
    return [one.replace(annotation=hints.get(one.name, one.annotation)) for one in found]
