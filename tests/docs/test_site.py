"""The documentation as a site: it builds without a warning, agrees with the program, and fetches nothing."""

import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import typer

from dhyan.cli.app import app
from dhyan.core.settings import flat_fields
from dhyan.training.recipe import Recipe

pytest.importorskip("mkdocs", reason="the site is built with the extra docs")

ROOT = Path(__file__).parents[2]
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr  # a dead link, a missing anchor, a page in no menu
    return out


class Fetched(HTMLParser):
    """What a browser would fetch for a page by itself; links that a reader may follow are not among it."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        if tag in LOADED:
            self.found.append(dict(attributes).get(LOADED[tag]) or "")


@pytest.mark.slow
def test_nothing_is_fetched_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    for page in pages:
        parser = Fetched()
        parser.feed(page.read_text(encoding="utf-8"))
        assert parser.found
        assert not [address for address in parser.found if re.match(r"(https?:)?//", address)], page
    for style in site.rglob("*.css"):
        assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.mark.slow
def test_the_reference_has_every_command_setting_and_address(site):
    def text(name):
        return (site / "reference" / f"{name}.html").read_text(encoding="utf-8")

    commands = text("commands")
    for name, command in typer.main.get_command(app).commands.items():
        assert f"dhyan {name}" in commands, name
        for option in command.params:
            if option.param_type_name == "option" and not option.hidden:
                assert f">{option.opts[0]}<" in commands, option.opts
    assert not [name for _, name, _ in flat_fields(Recipe) if f">{name}<" not in text("recipes")]
    assert ">no_apostrophes<" in text("mixes")
    assert ">max_texts<" in text("server-settings")
    assert "/api/v1/translate" in text("http")
    assert "POST /translate" in text("http")


@pytest.mark.slow
def test_errors_are_those_of_the_source(site):
    page = (site / "reference" / "errors.html").read_text(encoding="utf-8")
    assert "there is no pack to serve: train one with" in page
    assert page.count("<tr>") > 300


@pytest.mark.slow
def test_code_of_the_concepts_is_that_of_the_source(site):
    page = (site / "concepts" / "self-attention.html").read_text(encoding="utf-8")
    assert 'def</span><span class="w"> </span><span class="nf">attention_without_parameters' in page
    assert "<math" in page
    assert 'lang="hi"' in (site / "hi" / "index.html").read_text(encoding="utf-8")[:400]


def test_a_name_that_is_gone_stops_the_build():
    source_of = runpy.run_path(str(ROOT / "docs" / "hooks" / "code_by_name.py"))["source_of"]
    formulas = ROOT / "src" / "dhyan" / "explain" / "formulas.py"
    first, text = source_of(formulas, "softmax")
    assert text.startswith("def softmax(")
    assert formulas.read_text(encoding="utf-8").splitlines()[first - 1] == text.splitlines()[0]
    with pytest.raises(LookupError, match="defines no softmaxx"):
        source_of(formulas, "softmaxx")
