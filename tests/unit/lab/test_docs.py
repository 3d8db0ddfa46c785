"""What is written about the experiments: a page for each, links that lead somewhere, the notes covered."""

import re
from pathlib import Path

import pytest

from dhyan.lab.framework.registry import EXPERIMENTS
from support.source import defined_in

DOCS = Path(__file__).parents[3] / "docs"
PAGES = [DOCS / "notes.md", *sorted((DOCS / "lab").glob("*.md"))]
VERDICTS = ("held in part", "did not hold", "held")


@pytest.mark.parametrize("one", EXPERIMENTS, ids=lambda one: one.name)
def test_every_experiment_has_a_page_with_its_command_result_and_plot(one):
    text = (DOCS / "lab" / f"{one.name}.md").read_text(encoding="utf-8")
    assert f"dhyan lab {one.name}" in text
    assert any(verdict in text for verdict in VERDICTS)
    assert "|---" in text
    assert ".svg)" in text
    for index in (DOCS / "notes.md", DOCS / "lab" / "README.md"):
        assert f"{one.name}.md)" in index.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_what_the_notes_name_is_defined_in_the_file_they_name():
    """`causal` in [model/attention.py](…): the name must be in that file, not only the file exist."""
    text = (DOCS / "notes.md").read_text(encoding="utf-8")
    named = re.findall(r"((?:`[\w.]+`(?:, )?)+) in \[[^\]]+\]\(([^)]+\.py)\)", text)
    assert len(named) >= 15
    for names, target in named:
        missing = set(re.findall(r"`([\w.]+)`", names)) - defined_in((DOCS / target).resolve())
        assert not missing, (target, missing)


def test_every_chapter_of_the_notes_is_there():
    chapters = re.findall(r"^## (\d+)\.", (DOCS / "notes.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert chapters == [str(number) for number in range(1, 11)]
