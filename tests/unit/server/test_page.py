"""The page's own files: every sentence is there in Hindi, nothing points elsewhere, nothing is inline."""

import re
from pathlib import Path

import pytest

from dhyan.lab.framework.live import LIVE, shown
from dhyan.lab.framework.registry import EXPERIMENTS
from dhyan.server.app import PAGE

SCRIPTS = sorted(PAGE.rglob("*.js"))
HINDI = "".join((PAGE / "parts" / name).read_text(encoding="utf-8") for name in ("i18n-hi.js", "i18n-hi-labs.js"))
PAIRS = re.findall(r'^  (?:"((?:[^"\\]|\\.)*)"|(\w+)):\s+"([^"]+)",$', HINDI, re.MULTILINE)
KNOWN = {quoted or plain: hindi for quoted, plain, hindi in PAIRS}


def sentences():
    """What is shown: t("…"), either side of t(a ? "…" : "…"), and the titles that are passed to t later."""
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        for call in re.findall(r"\bt\(([^()]*)\)", text):
            for sentence in re.findall(r'"((?:[^"\\]|\\.)*)"', call.rpartition("===")[2]):
                yield script.name, sentence
        if script.name == "atlas.js":
            named = re.findall(
                r'^  \w+: \["([^"]+)"|\b(?:previous|next|itself|aligns|matters|broad|layer): \["([^"]+)"', text, re.M
            )
            yield from (("atlas.js", one or other) for one, other in named)
        if script.name == "bench.js":
            yield from (("bench.js", title) for title in re.findall(r'\w+: \["([A-Z][^"]+)", \w+\]', text))
        if script.name == "main.js":
            yield from (("main.js", title) for title in re.findall(r'name: "([^"]+)"', text))


def test_every_sentence_is_there_in_hindi():
    missing = sorted(
        {(file, text) for file, text in sentences() if text not in KNOWN and text not in ("decoder", "enc")}
    )
    assert not missing
    assert len(KNOWN) > 150


def test_hindi_is_hindi():
    for english, hindi in KNOWN.items():
        assert re.search("[\u0900-\u097f]", hindi) or english in ("Top-p", "Embedding × √d_model"), english


def test_what_the_experiments_say_is_there_in_hindi():
    for one in EXPERIMENTS:
        assert {one.question, one.claim, one.method} <= KNOWN.keys()
    for name, (knobs, _) in LIVE.items():
        found = shown(name)
        assert {field.description for field in knobs.model_fields.values()} <= KNOWN.keys()
        assert set(re.findall(r"{\w+}", found.sentence)) == set(re.findall(r"{\w+}", KNOWN[found.sentence]))
        headers = {
            header for table in found.tables for header in table.headers if header.isascii() and len(header) > 1
        }
        assert headers <= KNOWN.keys()


@pytest.mark.parametrize("file", [*SCRIPTS, *PAGE.glob("*.css"), PAGE / "index.html"], ids=lambda path: path.name)
def test_nothing_points_elsewhere(file: Path):
    text = file.read_text(encoding="utf-8").replace("http://www.w3.org/", "")  # names of SVG and MathML
    assert not re.search(r"https?://", text)
    assert not re.search(r"\b(eval|innerHTML|insertAdjacentHTML|document\.write)\b", text)


def test_the_page_loads_nothing_inline():
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*src=)|<style|style=|\son\w+=", text)


def test_colours_are_those_of_the_figures():
    from dhyan.explain.views.svg import PALETTE

    css = (PAGE / "style.css").read_text(encoding="utf-8")
    for role, (light, dark) in PALETTE.items():
        assert f"--{role}: {light}" in css
        assert css.count(f"--{role}: {dark}") == 2  # chosen, and as the system says
