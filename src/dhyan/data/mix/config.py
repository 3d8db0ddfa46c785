"""Reading a mix: rules and groups, which may extend those of another file, and lists of sources that have a name."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError, did_you_mean, shortened
from dhyan.core.settings import Settings, every_field_optional, notice_renamed, read_toml
from dhyan.data.mix.settings import FilterSettings, GroupSettings, Mix, NoiseSettings, NormaliseSettings

RULES: dict[str, type[Settings]] = {
    "normalise": NormaliseSettings,
    "filter": FilterSettings,
    "noise": NoiseSettings,
}
PARTS = ("extends", *RULES, "sources", "group")
MOST_SOURCES, MOST_LEVELS = 10_000, 20  # of one group: lists inside lists multiply
PartialGroup = every_field_optional(GroupSettings)
Lists = Mapping[str, list[str]]


def read_mix(path: Path) -> Mix:
    """Read a mix's file; whatever is wrong with it is one line that names the key."""
    parts = _merged(path, ())
    if not parts["group"]:
        raise _no_group(path)
    lists = _lists(parts["sources"], path)
    return Mix(
        {name: _group(group, lists, f"{path}, [group.{name}]") for name, group in parts["group"].items()},
        NormaliseSettings(**parts["normalise"]),
        FilterSettings(**parts["filter"]),
        NoiseSettings(**parts["noise"]),
    )


def _merged(path: Path, came_by: tuple[Path, ...]) -> dict[str, dict[str, Any]]:
    """Part → its settings: those of the file that this one extends, then its own.

    Which groups there are, and their order, is each file's own; a group takes the settings that the other file, or
    one that it extends, gives to the group of that name.
    """
    values, takes_groups = _read(path)
    own = _checked(path, values)
    if "extends" not in values:
        return own | {"known groups": own["group"]}
    if not isinstance(values["extends"], str):
        raise DhyanError(f"{path}: extends = {shortened(repr(values['extends']))}: name one other mix's file.")
    other = path.parent / values["extends"]
    if other.resolve() in [file.resolve() for file in (*came_by, path)]:
        raise DhyanError(
            f"{path}: extends = {shortened(repr(values['extends']))} leads back to itself; one must stand alone."
        )
    shared = _merged(other, (*came_by, path))
    known = shared["known groups"] if takes_groups else {}
    groups = {name: known.get(name, {}) | group for name, group in own["group"].items()}
    both = {part: shared[part] | own[part] for part in own}
    return both | {"group": groups, "known groups": known | groups}


def _read(path: Path) -> tuple[dict[str, Any], bool]:
    """The parts of a file, and whether it takes over the settings of another file's groups."""
    values = read_toml(path)
    if "variants" in values and "noise" not in values:
        notice_renamed("variants", "noise")
        values["noise"] = values.pop("variants")
    old_way = "like" in values and "extends" not in values
    if old_way:
        notice_renamed("like", "extends")  # which takes over the groups' settings besides
        values["extends"] = values.pop("like")
    for key in values:
        if key not in PARTS:
            hint = did_you_mean(key, PARTS)
            raise DhyanError(f"{path}: '{key}' is not a part of a mix{hint}; its parts are {', '.join(PARTS)}.")
    return values, not old_way


def _checked(path: Path, values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The file's own settings, checked here where its name is known; old names have become new ones."""
    own = {part: values.get(part, {}) for part in (*RULES, "sources", "group")}
    if not isinstance(own["group"], dict) or not all(isinstance(group, dict) for group in own["group"].values()):
        raise _no_group(path)
    for part, settings in own.items():
        if not isinstance(settings, dict):
            raise DhyanError(f"{path}: {part} = {shortened(repr(settings))}: write its settings under [{part}].")
        if part in RULES:
            own[part] = RULES[part].checked(settings, f"{path}, [{part}]").model_dump(exclude_unset=True)
    own["group"] = {
        name: PartialGroup.checked(group, f"{path}, [group.{name}]").model_dump(exclude_unset=True)
        for name, group in own["group"].items()
    }
    return own


def _no_group(path: Path) -> DhyanError:
    return DhyanError(f"{path}: name at least one group of sources, as [group.NAME] with sources = [...].")


# -- lists of sources that have a name ----------------------------------------------------------------------------


def _lists(named: dict[str, Any], path: Path) -> Lists:
    for name, sources in named.items():
        if not isinstance(sources, list) or not all(isinstance(source, str) for source in sources):
            raise DhyanError(f"{path}, [sources]: {name} = {shortened(repr(sources))}: write it as a list of names.")
    return named


def _group(values: dict[str, Any], lists: Lists, where: str) -> GroupSettings:
    group = GroupSettings.checked(values, where)
    every = (source for name in group.sources for source in _expanded(name, lists, where, ()))
    expanded = list(islice(every, MOST_SOURCES + 1))
    if len(expanded) > MOST_SOURCES:
        raise DhyanError(f"{where}: its lists name more than {MOST_SOURCES:,} sources; use patterns such as ms-*.")
    return group.model_copy(update={"sources": expanded})


def _expanded(name: str, lists: Lists, where: str, came_by: tuple[str, ...]) -> Iterator[str]:
    """`@news` is every source of the list `news`; `teacher/@news` is each of them behind `teacher/`."""
    before, at, of = name.partition("@")
    if not at:
        yield name
        return
    if of not in lists:
        known = f"the lists are {', '.join(lists)}" if lists else "there is no list under [sources]"
        raise DhyanError(f"{where}: there is no list '{of}' for '{name}'{did_you_mean(of, lists)}; {known}.")
    if of in came_by:
        raise DhyanError(f"{where}: the list '{of}' is a part of itself; take '@{of}' out of it.")
    if len(came_by) == MOST_LEVELS:
        raise DhyanError(f"{where}: lists inside lists, more than {MOST_LEVELS} levels deep; name the sources.")
    for inner in lists[of]:
        for source in _expanded(inner, lists, where, (*came_by, of)):
            yield before + source
