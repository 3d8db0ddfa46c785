"""`dhyan import`: tiny models of other programs become packs that the other commands take."""

import json

import pytest

from support.commands import dhyan
from support.foreign_models import STORED

USES = {  # model → command that uses its pack, and what it prints
    "bert": (["embed", "bad cab"], '"vector"'),
    "bert-classifier": (["classify", "bad cab", "--all"], "fine"),
    "distilbert-classifier": (["classify", "bad cab", "--all"], "LABEL_1"),
    "roberta-masked": (["similar", "bad", "--among", "texts.txt"], "cab"),
    "marian": (["translate", "bad cab"], ""),
    "m2m100": (["translate", "bad cab"], ""),
    "gpt2": (["write", "bad", "--max-length", "4", "--json"], '"prompt": "bad"'),
    "llama": (["write", "bad", "--max-length", "4", "--json"], '"prompt": "bad"'),
}


@pytest.mark.parametrize("name", USES)
def test_a_pack_works_through_the_commands(tmp_path, name):
    (tmp_path / "texts.txt").write_text("cab\ndad\n")
    languages = ["--source-language", "en", "--target-language", "hi"] if name == "m2m100" else []
    done = dhyan("import", STORED / name, "--out", "pack", *languages, folder=tmp_path)
    assert "pack is written" in done.stderr
    command, printed = USES[name]
    assert printed in dhyan(*command, "--model", "pack", folder=tmp_path).stdout
    assert dhyan("explain", "bad cab", "--model", "pack", folder=tmp_path).stdout


def test_settings_of_the_command(tmp_path):
    dhyan("import", STORED / "gpt2", "--out", "pack", "--storage", "int8", "--name", "mine", folder=tmp_path)
    manifest = json.loads((tmp_path / "pack" / "pack.json").read_text())
    assert (manifest["storage"], manifest["name"], manifest["task"]) == ("int8", "mine", "write")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing", "--out", "pack"], "there is no such file or folder"),
        ([STORED / "gpt2", "--out", "taken"], "taken exists already"),
        ([STORED / "gpt2", "--out", "pack", "--storage", "int4"], "--storage int4: it is one of float32"),
        ([STORED / "m2m100", "--out", "pack"], "--source-language"),
        ([STORED / "m2m100" / "model.safetensors", "--out", "pack"], "name its folder"),
    ],
)
def test_mistakes_are_one_sentence(tmp_path, arguments, said):
    (tmp_path / "taken").mkdir()
    done = dhyan("import", *arguments, folder=tmp_path, expect=2)
    assert said in done.stderr.splitlines()[-1]
    assert not (tmp_path / "pack").exists()
