"""Every command of every page: it exists with its flags; and unless a mark says why not, it is run as it stands."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from dhyan.cli.app import app
from dhyan.pack.pack import known_packs
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from support.commands import ENVIRONMENT, dhyan
from support.documentation_files import make_packs, write_files
from support.markdown_commands import ROOT, blocks_of, commands_of, dhyan_calls, pages, plain_words
from support.serving import running

COMMAND = typer.main.get_command(app)
MARKS = {"", "not run", "with", "server", "file"}
RUNS = {"bash", "python"}
# Pages whose commands are run by a test of their own, which also looks at what they give.
ELSEWHERE = {"docs/guides/explain.md": "tests/integration/test_explain_commands.py"}


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


WITH_SMALL_EN_HI = {"docs/guides/fine-tuning.md"}  # one of the reader's own goes before the one that ships


PAGES = {named(page): blocks_of(page) for page in pages()}
RUN = [
    name
    for name, blocks in PAGES.items()
    if name not in ELSEWHERE
    and not name.startswith("docs/hi/")
    and any(one.language in RUNS and one.mark not in ("not run", "file") for one in blocks)
]


def test_the_pages_are_read():
    commands = [
        line for blocks in PAGES.values() for one in blocks if one.language == "bash" for line in commands_of(one)
    ]
    assert len(commands) > 150
    assert len(RUN) > 25
    assert not {one.mark for blocks in PAGES.values() for one in blocks} - MARKS
    assert all((ROOT / test).exists() for test in ELSEWHERE.values())


def test_no_command_hides_in_a_block_that_is_neither_run_nor_marked():
    hidden = [
        f"{name}:{one.line}"
        for name, blocks in PAGES.items()
        for one in blocks
        if one.language in ("", "sh", "console") and re.search(r"^\s*(dhyan|curl|python) ", one.text, re.M)
    ]
    assert not hidden


@pytest.mark.parametrize("name", PAGES)
def test_every_command_and_every_flag_is_one_that_exists(name):
    """Nothing is run: the words go through the command line's own parser, which knows every flag and its kind."""
    for block in PAGES[name]:
        for line in commands_of(block) if block.language == "bash" else []:
            for words in dhyan_calls(line):
                command, rest = COMMAND, words
                while hasattr(command, "commands") and rest and rest[0] in command.commands:
                    command, rest = command.commands[rest[0]], rest[1:]
                if command is COMMAND:  # dhyan itself, which must have these options
                    assert rest[0].startswith("--"), line
                if not hasattr(command, "commands"):
                    with command.make_context(words[0], list(rest)):
                        pass


@pytest.mark.parametrize("name", [name for name in PAGES if name.startswith("docs/hi/")])
def test_hindi_pages_have_the_commands_of_the_english_ones(name):
    """Which are run; so these need not be run once more."""
    there = ROOT / ("docs/index.md" if name.endswith("index.md") else name.replace("docs/hi/", "docs/start/"))
    english = [line for block in PAGES[named(there)] for line in commands_of(block) if block.language == "bash"]
    hindi = [line for block in PAGES[name] for line in commands_of(block) if block.language == "bash"]
    assert hindi
    assert not set(hindi) - set(english)


@pytest.fixture(scope="module")
def server():
    with running(create_app(ServedPacks(known_packs()))) as address:
        yield address


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    make_packs(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_the_page_runs_as_it_stands(name, tmp_path_factory, monkeypatch, request):
    folder = tmp_path_factory.mktemp("page")
    if not name.startswith(("README", "docs/start", "docs/hi", "docs/concepts")):  # those bring their own files along
        write_files(folder, request.getfixturevalue("packs"))
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "DHYAN_HOME": str(folder / "home"),
        "DHYAN_CACHE": str(tmp_path_factory.getbasetemp() / "documentation-cache"),  # a pack is converted once
        "CURL_HOME": str(folder),
        "OMP_NUM_THREADS": "1",
        "COLUMNS": "200",
    }
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
        monkeypatch.setitem(ENVIRONMENT, variable, value)
    if name in WITH_SMALL_EN_HI:
        shutil.copytree(folder / "my-pack", folder / "home" / "packs" / "en-hi")
    (folder / ".curlrc").write_text("fail\n", encoding="utf-8")  # an answer that refuses is a failure
    for block in PAGES[name]:
        if block.mark == "file":
            (folder / block.told).write_text(block.text, encoding="utf-8")
    for block in PAGES[name]:
        if block.language in RUNS and block.mark not in ("not run", "file"):
            text = block.text
            if block.mark == "server":
                address = request.getfixturevalue("server")
                text = re.sub(r"(http://)?(127\.0\.0\.1|localhost):8080", address, text)
            printed = run_block(block, text, folder)
            shown(block.prints, printed, f"{name}:{block.line}")


def run_block(block, text, folder):
    """What the block prints. A command that needs no shell gets a process that has imported everything already."""
    if block.language == "python":
        return run([sys.executable, "-c", text], folder)
    block.text = text
    printed = []
    for line in commands_of(block):
        for words in dhyan_calls(line):
            make_room(words, folder)
        added = shlex.split(block.told) if block.mark == "with" else []
        words = plain_words(line)
        if words and words[0] == "dhyan":
            words += added if words[1] == "train" else []
            printed.append(dhyan(*words[1:], folder=folder).stdout)
        else:
            printed.append(run(["bash", "-euo", "pipefail", "-c", line], folder))
    return "".join(printed)


OUT = ("-o", "--out", "--output", "--side-by-side", "--html", "--figure", "--map")


def make_room(words, folder):
    """What a page writes a second time under the same name, its reader would have moved away."""
    targets = [after for flag, after in pairwise(words) if flag in OUT]
    targets += [f"{target}.training" for target in targets]
    targets += [word for word in words[1:] if words[0] in ("export", "site") and word.startswith("out")]
    for target in targets:
        place = folder / target
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def shown(expected, printed, where):
    """Every line that the page shows was printed, in this order; what is between them may be left out on the page."""
    lines = iter([" ".join(line.split()) for line in printed.splitlines()])
    for line in expected.splitlines():
        if wanted := " ".join(line.split()):
            assert any(wanted == one for one in lines), f"{where}: {wanted!r} is not in\n{printed}"
