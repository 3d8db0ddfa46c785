"""The lesson has both languages side by side in its own files: neither may be missing, nor be the other."""

import re

import pytest

from dhyan.explain.views.stages import CODE as CODE_SHOWN
from dhyan.lab.framework.registry import EXPERIMENTS
from dhyan.server.app import PAGE

FOLDER = PAGE / "views" / "learn"
CHAPTERS = sorted((FOLDER / "chapters").glob("*.js"))
TEXT = r"(\"(?:[^\"\\]|\\.)*\"|`[^`]*`|\{[^{}]*\})"
CODE = PAGE.parent.parent


def letters(script, text):
    inside = {"Devanagari": "[\u0900-\u097f]", "Latin": "[A-Za-z]"}[script]
    return len(re.findall(inside, re.sub(r"\$\{[^}]*\}|`[^`]*`", "", text.strip("`"))))


def is_in_both(english, hindi):
    assert letters("Latin", english) > letters("Devanagari", english), english
    assert letters("Devanagari", hindi) > letters("Latin", hindi), hindi


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_a_chapter_is_told_in_both_languages(file):
    text = file.read_text(encoding="utf-8")
    found = re.findall(r"\ben:\s*" + TEXT + r",\s*hi:\s*" + TEXT, text)
    assert len(found) == len(re.findall(r"\ben:", text)) == len(re.findall(r"\bhi:", text)) >= 6
    for english, hindi in found:
        is_in_both(english, hindi)
        # the same numbers are in both
        assert sorted(re.findall(r"\d+\.\d{3,}", english)) == sorted(re.findall(r"\d+\.\d{3,}", hindi))


def test_what_the_pictures_say_is_in_both_languages():
    found = 0
    for file in [*FOLDER.rglob("*.js"), PAGE / "views" / "learn.js"]:
        text = file.read_text(encoding="utf-8")
        calls = re.findall(r"\bsay\(\s*" + TEXT + r",\s*" + TEXT, text)
        assert len(calls) == len(re.findall(r"(?<!const )\bsay\((?!en, hi)", text)), file.name
        for english, hindi in calls:  # they are short, and formulas stay
            assert not letters("Devanagari", english), english
            assert letters("Devanagari", hindi), hindi
        found += len(calls)
    assert len(CHAPTERS) == 12
    assert found > 100


@pytest.mark.parametrize("file", CHAPTERS, ids=lambda file: file.stem)
def test_what_a_chapter_leads_to_is_there(file):
    """The code that it names; the experiments are among those of the lab."""
    text = file.read_text(encoding="utf-8")
    for path, name in re.findall(r'^    \["([^"]+\.py)", "([^"]*)"\],$', text, re.MULTILINE):
        code = (CODE / path).read_text(encoding="utf-8")
        assert all(re.search(rf"\b(?:def|class) {part}\b", code) for part in name.split(".") if part), (path, name)
    lines = re.search(r"shown: \[(.*?)\]", text)
    assert set(re.findall(r'"(\w+)"', lines[1] if lines else "")) <= CODE_SHOWN.keys()
    named = re.search(r"labs: \[(.*?)\]", text)[1]
    assert set(re.findall(r'"([^"]+)"', named)) <= {one.name for one in EXPERIMENTS}
