"""The packs that can be called by name. It imports next to nothing: a shell that completes a name does not wait."""

from pathlib import Path

from dhyan.core.errors import DhyanError, did_you_mean
from dhyan.core.paths import user_packs
from dhyan.pack.published_packs import published_packs

BUILT_IN = Path(__file__).parent.parent / "packs"  # those that come with Dhyan
MANIFEST = "pack.json"


def known_packs() -> dict[str, Path]:
    """Name → folder, by name. Of one name, the user's own is taken, then a built-in one, then a package's."""
    published = reversed([one for one in published_packs() if (one.folder / MANIFEST).is_file()])
    found = {one.name: one.folder for one in published} | _built_in_and_own()
    return dict(sorted(found.items()))


def _built_in_and_own() -> dict[str, Path]:
    return {
        manifest.parent.name: manifest.parent
        for folder in (BUILT_IN, user_packs())
        for manifest in folder.glob(f"*/{MANIFEST}")
        if not manifest.parent.name.startswith(".")  # one that is being written
    }


def find_pack(name: str | Path) -> Path:
    """The folder of a pack, given its path or its name."""
    path = Path(name)
    if (path / MANIFEST).is_file():
        return path
    if nearest := _built_in_and_own().get(str(name)):
        return nearest
    known = known_packs()
    if str(name) in known:
        return known[str(name)]
    if path.exists():
        return path
    beside = [manifest.parent.name for manifest in path.parent.glob(f"*/{MANIFEST}")] if path.parent.is_dir() else []
    hint = did_you_mean(path.name, [*known, *beside])
    have = f"; there are {', '.join(known)}" if known else ""
    raise DhyanError(f"there is no pack '{name}'{hint}{have}; train one with `dhyan train`, or name its folder.")
