"""The recipes of the encoders and of the writer: right, small enough to ship, and learning from no test."""

import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from dhyan.model.architecture import Architecture
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.training.auto_config import draft
from dhyan.training.recipe import read_recipe

RECIPES = Path(__file__).parents[2] / "recipes"
BENCH = {
    "stsb/valid.tsv": "2\tA cat sleeps on a mat.\tA dog barks.\n",
    "stsb/test.tsv": "5\tA boy eats some rice.\tThe boy is eating.\n1\tIt rains a lot.\tSnow falls.\n",
    "captions/train.tsv": "a boy eats some rice\ta child has a meal\ta kid at the table\nIt is red.\tIs it red?\n",
    "imdb/train.tsv": "positive\tI liked it.<br /><br />It is a warm film.\n",
    "coarsewsd20/train.tsv": "bank\tshore\t2\tthe river bank flows\n",
    "sst2/train.tsv": "positive\ta stirring , funny film\n",
}
REVIEW = "I liked it. It is a warm film."
PAIRS = (
    "Cancel saving the file?\tफ़ाइल सहेजना रद्द करें?\tdebian-catalogues\n"
    "Thank you very much\tआपका बहुत धन्यवाद\tx\nMany thanks to you\tआपका बहुत धन्यवाद\tx\nSnow falls.\tबर्फ गिरती है\tx\n"
)


FOLDERS = ("english", "sentiment", "shakespeare", "writer")


@pytest.mark.parametrize("file", [file for name in FOLDERS for file in RECIPES.glob(f"{name}/*.toml")], ids=str)
def test_every_recipe_is_right(file):
    values = read_recipe(file)
    values["out"] = Path("pack")
    assert draft(values, str(file)).training.objective != "translation"


@pytest.mark.parametrize(
    ("file", "shape", "megabytes"),
    [("english/masked", "encoder", 11), ("sentiment/masked", "encoder", 6), ("writer/recipe", "decoder", 6)],
)
def test_the_packs_are_small_enough_to_ship(file, shape, megabytes):
    values = read_recipe(RECIPES / f"{file}.toml")
    vocabulary = values["text"]["vocabulary"]
    side = {"source_vocabulary" if shape == "encoder" else "target_vocabulary": vocabulary}
    architecture = Architecture(**values["model"], shape=shape, masked_head=shape == "encoder", **side)
    stored = parameter_count(architecture) + 70 * vocabulary  # a byte a weight; a line of JSON a piece
    assert stored < megabytes * 1_000_000


def test_nothing_is_learnt_from_what_is_judged(tmp_path):
    for name, text in BENCH.items():
        file = tmp_path / "bench" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name(f"{file.name}.xz").write_bytes(lzma.compress(text.encode()))
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    script = RECIPES / "english" / "texts.py"
    subprocess.run([sys.executable, script, "bench", "pairs.tsv", "."], cwd=tmp_path, check=True)
    lines = {
        name: (tmp_path / name).read_text(encoding="utf-8").splitlines()
        for name in ("text.txt", "paraphrases.tsv", "stsb-valid.tsv", "stsb-test.tsv", "stsb-leaked.tsv")
    }
    assert lines["text.txt"] == [
        "Thank you very much",
        "Many thanks to you",
        REVIEW,
        "the river bank flows",
        "a child has a meal",
        "a kid at the table",
        "It is red.",
        "Is it red?",
        "a stirring , funny film",
    ]
    assert lines["paraphrases.tsv"] == [
        "a child has a meal\ta kid at the table",
        "It is red.\tIs it red?",
        "Thank you very much\tMany thanks to you",
    ]
    assert (tmp_path / "twins.tsv").read_text(encoding="utf-8") == f"{REVIEW}\t{REVIEW}\n"
    assert lines["stsb-leaked.tsv"] == ["5\tA boy eats some rice.\tThe boy is eating."]
    assert lines["stsb-test.tsv"] == ["1\tIt rains a lot.\tSnow falls."]
    assert lines["stsb-valid.tsv"] == ["2\tA cat sleeps on a mat.\tA dog barks."]


def test_reviews_are_cut_into_equal_pieces_and_none_of_them_is_on_both_sides(tmp_path):
    long = " ".join(f"w{number}" for number in range(800))
    rows = [f"{'positive' if number % 2 else 'negative'}\t{number} good<br />film" for number in range(1, 50)]
    (tmp_path / "train.tsv").write_text("\n".join([*rows, f"negative\t{long}"]) + "\n", encoding="utf-8")
    script = RECIPES / "sentiment" / "reviews.py"
    subprocess.run([sys.executable, script, "train.tsv", "."], cwd=tmp_path, check=True)
    train, valid = (
        (tmp_path / f"imdb-{split}.tsv").read_text(encoding="utf-8").splitlines() for split in ("train", "valid")
    )
    assert train[0] == "positive\t1 good film"
    assert len(train) == 48
    assert valid[0] == "positive\t25 good film"
    pieces = [row.split("\t")[1].split() for row in valid[1:]]
    assert [len(piece) for piece in pieces] == [266, 267, 267]
    assert " ".join(word for piece in pieces for word in piece) == long


def test_texts_on_open_terms_have_paraphrases_and_nothing_that_is_judged(tmp_path):
    (tmp_path / "stsb").mkdir()
    for split in ("valid", "test"):
        (tmp_path / f"stsb/{split}.tsv.xz").write_bytes(lzma.compress(BENCH[f"stsb/{split}.tsv"].encode()))
    (tmp_path / "pairs.tsv").write_text(f"{PAIRS}The old bridge is closed.\tपुराना पुल बंद है\tx\n", encoding="utf-8")
    (tmp_path / "english.tsv").write_text("It rains in the hills.\t\tenglish-news\n", encoding="utf-8")
    back = "The old bridge has been shut.\tपुराना पुल बंद है\thi-en/x\t-0.3\t-0.5\n"
    unsure = "A bridge of age is off.\tपुराना पुल बंद है\thi-en/x\t-1.9\t-0.5\n"
    (tmp_path / "back.tsv").write_text(back + unsure, encoding="utf-8")
    script = RECIPES / "english" / "open_texts.py"
    files = ["pairs.tsv", "english.tsv", "back.tsv", "stsb", "."]
    subprocess.run([sys.executable, script, *files], cwd=tmp_path, check=True)
    assert (tmp_path / "text.txt").read_text(encoding="utf-8").splitlines() == [
        "Thank you very much",
        "Many thanks to you",
        "The old bridge is closed.",
        "It rains in the hills.",
    ]
    assert (tmp_path / "paraphrases.tsv").read_text(encoding="utf-8").splitlines() == [
        "Thank you very much\tMany thanks to you",
        "The old bridge is closed.\tThe old bridge has been shut.",
    ]
