"""Imports go one way: a room imports what stands to its right in the design, never back."""

import ast
from pathlib import Path

import dhyan

ORDER = ["cli", "server", "lab", "runtime", "explain", "training", "pack", "text", "model"]
LEVEL = {room: level for level, room in enumerate(ORDER)}
SOURCE = Path(dhyan.__file__).parent


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        found |= {name.split(".")[1] for name in names if name.startswith("dhyan.")}
    return found


def test_arrows_go_one_way():
    back = []
    for file in SOURCE.rglob("*.py"):
        room = file.relative_to(SOURCE).parts[0]
        for other in imports(file) & set(LEVEL):
            foundation = room not in LEVEL and room != "__init__.py"  # the front door leads to the runtime
            if foundation or (room in LEVEL and room != other and LEVEL[other] <= LEVEL[room]):
                back.append(f"{file.relative_to(SOURCE)} imports {other}")
    assert not back


def test_every_room_says_what_it_is_for():
    for room in LEVEL:
        text = SOURCE / room / "__init__.py"
        assert ast.get_docstring(ast.parse(text.read_text(encoding="utf-8"))), room
