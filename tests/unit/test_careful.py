"""docs/measured/careful.md names the tests of every promise: each is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "measured" / "careful.md"
REFERENCE = re.compile(r"`([\w/.-]+\.py)::(\w+)`")


def test_every_promise_has_a_test_that_is_there():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    promises = [line for line in lines if not line.startswith(("| promise", "|--"))]
    assert len(promises) >= 30
    without = [line for line in promises if not REFERENCE.search(line)]
    assert not without
    missing = [
        f"{file}::{name}"
        for file, name in REFERENCE.findall(PAGE.read_text(encoding="utf-8"))
        if not (ROOT / "tests" / file).is_file()
        or not re.search(rf"^def {name}\(", (ROOT / "tests" / file).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert not missing


def test_the_page_can_be_found():
    for page in ("README.md", "docs/guides/translating.md"):
        assert "careful.md" in (ROOT / page).read_text(encoding="utf-8")
