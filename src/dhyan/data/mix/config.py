"""Reading a mix: rules, which may extend another file's, and groups, whose lists of sources may have names."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.settings import Settings, notice_renamed, read_toml
from dhyan.data.mix.settings import FilterSettings, GroupSettings, Mix, NoiseSettings, NormaliseSettings

RULES: dict[str, type[Settings]] = {
    "normalise": NormaliseSettings,
    "filter": FilterSettings,
    "noise": NoiseSettings,
}
PARTS = ("extends", *RULES, "sources", "group")
OLD_PARTS = {"like": "extends", "variants": "noise"}
Lists = Mapping[str, list[str]]


def read_mix(path: Path) -> Mix:
    """Read a mix's file; whatever is wrong with it is one line that names the key."""
    values = _parts(path)
    rules = _rules(path, values, ())
    groups = values.get("group", {})
    if not isinstance(groups, dict) or not groups or not all(isinstance(group, dict) for group in groups.values()):
        raise DhyanError(f"{path}: name at least one group of sources, as [group.NAME] with sources = [...].")
    lists = _lists(rules["sources"], path)
    return Mix(
        {name: _group(group, lists, f"{path}, [group.{name}]") for name, group in groups.items()},
        NormaliseSettings(**rules["normalise"]),
        FilterSettings(**rules["filter"]),
        NoiseSettings(**rules["noise"]),
    )


def _parts(path: Path) -> dict[str, Any]:
    values = read_toml(path)
    for old, new in OLD_PARTS.items():
        if old in values and new not in values:
            notice_renamed(old, new)
            values[new] = values.pop(old)
    for key in values:
        if key not in PARTS:
            hint = did_you_mean(key, PARTS)
            raise DhyanError(f"{path}: '{key}' is not a part of a mix{hint}; its parts are {', '.join(PARTS)}.")
    return values


def _rules(path: Path, values: dict[str, Any], came_by: tuple[Path, ...]) -> dict[str, dict[str, Any]]:
    """Part → its settings: those of the file that this one extends, then its own. Groups are never shared."""
    own = {part: values.get(part, {}) for part in (*RULES, "sources")}
    for part, settings in own.items():
        if not isinstance(settings, dict):
            raise DhyanError(f"{path}: {part} = {settings!r}: write its settings under [{part}].")
        if part in RULES:
            # Checked here, where the file's name is known; an old name becomes the new one before files are merged.
            own[part] = RULES[part].checked(settings, f"{path}, [{part}]").model_dump(exclude_unset=True)
    if "extends" not in values:
        return own
    if not isinstance(values["extends"], str):
        raise DhyanError(f"{path}: extends = {values['extends']!r}: name one other mix's file.")
    other = path.parent / values["extends"]
    if other.resolve() in [file.resolve() for file in (*came_by, path)]:
        raise DhyanError(
            f"{path}: extends = {values['extends']!r} leads back to itself; one of them must stand alone."
        )
    shared = _rules(other, _parts(other), (*came_by, path))
    return {part: shared[part] | own[part] for part in own}


# -- lists of sources that have a name ----------------------------------------------------------------------------


def _lists(named: dict[str, Any], path: Path) -> Lists:
    for name, sources in named.items():
        if not isinstance(sources, list) or not all(isinstance(source, str) for source in sources):
            raise DhyanError(f"{path}, [sources]: {name} = {sources!r}: write it as a list of names.")
    return named


def _group(values: dict[str, Any], lists: Lists, where: str) -> GroupSettings:
    group = GroupSettings.checked(values, where)
    expanded = [source for name in group.sources for source in _expanded(name, lists, where, ())]
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
    for inner in lists[of]:
        for source in _expanded(inner, lists, where, (*came_by, of)):
            yield before + source
