"""A pack comes back as it was written; of a broken one every problem is told at once, in words."""

import json

import numpy as np
import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.model.architecture import Architecture
from dhyan.model.transformer import Transformer
from dhyan.pack.manifest import FORMAT, Manifest
from dhyan.pack.pack import read_pack, write_pack
from dhyan.pack.parameter_shapes import parameter_count
from dhyan.pack.weights_file import save_weights
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer

TEXTS = ["the river is long", "नदी लंबी है", "the book is new", "किताब नई है"]
FILE = "text.tokenizer.json"


def tokenizer(extra=""):
    return Tokenizer.train([*TEXTS, extra], TextSettings(pieces="characters"), 10_000, exact=False)


def classifier(**changes):
    """A random one for two labels, with all that a pack has to say of it."""
    vocabulary = tokenizer()
    architecture = Architecture(
        shape="encoder", d_model=8, heads=2, d_ff=16, encoder_layers=1, source_vocabulary=vocabulary.size, labels=2
    )
    manifest = Manifest(
        dhyan="0.1",
        name="moods",
        task="classify",
        architecture=architecture,
        text=TextSettings(pieces="characters"),
        tokenizers={"source": FILE},
        labels=["खुश", "sad"],
        metrics={"validation": {"accuracy": 0.91234}},
        training={"rows": 1234},
        licence="CC0-1.0",
    )
    torch.manual_seed(0)
    return manifest.model_copy(update=changes), Transformer(architecture).weights(), {"source": vocabulary}


@pytest.fixture
def pack(tmp_path):
    folder = tmp_path / "moods"
    write_pack(folder, *classifier())
    return folder


def problem(folder):
    with pytest.raises(DhyanError) as caught:
        read_pack(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder) in message
    return message


def edit(pack, change):
    path = pack / "pack.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def everything(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# -- whole packs ---------------------------------------------------------------------------------------------


def test_a_pack_comes_back_as_it_was_written(pack):
    manifest, weights, tokenizers = classifier()
    read = read_pack(pack)
    assert read.manifest == manifest
    assert list(read.weights) == sorted(weights)
    for name, array in weights.items():
        np.testing.assert_array_equal(read.weights[name], array)
    assert read.tokenizers.keys() == tokenizers.keys()
    assert read.tokenizer.to_json() == tokenizers["source"].to_json()
    assert read.source_tokenizer is read.tokenizer
    assert read.target_tokenizer is None
    assert sorted(path.name for path in pack.iterdir()) == ["README.md", "model.safetensors", "pack.json", FILE]


@pytest.mark.parametrize("storage", ["bfloat16", "int8"])
def test_small_storage_gives_nearly_the_same_model(tmp_path, pack, storage):
    write_pack(tmp_path / "small", *classifier(storage=storage))
    ids = torch.tensor([tokenizer().encode(text)[:9] for text in TEXTS])
    answers = []
    for folder in (pack, tmp_path / "small"):
        read = read_pack(folder)
        model = Transformer(read.manifest.architecture)
        model.load_weights(read.weights)
        answers.append(model.eval().cls(model.pool(ids)).detach().numpy())
    assert not np.array_equal(*answers)
    np.testing.assert_allclose(*answers, atol=0.05)


def test_files_that_come_along_are_written_too(tmp_path):
    write_pack(tmp_path / "moods", *classifier(), {"curve.svg": "<svg/>", "recipe.toml": "task = 'classify'\n"})
    assert (tmp_path / "moods" / "curve.svg").read_text() == "<svg/>"
    assert "(curve.svg)" in (tmp_path / "moods" / "README.md").read_text(encoding="utf-8")
    read_pack(tmp_path / "moods")


def test_writing_over_a_pack_swaps_the_whole_of_it(pack):
    (pack / "left-over").write_text("of the old one")
    write_pack(pack, *classifier(name="second"))
    assert read_pack(pack).manifest.name == "second"
    assert not (pack / "left-over").exists()
    assert [path.name for path in pack.parent.iterdir()] == [pack.name]


def test_a_write_that_fails_leaves_the_old_pack_and_nothing_beside_it(pack):
    before = everything(pack)
    manifest, weights, tokenizers = classifier(name="second")
    with pytest.raises(UnicodeEncodeError):  # the weights and the vocabulary are written by then
        write_pack(pack, manifest, weights, tokenizers, {"notes.txt": "half a character: \ud800"})
    assert everything(pack) == before
    assert [path.name for path in pack.parent.iterdir()] == [pack.name]


def test_the_model_card_says_what_it_is(pack):
    card = (pack / "README.md").read_text(encoding="utf-8")
    manifest = classifier()[0]
    size = sum((pack / file).stat().st_size for file in ("model.safetensors", FILE))
    for words in (
        "# moods",
        f"{parameter_count(manifest.architecture):,} ({size / 1e6:.1f} MB as float32)",
        "1 layers, d_model 8, 2 heads, d_ff 16, sinusoidal positions, pre-norm, relu",
        f"{manifest.architecture.source_vocabulary:,} characters entries",
        "| licence | CC0-1.0 |",
        "| labels | खुश, sad |",
        "| validation | accuracy 0.9123 |",
        "| rows | 1234 |",
    ):
        assert words in card


def test_the_model_card_has_a_row_for_each_score_and_label(tmp_path):
    found = {"accuracy": 0.9, "accuracy, 95 %": [0.85, 0.95], "labels": {"sad": {"f1": 0.8, "rows": 7}}}
    write_pack(tmp_path / "moods", *classifier(metrics={"validation": {"f1": 1.0}, "assessed": found}))
    card = (tmp_path / "moods" / "README.md").read_text(encoding="utf-8")
    rows = ["| accuracy | 0.9 |", "| accuracy, 95 % | 0.85 to 0.95 |", "| labels: sad | f1 0.8, rows 7 |"]
    assert "\n".join(["## How good it is", "", "| | |", "|---|---|", *rows]) in card


def test_a_card_without_a_licence_says_so(tmp_path):
    write_pack(tmp_path / "moods", *classifier(licence=""))
    assert "| licence | not stated |" in (tmp_path / "moods" / "README.md").read_text(encoding="utf-8")


# -- broken packs --------------------------------------------------------------------------------------------


def test_a_pack_that_is_not_there_is_told_with_the_nearest(pack):
    message = problem(pack.with_name("mods"))
    assert "there is no such pack (did you mean 'moods'?)" in message
    assert "dhyan train" in message


def test_a_folder_that_is_no_pack_is_told(tmp_path):
    assert "is not a pack: it has no pack.json" in problem(tmp_path)


def test_a_training_is_not_taken_for_a_pack(pack):
    training = pack.with_name("moods.training")
    training.mkdir()
    (training / "recipe.toml").write_text("")
    assert f"whose pack is {pack}." in problem(training)
    pack.rename(pack.with_name("elsewhere"))
    assert f"`dhyan train --resume {training}`" in problem(training)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format": "one"}', "null", b"\xff"])
def test_a_description_that_is_none_is_told(pack, content):
    (pack / "pack.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert "is not a pack's description; copy the pack again" in problem(pack)


def test_a_newer_pack_asks_for_a_newer_dhyan(pack):
    edit(pack, lambda content: content.update(format=FORMAT + 1, dhyan="9.8", something_new=True))
    message = problem(pack)
    assert f"newer Dhyan (9.8, pack format {FORMAT + 1}; this one reads up to {FORMAT})" in message
    assert "pip install --upgrade dhyan" in message


def test_a_wrong_value_in_the_description_is_told(pack):
    edit(pack, lambda content: content["architecture"].update(norm="middle"))
    assert "pack.json: architecture.norm = 'middle' is not one of pre, post" in problem(pack)


@pytest.mark.parametrize("words", [["Ⓐ", "Ⓐ"], ["A"], [" "], ["ⒶⒷ"], [""]])
def test_placeholders_that_could_be_mistaken_are_told(pack, words):
    edit(pack, lambda content: content.update(placeholders=words))
    assert "a placeholder is one character beyond ASCII" in problem(pack)


def test_missing_files_are_told_together(pack):
    (pack / "model.safetensors").unlink()
    (pack / FILE).unlink()
    message = problem(pack)
    assert "is broken (2 problems)" in message
    assert "model.safetensors is missing" in message
    assert f"{FILE} is missing" in message


def test_a_vocabulary_of_another_model_is_told(pack):
    ours, others = tokenizer(), tokenizer(extra="xyz!?")
    others.save(pack / FILE)
    message = problem(pack)
    assert f"{FILE} has {others.size} entries, but the model was trained with {ours.size}" in message
    assert "another model's vocabulary" in message


def test_a_vocabulary_that_is_none_is_told(pack):
    (pack / FILE).write_text("{}")
    message = problem(pack)
    assert "is broken (1 problem)" in message
    assert f"{FILE} cannot be used as a tokenizer: it has no model" in message


def test_a_vocabulary_outside_of_the_pack_is_refused(pack):
    tokenizer().save(pack.parent / FILE)
    edit(pack, lambda content: content.update(tokenizers={"source": f"../{FILE}"}))
    assert f"the tokenizer ../{FILE} lies outside of the pack" in problem(pack)


def test_a_pack_that_names_no_vocabulary_is_told(pack):
    edit(pack, lambda content: content.update(tokenizers={}))
    assert "pack.json names no source tokenizer" in problem(pack)


def test_a_label_too_many_is_told(pack):
    edit(pack, lambda content: content["labels"].append("angry"))
    assert "pack.json names 3 labels for a classifier of 2" in problem(pack)


def test_weights_that_were_cut_short_are_told(pack):
    path = pack / "model.safetensors"
    path.write_bytes(path.read_bytes()[:100])
    message = problem(pack)
    assert "is broken (1 problem)" in message
    assert "model.safetensors is not a whole safetensors file" in message


def test_every_problem_is_told_at_once(pack):
    _, weights, _ = classifier()
    weights["cls.W"] = np.zeros((3, 8), np.float32)
    weights["enc.7.surprise"] = weights.pop("enc.norm.gamma")
    save_weights(pack / "model.safetensors", weights, "float32")
    (pack / FILE).unlink()
    edit(pack, lambda content: content["labels"].pop())
    message = problem(pack)
    assert "is broken (5 problems)" in message
    for words in (
        f"{FILE} is missing",
        "model.safetensors lacks enc.norm.gamma",
        "model.safetensors has enc.7.surprise, which the architecture does not",
        "cls.W is 3 × 8 where the architecture says 2 × 8",
        "pack.json names 1 labels for a classifier of 2",
    ):
        assert words in message
