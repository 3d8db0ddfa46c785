"""The recipes of the English encoder and of sentiment: right, small enough to ship, and learning from no test."""

import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from dhyan.model.architecture import Architecture, parameter_count
from dhyan.training.recipe import read_recipe
from dhyan.training.sizing import draft

RECIPES = Path(__file__).parents[2] / "recipes"
BENCH = {
    "stsb/valid.tsv": "2\tA cat sleeps on a mat.\tA dog barks.\n",
    "stsb/test.tsv": "5\tA boy eats some rice.\tThe boy is eating.\n1\tIt rains a lot.\tSnow falls.\n",
    "captions/train.tsv": "a boy eats some rice\ta child has a meal\ta kid at the table\nIt is red.\tIs it red?\n",
    "imdb/train.tsv": "positive\tI liked it.<br /><br />It is a warm film.\n",
    "coarsewsd20/train.tsv": "bank\tshore\t2\tthe river bank flows\n",
    "sst2/train.tsv": "positive\ta stirring , funny film\n",
}
PAIRS = (
    "Thank you very much\tआपका बहुत धन्यवाद\tx\nMany thanks to you\tआपका बहुत धन्यवाद\tx\nSnow falls.\tबर्फ गिरती है\tx\n"
)


@pytest.mark.parametrize("file", [*RECIPES.glob("english/*.toml"), *RECIPES.glob("sentiment/*.toml")], ids=str)
def test_every_recipe_is_right(file):
    values = read_recipe(file)
    values["out"] = Path("pack")
    assert draft(values, str(file)).training.objective in ("masked", "contrastive", "classification")


@pytest.mark.parametrize(("name", "megabytes"), [("english", 15), ("sentiment", 6)])
def test_the_packs_are_small_enough_to_ship(name, megabytes):
    values = read_recipe(RECIPES / name / "masked.toml")
    vocabulary = values["text"]["vocabulary"]
    architecture = Architecture(**values["model"], shape="encoder", source_vocabulary=vocabulary, masked_head=True)
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
        for name in ("text.txt", "paraphrases.tsv", "stsb-test.tsv", "stsb-leaked.tsv")
    }
    assert lines["text.txt"] == [
        "Thank you very much",
        "Many thanks to you",
        "I liked it. It is a warm film.",
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
    assert lines["stsb-leaked.tsv"] == ["5\tA boy eats some rice.\tThe boy is eating."]
    assert lines["stsb-test.tsv"] == ["1\tIt rains a lot.\tSnow falls."]
