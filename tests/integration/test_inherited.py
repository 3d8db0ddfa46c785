"""Licence, card and decoding settings go along with whatever is made from a pack."""

import json

import pytest
import torch

import dhyan
from dhyan.cli.mix import mix
from dhyan.cli.packs import export
from dhyan.core.errors import DhyanError
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.inherited import ORIGIN
from dhyan.pack.pack import read_pack
from dhyan.pack.repack import interpolate, repack
from dhyan.training.distillation import distil
from dhyan.training.train import prepare_only, resume
from support.packs import random_pack

LICENCE = "CC BY-SA 4.0"
CARD = "Data: letters that were never sent. Bad at numbers."
DECODING = GenerationSettings(beam=3, length_penalty=2.5, length_offset=7, max_length=20, temperature=0.7)
TAGS = {"ui": "①", "formal": "②"}
LANGUAGES = ("en", "hi")
CPU = torch.device("cpu")
SHORT = {"steps": 1, "batch_tokens": 64, "device": "cpu", "held_out": 0.0}


def make_parent(folder, bias_to_end):
    bare = random_pack(folder / "bare", "encoder-decoder", max_positions=64, bias_to_end=bias_to_end)
    said = {"licence": LICENCE, "notes": CARD, "style_tags": TAGS, "languages": LANGUAGES}
    repack(bare, folder / "parent", decoding=DECODING, **said)
    return read_pack(folder / "parent")


@pytest.fixture(scope="module")
def parent(tmp_path_factory):
    """A pack with everything to hand down. It says little: what is fine-tuned is judged by hundreds of answers."""
    return make_parent(tmp_path_factory.mktemp("packs"), bias_to_end=9.0)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    """The same, with answers to learn from."""
    return make_parent(tmp_path_factory.mktemp("packs"), bias_to_end=2.0)


@pytest.fixture
def pairs(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("the river\tनदी\twiki\nthe bank\tपैसे\twiki\nmoney\tघर\twiki\n", encoding="utf-8")
    return file


def languages_of(manifest):
    return manifest.source_language, manifest.target_language


def card_of(folder):
    return (folder / "README.md").read_text(encoding="utf-8")


def fine_tuned(parent, pairs, out, **settings):
    return dhyan.train(task="translate", train=pairs, start_from=parent.folder, out=out, **SHORT, **settings)


def test_fine_tuning_keeps_licence_card_and_decoding_settings(parent, pairs, tmp_path):
    child = fine_tuned(parent, pairs, tmp_path / "child")
    manifest = read_pack(child).manifest
    assert manifest.licence == LICENCE
    assert manifest.decoding == DECODING
    assert manifest.style_tags == TAGS
    assert languages_of(manifest) == LANGUAGES
    assert manifest.training["started from"] == f"parent ({LICENCE})"
    assert f"Fine-tuned from parent ({LICENCE})." in card_of(child)
    assert CARD in card_of(child)
    grandchild = fine_tuned(read_pack(child), pairs, tmp_path / "grandchild")
    assert CARD in card_of(grandchild)


def test_what_is_said_goes_before_what_is_inherited(parent, pairs, tmp_path):
    how = {"licence": "CC0 1.0", "beam": 2, "style_tags": {"ui": "③"}, "target_language": "mr"}
    manifest = read_pack(fine_tuned(parent, pairs, tmp_path / "child", **how)).manifest
    assert manifest.licence == "CC0 1.0"
    assert manifest.decoding == DECODING.model_copy(update={"beam": 2})
    assert manifest.style_tags["ui"] == "③"
    assert languages_of(manifest) == ("en", "mr")
    assert LICENCE in manifest.training["started from"]


def test_a_training_that_was_prepared_before_inherits_too(parent, pairs, tmp_path):
    data = {"train": [pairs], "held_out": 0.0}
    values = {"task": "translate", "out": tmp_path / "child", "start_from": parent.folder, "data": data}
    prepare_only(values | {"training": {"steps": 1, "batch_tokens": 64, "device": "cpu"}})
    manifest = read_pack(resume(tmp_path / "child.training", {})).manifest
    assert (manifest.licence, manifest.decoding, manifest.style_tags) == (LICENCE, DECODING, TAGS)
    assert CARD in card_of(tmp_path / "child")


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_new_language_takes_the_licence_and_half_of_the_vocabulary(parent, tmp_path, side):
    file = tmp_path / "other.tsv"
    file.write_text("der Fluss\tthe river\ndie Bank\tthe bank\ndas Geld\tmoney\n", encoding="utf-8")
    data = {"train": [file], "held_out": 0.0}
    values = {"task": "translate", "out": tmp_path / "child", "start_from": parent.folder, "data": data}
    values |= {"new_vocabulary": side, "target_language": "en"}
    prepare_only(values | {"training": {"steps": 1, "batch_tokens": 64, "device": "cpu"}})
    child = read_pack(resume(tmp_path / "child.training", {}))
    assert child.manifest.licence == LICENCE
    assert CARD in card_of(child.folder)
    assert child.manifest.decoding == GenerationSettings()  # how Hindi was searched for says nothing of others
    assert child.manifest.style_tags == {}
    assert languages_of(child.manifest) == ("", "en")
    kept = "target" if side == "source" else "source"
    assert child.tokenizers[kept].to_json() == parent.tokenizers[kept].to_json()
    new = child.tokenizers[side]
    assert new.to_json() != parent.tokenizers[side].to_json()
    assert new.decode(new.encode("Fluss")) == "Fluss"


def test_a_new_vocabulary_that_cannot_be(parent, pairs, tmp_path):
    random_pack(tmp_path / "shared", "encoder-decoder", max_positions=64, tie="all")
    with pytest.raises(DhyanError, match="has one embedding for both sides, so no side of it can be learnt anew"):
        fine_tuned(read_pack(tmp_path / "shared"), pairs, tmp_path / "child", new_vocabulary="target")
    with pytest.raises(DhyanError, match="new_vocabulary is for task 'translate' with start_from"):
        dhyan.train(task="translate", train=pairs, out=tmp_path / "child", new_vocabulary="target", **SHORT)


def test_repack_keeps_them(parent, tmp_path):
    repack(parent, tmp_path / "small", storage="int8")
    manifest = read_pack(tmp_path / "small").manifest
    assert (manifest.licence, manifest.decoding, manifest.style_tags) == (LICENCE, DECODING, TAGS)
    assert languages_of(manifest) == LANGUAGES
    assert CARD in card_of(tmp_path / "small")


def test_a_code_that_is_none_is_refused(parent, tmp_path):
    with pytest.raises(DhyanError, match="target_language = 'Hindi!'"):
        repack(parent, tmp_path / "wrong", languages=(None, "Hindi!"))
    assert not (tmp_path / "wrong").exists()


def test_interpolation_keeps_them_and_both_licences(parent, tmp_path):
    repack(parent, tmp_path / "other", licence="CC0 1.0", languages=("", ""))
    interpolate(parent, read_pack(tmp_path / "other"), 0.5, tmp_path / "between")
    manifest = read_pack(tmp_path / "between").manifest
    assert manifest.licence == f"CC0 1.0 and {LICENCE}"
    assert (manifest.decoding, manifest.style_tags) == (DECODING, TAGS)
    assert languages_of(manifest) == LANGUAGES
    assert CARD in card_of(tmp_path / "between")
    repack(parent, tmp_path / "unstated", licence="")
    interpolate(parent, read_pack(tmp_path / "unstated"), 0.5, tmp_path / "half")
    assert read_pack(tmp_path / "half").manifest.licence == LICENCE


def test_export_takes_them_along(parent, tmp_path):
    export(str(parent.folder), tmp_path / "exported", "ctranslate2", "float32")
    told = json.loads((tmp_path / "exported" / "dhyan.json").read_text(encoding="utf-8"))
    assert told["licence"] == LICENCE
    assert GenerationSettings(**told["decoding"]) == DECODING
    assert told["style_tags"] == TAGS
    assert CARD in card_of(tmp_path / "exported")
    assert LICENCE in card_of(tmp_path / "exported")
    assert (tmp_path / "exported" / "model.bin").is_file()


def test_a_pack_without_a_licence_says_from_what_it_was_made(parent, pairs, tmp_path):
    how = {"teacher": parent.folder, "max_positions": 64, **SHORT}
    out = dhyan.train(task="translate", train=pairs, out=tmp_path / "student", **how)
    assert read_pack(out).manifest.training["teacher"] == f"parent ({LICENCE})"
    said = f"| licence | not stated; made from data: {pairs}; weights: random weights; teacher: parent ({LICENCE}) |"
    assert said in card_of(out)


def test_students_of_distilled_data_name_their_teacher(teacher, pairs, tmp_path):
    distil(teacher, [pairs], tmp_path / "distilled.tsv", CPU, GenerationSettings(beam=1, max_length=8))
    assert (tmp_path / f"distilled.tsv{ORIGIN}").is_file()
    (tmp_path / "mix.toml").write_text('[group.all]\nsources = ["*"]\n', encoding="utf-8")
    (tmp_path / "table.tsv").write_text("the river\tनदी\twiki\n", encoding="utf-8")
    mix(tmp_path / "mix.toml", [tmp_path / "table.tsv", tmp_path / "distilled.tsv"], tmp_path / "mixed.tsv", 1, 1)
    for data in ("distilled.tsv", "mixed.tsv"):
        how = {"vocabulary_of": teacher.folder, **SHORT}
        out = dhyan.train(task="translate", train=tmp_path / data, out=tmp_path / f"of-{data}", **how)
        assert read_pack(out).manifest.training["teacher"] == f"parent ({LICENCE})"
        assert f"teacher: parent ({LICENCE})" in card_of(out)
