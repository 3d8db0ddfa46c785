"""CONTRIBUTING says where things are: they must be there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = GUIDE.split("## Where is …?")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| ([^|]+) \| `([^`]+\.py)` \| `([^`]+)` \|$", SECTION, re.MULTILINE)


def defined_in(tree: ast.AST) -> set[str]:
    """Functions and classes, and methods as Class.method."""
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
            if isinstance(node, ast.ClassDef):
                found |= {f"{node.name}.{name}" for name in defined_in(node)}
    return found


def test_the_table_is_read():
    assert len(ROWS) >= 12


@pytest.mark.parametrize(("what", "file", "name"), ROWS, ids=[row[0] for row in ROWS])
def test_it_is_where_the_table_says(what, file, name):
    assert name in defined_in(ast.parse((ROOT / "src" / "dhyan" / file).read_text(encoding="utf-8"))), what


def test_every_room_is_described():
    rooms = {path.name for path in (ROOT / "src" / "dhyan").iterdir() if (path / "__init__.py").exists()}
    assert not [room for room in rooms if not re.search(rf"^\| .*`{room}`.* \|", GUIDE, re.MULTILINE)]


def test_the_picture_of_the_rooms_is_of_today(tmp_path):
    code = (ROOT / "docs" / "draw_rooms.py").read_text(encoding="utf-8")
    names: dict = {"__file__": str(ROOT / "docs" / "draw_rooms.py"), "__name__": "draw_rooms"}
    exec(compile(code, "draw_rooms.py", "exec"), names)
    assert (ROOT / "docs" / "rooms.svg").read_text(encoding="utf-8") == names["drawn"](
        names["imports_between_rooms"]()
    )
