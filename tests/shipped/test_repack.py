"""`dhyan repack`: a pack made ready for others keeps what it knew and says what it is told."""

import json

import numpy as np
import pytest

from dhyan.pack.pack import read_pack
from support.commands import dhyan
from support.packs import random_pack

SCORES = {
    "pack": "somewhere/mine",
    "task": "translate",
    "bleu": 30.125,
    "chrf++": 53.5,
    "signatures": {"bleu": "nrefs:1|case:mixed", "chrf++": "nrefs:1|nw:2"},
}
NOTES = "## Data\n\n| source | terms |\n|---|---|\n| नदी | CC BY 4.0 |\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repack")
    random_pack(folder / "mine", "encoder-decoder")
    (folder / "mine" / "recipe.toml").write_text('task = "translate"\n')
    (folder / "scores.json").write_text(json.dumps(SCORES))
    (folder / "notes.md").write_text(NOTES, encoding="utf-8")
    (folder / "list.json").write_text("[1]")
    flags = [
        "--storage",
        "int8",
        "--licence",
        "CC BY 4.0",
        "--beam",
        "2",
        "--length-penalty",
        "0.8",
        "--length-offset",
        "3",
    ]
    flags += ["--temperature", "0.7"]
    flags += ["--scores", "a test = of ours=scores.json", "--card", "notes.md"]
    dhyan("repack", "mine", "out/small", *flags, folder=folder)
    return folder


def test_it_is_what_it_was_told_to_be(place):
    small, mine = read_pack(place / "out" / "small"), read_pack(place / "mine")
    manifest = small.manifest
    assert (manifest.name, manifest.storage, manifest.licence) == ("small", "int8", "CC BY 4.0")
    decoding = manifest.decoding
    assert (decoding.beam, decoding.length_penalty, decoding.length_offset, decoding.temperature) == (2, 0.8, 3, 0.7)
    assert manifest.metrics == {"a test = of ours": {k: v for k, v in SCORES.items() if k not in ("pack", "task")}}
    assert manifest.architecture == mine.manifest.architecture
    assert (small.folder / "recipe.toml").read_text() == 'task = "translate"\n'
    for name, weight in mine.weights.items():
        np.testing.assert_allclose(small.weights[name], weight, atol=float(np.abs(weight).max()) / 127)
    weights = "model.safetensors"
    assert (small.folder / weights).stat().st_size < (mine.folder / weights).stat().st_size / 2


def test_its_card_has_the_makers_part_and_each_signature_once(place):
    card = (place / "out" / "small" / "README.md").read_text(encoding="utf-8")
    for words in (
        "# small\n",
        "| a test = of ours | bleu 30.12, chrf++ 53.5 |",
        "| licence | CC BY 4.0 |",
        NOTES.strip(),
    ):
        assert words in card
    assert card.count("- bleu: `nrefs:1|case:mixed`") == 1


def test_repacked_again_it_stays_the_same(place):
    """int8 numbers come back as they were, so a pack may be measured first and get its scores and card after."""
    dhyan("repack", "out/small", "again/small", folder=place)
    for file in (place / "out" / "small").iterdir():
        if file.name != "model.safetensors":
            assert (place / "again" / "small" / file.name).read_bytes() == file.read_bytes(), file.name
    first, again = (read_pack(place / folder / "small").weights for folder in ("out", "again"))
    for name, weight in first.items():
        np.testing.assert_allclose(again[name], weight, rtol=1e-6)


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["mine", "notes.md"], "notes.md exists already"),
        (["mine", "new", "--storage", "int4"], "did you mean 'int8'"),
        (["mine", "new", "--beam", "0"], "beam"),
        (["mine", "new", "--scores", "scores.json"], "NAME=FILE"),
        (["mine", "new", "--scores", "x=nothing.json"], "nothing.json cannot be read"),
        (["mine", "new", "--scores", "x=notes.md"], "dhyan evaluate"),
        (["mine", "new", "--scores", "x=list.json"], "dhyan evaluate"),
        (["mine", "new", "--card", "mine"], "--card mine cannot be read"),
        (["mine", "new", "--card", "mine/model.safetensors"], "UTF-8"),
        (["none", "new"], "no pack 'none'"),
    ],
)
def test_a_mistake_is_one_line_and_writes_nothing(flags, words, place):
    told = dhyan("repack", *flags, folder=place, expect=2).stderr.splitlines()
    assert len(told) == 1
    assert words in told[0]
    assert not (place / "new").exists()
    assert (place / "notes.md").read_text(encoding="utf-8") == NOTES
