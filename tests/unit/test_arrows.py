"""Imports go one way: the rooms form a lattice, and whatever is not an arrow in it is a forbidden pair."""

import ast
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import dhyan

SOURCE = Path(dhyan.__file__).parent

# room: what it may import. `loading` is the front door, one file: a pack by name, ready to be used.
ARROWS = {
    "core": "",
    "text": "core",
    "data": "core text",
    "model": "core",
    "pack": "core text model",
    "training": "core text data model pack engines vectors translation",
    "explain": "core text model pack",
    "engines": "core text model pack explain",
    "translation": "core text data model pack explain engines",
    "vectors": "core text data model pack engines",
    "loading": "core pack engines translation vectors",
    "documents": "core text",
    "bulk": "core data model pack engines translation vectors loading",
    "evaluation": "core text data model pack engines translation vectors loading",
    "lab": "core model pack explain",
    "server": "core text pack explain engines translation vectors loading documents lab",
}
ARROWS["interchange"] = "core text model pack engines explain"
ARROWS["browser"] = "core text pack explain translation lab server"
ARROWS["api"] = "core engines training evaluation translation documents"  # dhyan.train and the like
ARROWS["cli"] = " ".join(ARROWS)  # the commands reach everything, and nothing reaches them
FORBIDDEN = [(a, b) for a, b in product(ARROWS, repeat=2) if a != b and b not in ARROWS[a].split()]


def imported_modules(file: Path) -> set[str]:
    """Those of ours, also the ones imported late or for types alone."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found |= {name for name in names if name.startswith("dhyan.")}
    return found


def room_of(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache  # when a test asks, not when tests are collected
def imports() -> dict[Path, set[str]]:
    return {file: imported_modules(file) for file in SOURCE.rglob("*.py")}


@pytest.mark.parametrize(("room", "other"), FORBIDDEN)
def test_forbidden_pairs(room, other):
    files = [file for file in imports() if room_of(file) == room]
    wrong = [
        f"{file.relative_to(SOURCE)}" for file in files if other in {name.split(".")[1] for name in imports()[file]}
    ]
    assert not wrong


def test_every_room_is_in_the_lattice():
    rooms = {room_of(file) for file in imports()} - {"__init__", "__main__", "_version"}
    assert rooms == set(ARROWS)


def test_the_model_does_not_name_its_fast_paths():
    core = (SOURCE / "model").glob("*.py")
    assert not [file.name for file in core if any("model.fast" in name for name in imports()[file])]


def test_every_room_says_what_it_is_for():
    for folder in {file.parent for file in imports()}:
        text = (folder / "__init__.py").read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), folder
