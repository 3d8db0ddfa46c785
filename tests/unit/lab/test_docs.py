"""What is written about the experiments: a page for each, links that lead somewhere, the notes covered."""

import re
from pathlib import Path

import pytest

from dhyan.lab.framework.registry import EXPERIMENTS
from support.source import defined_in

DOCS = Path(__file__).parents[3] / "docs"
CHAPTERS = sorted((DOCS / "concepts").glob("*.md"))
PAGES = [*CHAPTERS, *sorted((DOCS / "measured" / "lab").glob("*.md"))]
VERDICTS = ("held in part", "did not hold", "held")


@pytest.mark.parametrize("one", EXPERIMENTS, ids=lambda one: one.name)
def test_every_experiment_has_a_page_with_its_command_result_and_plot(one):
    text = (DOCS / "measured" / "lab" / f"{one.name}.md").read_text(encoding="utf-8")
    assert f"dhyan lab {one.name}" in text
    assert any(verdict in text for verdict in VERDICTS)
    assert "|---" in text
    assert ".svg)" in text
    for index in (DOCS / "concepts" / "index.md", DOCS / "measured" / "lab" / "README.md"):
        assert f"{one.name}.md)" in index.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_what_the_notes_name_is_defined_in_the_file_they_name():
    """`causal` in [model/attention.py](…): the name must be in that file, not only the file exist."""
    text = "".join(page.read_text(encoding="utf-8") for page in CHAPTERS)
    named = re.findall(r"((?:`[\w.]+`(?:, )?)+) in \[[^\]]+\]\(([^)]+\.py)\)", text)
    named += re.findall(r"^\[(`[\w.]+`)\]\(([^)\s]+\.py) \"code\"\)$", text, re.MULTILINE)
    assert len(named) >= 15
    for names, target in named:
        missing = set(re.findall(r"`([\w.]+)`", names)) - defined_in((DOCS / "concepts" / target).resolve())
        assert not missing, (target, missing)


def test_every_chapter_of_the_notes_is_there():
    texts = [page.read_text(encoding="utf-8") for page in CHAPTERS if page.stem != "index"]
    assert sorted(int(text.split(".")[0].removeprefix("# ")) for text in texts) == list(range(1, 11))
    for part in ("**The claim.**", "$$", '.py "code")', "![", "**The number.**", "## See it yourself", "```bash"):
        assert not [text.splitlines()[0] for text in texts if part not in text], part
