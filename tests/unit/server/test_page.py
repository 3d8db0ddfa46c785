"""The page's own files: every sentence is there in Hindi, nothing points elsewhere, nothing is inline."""

import re
from pathlib import Path

import pytest

from dhyan.explain.explainer import Explainer
from dhyan.explain.views.stages import CODE, Where, stages
from dhyan.lab.framework.live import LIVE, run_live
from dhyan.lab.framework.registry import EXPERIMENTS
from dhyan.server.app import PAGE
from support.packs import random_pack

SCRIPTS = sorted(PAGE.rglob("*.js"))
HINDI = "".join(script.read_text(encoding="utf-8") for script in PAGE.glob("parts/i18n-hi*.js"))
PAIRS = re.findall(r'^  (?:"((?:[^"\\]|\\.)*)"|(\w+)):\s+"([^"]+)",$', HINDI, re.MULTILINE)
KNOWN = {quoted or plain: hindi for quoted, plain, hindi in PAIRS}


def sentences():
    """Every string that is passed to t(…), either side of t(a ? "…" : "…"), or marked by key(…) for a later t."""
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        for call in re.finditer(r"\b(?:t|key)\(", text):
            inside = text[call.end() : closing(text, call.end())]
            compared = re.sub(r'[=!]==\s*"[^"]*"', "", inside)  # what a condition looks at is not shown
            yield from ((script.name, one) for one in re.findall(r'"((?:[^"\\]|\\.)*)"', compared))


def closing(text, begin):
    """Where the bracket that was opened just before `begin` is closed."""
    depth = 1
    for index in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    return len(text)


def test_every_sentence_is_there_in_hindi():
    found = set(sentences())
    assert not sorted((file, text) for file, text in found if text not in KNOWN)
    assert len({text for _, text in found}) > 150
    assert {"Follow one token", "matters most", "Alignment", "Dark"} <= {text for _, text in found}


@pytest.mark.parametrize("options", [{}, {"positions": "rotary", "norm": "post"}, {"positions": "learned"}])
@pytest.mark.parametrize("shape", ["encoder-decoder", "encoder", "decoder"])
def test_every_card_of_the_walk_is_there_in_hindi(shape, options, tmp_path):
    explanation = Explainer(random_pack(tmp_path / "pack", shape, **options)).explain("the river bank")
    cards = list(stages(explanation, Where(token=1, head=1)))
    assert len(cards) > 15
    assert {said for card in cards for said in (card.title, card.note)} - {""} <= KNOWN.keys()
    for card in cards:
        assert card.code in CODE
        for address in filter(None, (card.address, card.array)):
            assert address in explanation
        if card.address:
            assert explanation[card.address].ndim == 0


def test_hindi_is_hindi():
    for english, hindi in KNOWN.items():
        assert re.search("[\u0900-\u097f]", hindi) or english in ("Top-p", "Embedding × √d_model"), english


def test_what_the_experiments_say_is_there_in_hindi():
    for one in EXPERIMENTS:
        assert {one.question, one.claim, one.method} <= KNOWN.keys()
    for name, (knobs, _) in LIVE.items():
        found = run_live(name)
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
    from dhyan.core.svg import PALETTE

    css = (PAGE / "style.css").read_text(encoding="utf-8")
    for role, (light, dark) in PALETTE.items():
        assert f"--{role}: {light}" in css
        assert css.count(f"--{role}: {dark}") == 2  # chosen, and as the system says


def test_views_do_not_take_each_others_classes():
    """All style sheets are there in every view: a class that two of them lay out would look like both."""
    owners: dict[str, set[str]] = {}
    for sheet in PAGE.glob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
        for selector in re.findall(r"([^{}]+){", text):
            for name in re.findall(r"(?:^|,)\s*\.([\w-]+)\s*(?=,|$)", selector):
                owners.setdefault(name, set()).add(sheet.name)
    owners.pop("workbench")  # the flow picture takes its whole width
    shared = {name: sheets - {"style.css"} for name, sheets in owners.items()}
    assert not {name: sheets for name, sheets in shared.items() if len(sheets) > 1}
