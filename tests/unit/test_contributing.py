"""CONTRIBUTING says where things are: they must be there."""

import re
import runpy
from pathlib import Path

import pytest

from support.source import defined_in

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "dhyan"
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
SECTION = GUIDE.split("## Where is …?")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| ([^|]+) \| `([^`]+\.py)` \| `([^`]+)` \|$", SECTION, re.MULTILINE)


def test_the_table_is_read():
    assert len(ROWS) >= 12
    assert len(ROWS) == SECTION.count("\n|") - 2  # the heading and the rule below it


@pytest.mark.parametrize(("what", "file", "name"), ROWS, ids=[row[0] for row in ROWS])
def test_it_is_where_the_table_says(what, file, name):
    assert name in defined_in(SOURCE / file), what


def test_every_room_is_described():
    rooms = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert not [room for room in rooms if not re.search(rf"^\| .*`{room}`.* \|", GUIDE, re.MULTILINE)]


def test_the_picture_of_the_rooms_is_of_today():
    script = runpy.run_path(str(ROOT / "docs" / "draw_rooms.py"))
    assert script["PICTURE"].read_text(encoding="utf-8") == script["drawn"](script["imports_between_rooms"]())


def test_a_name_of_a_file_says_which_room_it_is_in():
    """A base name occurs once, or as a wrapper and its kernel, a command and what it runs, a half in NumPy."""
    shared: dict[str, list[str]] = {}
    for file in SOURCE.rglob("*.py"):
        if not file.name.startswith("__"):
            shared.setdefault(file.name, []).append(file.relative_to(SOURCE).parts[0])
    rooms = {name: sorted(found) for name, found in shared.items() if len(found) > 1}
    same_idea = {name for name, found in rooms.items() if set(found) == {"model"}}  # fast/x.py and fast/kernels/x.py
    commands = {name for name, found in rooms.items() if len(found) == 2 and "cli" in found}
    assert set(rooms) - same_idea - commands <= ALLOWED, rooms


ALLOWED = {  # each says something else in each room, and the room says what
    "settings.py",
    "terminal.py",
    "positions.py",  # of a model, and the experiment
}
