"""Packs that others publish as Python packages: after `pip install dhyan-pack-xyz`, xyz is called by its name.

A package says so by an entry point: its name is the pack's, its value the module whose folder is the pack. To find
that folder nothing is imported, so nothing of the package runs.
"""

import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

GROUP = "dhyan.packs"


@dataclass(frozen=True)
class PublishedPack:
    """What a package says that it has; whether a pack lies there is not checked yet."""

    name: str
    folder: Path
    package: str  # its name and version


def published_packs() -> tuple[PublishedPack, ...]:
    """In the order of the packages' names: of two packs with one name, the first is meant."""
    return _found(tuple((place, _changed(place)) for place in sys.path))


def _changed(place: str) -> int:
    try:
        return Path(place or ".").stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=1)
def _found(state: tuple[tuple[str, int], ...]) -> tuple[PublishedPack, ...]:
    """It takes a hundredth of a second to look into every package: done again only when one has come or gone."""
    from importlib.metadata import entry_points  # slow to import: only where a name is not known otherwise

    found = []
    for point in entry_points(group=GROUP):
        if point.dist is None:
            continue
        for folder in _folders(point.value.partition(":")[0].strip()):
            found.append(PublishedPack(point.name, folder, f"{point.dist.name} {point.dist.version}"))
    return tuple(sorted(found, key=lambda one: (one.package, one.name)))


def _folders(module: str) -> list[Path]:
    """Only the first part is asked for: to find `a.b`, Python would import `a`."""
    first, *rest = module.split(".")
    try:
        spec = find_spec(first)
    except (ImportError, ValueError):
        return []
    places = spec.submodule_search_locations if spec else None
    return [Path(place, *rest) for place in places or ()]
