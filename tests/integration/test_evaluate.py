"""`dhyan evaluate --compute`: what classifies and what writes is scored by the light engine, as users have it."""

import json

import pytest

from support.commands import dhyan
from support.packs import TEXT, random_pack

LINES = [*TEXT, "the money", "नदी का घर", "bank", "grows and grows", "2 = 2"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runtime")
    random_pack(folder / "labels", "encoder", positions="rotary", max_positions=32)  # some texts are longer
    random_pack(folder / "writer", "decoder", positions="learned", max_positions=32)
    rows = [f"{label}\t{text}\n" for text, label in zip(LINES, ["bad", "fine", "good"] * 3, strict=False)]
    (folder / "rows.tsv").write_text("".join(rows), encoding="utf-8")
    (folder / "text.txt").write_text("\n".join(LINES), encoding="utf-8")
    (folder / "vectors").mkdir()
    for file in (folder / "labels").iterdir():
        (folder / "vectors" / file.name).write_bytes(file.read_bytes())
    manifest = json.loads((folder / "labels" / "pack.json").read_text())
    (folder / "vectors" / "pack.json").write_text(json.dumps(manifest | {"task": "embed"}))
    return folder


def scores(place, *arguments):
    return json.loads(dhyan("evaluate", *arguments, "--json", folder=place).stdout)


def test_labels_are_those_of_pytorch(place):
    flags = ["labels", "--test", "rows.tsv", "--output"]
    plain, light = scores(place, *flags, "plain"), scores(place, *flags, "light", "--compute", "float32")
    assert plain == light
    assert (place / "plain").read_text() == (place / "light").read_text()
    assert scores(place, *flags, "small", "--compute", "int8")["rows"] == len(LINES)


def test_a_writer_is_as_surprised_as_in_pytorch(place):
    text = (place / "text.txt").read_text(encoding="utf-8")
    plain = scores(place, "writer", "--test", "text.txt")
    light = scores(place, "writer", "--test", "text.txt", "--compute", "float32")
    assert plain["tokens"] == light["tokens"] > len(text) / 2
    assert (plain["window"], light["window"]) == (32, 31)
    assert light["loss"] == pytest.approx(plain["loss"], rel=0.03)  # other windows begin at other places
    (place / "short.txt").write_text("the bank grows", encoding="utf-8")  # one window in both
    plain, light = (scores(place, "writer", "--test", "short.txt", *some) for some in ([], ["--compute", "float32"]))
    assert light["loss"] == pytest.approx(plain["loss"], rel=1e-4)
    assert light["bits_per_character"] == pytest.approx(plain["bits_per_character"], rel=1e-4)


def test_vectors_need_something_to_be_judged_by(place):
    told = dhyan("evaluate", "vectors", "--test", "rows.tsv", "--compute", "int8", folder=place, expect=2).stderr
    assert len(told.splitlines()) == 1
    assert "--task" in told


def test_a_kind_of_numbers_that_there_is_not(place):
    told = dhyan("evaluate", "labels", "--test", "rows.tsv", "--compute", "int4", folder=place, expect=2).stderr
    assert "int8 or float32" in told
