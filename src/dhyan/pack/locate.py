"""Packs by name: those that come with Dhyan, those in the user's own folder, and any folder that is named."""

from pathlib import Path

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.paths import user_packs
from dhyan.pack.pack import MANIFEST

BUILT_IN = Path(__file__).parent.parent / "packs"


def known_packs() -> dict[str, Path]:
    """Name → folder, by name. The user's own pack goes before a built-in one of the same name."""
    found = {
        manifest.parent.name: manifest.parent
        for place in (BUILT_IN, user_packs())
        for manifest in place.glob(f"*/{MANIFEST}")
    }
    return dict(sorted(found.items()))


def find_pack(name: str | Path) -> Path:
    """The folder of a pack, given its path or its name."""
    path = Path(name)
    known = known_packs()
    if (path / MANIFEST).is_file() or (path.exists() and str(name) not in known):
        return path
    if str(name) in known:
        return known[str(name)]
    beside = [manifest.parent.name for manifest in path.parent.glob(f"*/{MANIFEST}")] if path.parent.is_dir() else []
    hint = did_you_mean(path.name, [*known, *beside])
    have = f"; there are {', '.join(known)}" if known else ""
    raise DhyanError(f"there is no pack '{name}'{hint}{have}; train one with `dhyan train`, or name its folder.")
