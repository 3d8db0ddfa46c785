"""What the tests of the packs in the package share."""

from pathlib import Path

from dhyan.pack.manifest import Manifest
from dhyan.pack.pack import BUILT_IN, CARD, open_pack

SHIPPED_TESTS = Path(__file__).parents[1] / "shipped"


def folder_of(name: str) -> Path:
    return BUILT_IN / name


def size_of(name: str) -> int:
    """Bytes of all its files."""
    return sum(file.stat().st_size for file in folder_of(name).rglob("*") if file.is_file())


def told_by(name: str) -> tuple[Manifest, str]:
    """What a pack says of itself: its manifest and its card, neither of which may tell of another machine."""
    folder = folder_of(name)
    for file in ("pack.json", CARD, "recipe.toml"):
        assert '"/' not in (folder / file).read_text(encoding="utf-8"), (
            f"{file} names a path of the machine it was made on"
        )
    card = (folder / CARD).read_text(encoding="utf-8")
    assert "TODO" not in card
    return open_pack(folder).manifest, card


def rows_of(file: str) -> list[list[str]]:
    """The rows of a test file that lies beside the tests."""
    lines = (SHIPPED_TESTS / file).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]
