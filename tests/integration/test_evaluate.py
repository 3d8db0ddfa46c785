"""`dhyan evaluate`: packs of every shape are scored without PyTorch, alone or as users run them."""

import json

import pytest

from support.commands import dhyan
from support.packs import TEXT, random_pack

LINES = [*TEXT, "the money", "नदी का घर", "bank", "grows and grows", "2 = 2"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluate")
    random_pack(folder / "labels", "encoder", positions="rotary", max_positions=32)  # some texts are longer
    random_pack(folder / "writer", "decoder", positions="learned", max_positions=32)
    random_pack(folder / "translator", "encoder-decoder")
    rows = [f"{label}\t{text}\n" for text, label in zip(LINES, ["bad", "fine", "good"] * 3, strict=False)]
    (folder / "rows.tsv").write_text("".join(rows), encoding="utf-8")
    (folder / "pairs.tsv").write_text("".join(f"{text}\t{text}\n" for text in LINES), encoding="utf-8")
    (folder / "text.txt").write_text("\n".join(LINES), encoding="utf-8")
    (folder / "vectors").mkdir()
    for file in (folder / "labels").iterdir():
        (folder / "vectors" / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((folder / "labels" / "pack.json").read_text())
    (folder / "vectors" / "pack.json").write_text(json.dumps(manifest | {"task": "embed"}))
    return folder


def scores(place, *arguments):
    return json.loads(dhyan("evaluate", *arguments, "--json", folder=place).stdout)


@pytest.mark.parametrize(
    ("pack", "test"),
    [("labels", "rows.tsv"), ("writer", "text.txt"), ("vectors", "pairs.tsv"), ("translator", "pairs.tsv")],
)
def test_the_model_alone_and_as_it_is_used(pack, test, place):
    alone = scores(place, pack, "--test", test)
    assert scores(place, pack, "--test", test, "--device", "cpu") == alone
    if pack != "translator":  # nothing is done around these models
        assert scores(place, pack, "--test", test, "--compute", "float32") == alone
    used = scores(place, pack, "--test", test, "--compute", "int8")
    assert used.keys() - {"note"} == alone.keys() - {"note"}


def test_the_old_name_of_compute_works_and_says_the_new_one(place):
    said = dhyan("evaluate", "labels", "--test", "rows.tsv", "--runtime", "int8", "--json", folder=place)
    assert json.loads(said.stdout) == scores(place, "labels", "--test", "rows.tsv", "--compute", "int8")
    assert said.stderr.count("--compute") == 1
    assert "--runtime" not in dhyan("evaluate", "--help", folder=place).stdout


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--compute", "int4"], "it is int8 or float32"),
        (["--compute", "int"], "did you mean 'int8'?"),
        (["--device", "tpu"], "it is auto, cpu or cuda"),
        (["--device", "cuda", "--compute", "int8"], "leave --compute int8 out"),
    ],
)
def test_numbers_and_devices_that_there_are_not(flags, told, place):
    said = dhyan("evaluate", "labels", "--test", "rows.tsv", *flags, folder=place, expect=2).stderr
    assert told in said
    assert len(said.splitlines()) == 1


def test_a_bleu_of_0_for_short_texts_is_explained(place):
    (place / "short.tsv").write_text("bank\tbank\n", encoding="utf-8")
    found = scores(place, "translator", "--test", "short.tsv")
    assert found["bleu"] == 0
    assert "four words" in found["note"]
    assert "go by chrF" in dhyan("evaluate", "translator", "--test", "short.tsv", folder=place).stdout
