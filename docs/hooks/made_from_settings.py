"""Recipes, mixes and the server's settings, from the pydantic models that define them."""

from typing import Any

from made_from_commands import line

from dhyan.core.settings import Settings, allowed_values
from dhyan.data.mix.settings import FilterSettings, GroupSettings, NoiseSettings, NormaliseSettings
from dhyan.server.settings import ServerSettings
from dhyan.training.recipe import Recipe

RECIPES = """# Recipes

A recipe is a TOML file with the settings of a training. Every setting is also a flag of `dhyan train`:
`batch_tokens` is
`--batch-tokens`. What a recipe leaves out is chosen from the data. `dhyan train … --print-recipe` prints the
recipe that a command
stands for, with every setting explained: save it, change it, run it.

This page is made from the definitions that the program itself uses. The defaults here are those of the
definitions; for what you
leave out `dhyan train` chooses better ones from your data and prints them ([Training](../guides/training.md#sizes)).

## At the top
"""
MIXES = """# Mixes

A mix is a TOML file that tells `dhyan mix` how to clean, weight and shuffle many corpora into one
([how to write one](../guides/mixing.md)). This page is made from the definitions that the program itself uses.
"""
SERVER = """# Settings of the server

Every setting of `dhyan serve` is a flag, a key of `--config server.toml`, and an environment variable:
`max_texts` is `--max-texts` and
`DHYAN_MAX_TEXTS`. A flag goes before a variable, a variable before the file. [A server for
others](../guides/serving.md) says what they are for.

"""
MIX_PARTS: dict[str, tuple[type[Settings], str]] = {
    "normalise": (NormaliseSettings, "How texts are written."),
    "filter": (FilterSettings, "Which rows are left out."),
    "noise": (NoiseSettings, "Shares of rows that get a second copy with a noisy source."),
    "group.NAME": (GroupSettings, "One group of sources. A row belongs to the first group that names its source."),
}


def recipes_page() -> str:
    top, sections = [], []
    for name, field in Recipe.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, Settings):
            sections.append(f"\n## \\[{name}]\n\n{rows(inner)}")
        else:
            top.append(row(name, field))
    return f"{RECIPES}\n{HEADER}{''.join(top)}{''.join(sections)}"


def mixes_page() -> str:
    return MIXES + "".join(f"\n## \\[{part}]\n\n{told}\n\n{rows(cls)}" for part, (cls, told) in MIX_PARTS.items())


def server_page() -> str:
    return SERVER + rows(ServerSettings)


HEADER = "| key | values | default | |\n|---|---|---|---|\n"


def rows(cls: type[Settings]) -> str:
    return HEADER + "".join(row(name, field) for name, field in cls.model_fields.items())


def row(name: str, field: Any) -> str:
    default = "" if field.is_required() else shown(field.get_default(call_default_factory=True))
    return f"| `{name}` | {values(field)} | {default} | {line(field.description)} |\n"


def values(field: Any) -> str:
    if choices := allowed_values(field.annotation):
        return " ".join(f"`{one}`" for one in choices)
    kind = getattr(field.annotation, "__name__", str(field.annotation))
    named = {
        "int": "number",
        "float": "number",
        "bool": "`true` `false`",
        "str": "text",
        "Path": "path",
        "dict": "table",
    }
    bounds = [
        f"{sign} {getattr(one, name)}" for one in field.metadata for name, sign in SIGNS.items() if hasattr(one, name)
    ]
    return ", ".join([named.get(kind, "list" if "list" in str(field.annotation) else "text"), *bounds])


SIGNS = {"ge": "≥", "gt": "&gt;", "le": "≤", "lt": "&lt;"}


def shown(value: Any) -> str:
    if value is None or value in ("", [], {}, ()):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
