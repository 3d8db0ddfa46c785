"""`dhyan export`: what it writes is run by the programs that it is for."""

import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from dhyan.engines.ctranslate2 import CTranslate2Engine
from dhyan.model.generation.settings import GenerationSettings
from dhyan.pack.pack import BUILT_IN, read_pack
from support.argos import argos_translations
from support.commands import dhyan

DOCS = Path(__file__).parents[2] / "docs" / "guides" / "export.md"
WHO = {"the dog": "कुत्ता", "the cat": "बिल्ली", "the man": "आदमी", "the child": "बच्चा"}
DOES = {"runs": "दौड़ता है", "sleeps": "सोता है", "eats": "खाता है", "doesn't sing": "नहीं गाता"}
WHERE = {"in the house": "घर में", "on the road": "सड़क पर", "by the river": "नदी के पास"}
PAIRS = {f"{a} {b} {c}.": f"{WHERE[c]} {WHO[a]} {DOES[b]}।" for a, b, c in product(WHO, DOES, WHERE)}
LEARNS = ["--shared", "--pieces", "unigram", "--source-language", "en", "--target-language", "hi"]
SMALL = ["--d-model", 32, "--heads", 4, "--d-ff", 64, "--encoder-layers", 1, "--decoder-layers", 1]
QUICK = ["--steps", 120, "--batch-tokens", 512, "--learning-rate", "1e-2", "--dropout", 0, "--warmup", 20]


def ours(pack, texts, **settings):
    engine = CTranslate2Engine(pack, "float32", threads=1)
    found = engine.translate(pack.source_tokenizer.encode_batch(texts), GenerationSettings(**settings))
    return pack.target_tokenizer.decode_batch([best.ids for best, *_ in found])


def test_the_documented_program_translates_greedily_with_onnx(tmp_path, monkeypatch, capsys):
    dhyan("export", "en-hi", "out", "--to", "onnx", folder=tmp_path)
    assert "input_ids" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(program, names)
    texts = ["How are you?", "The road to the river was closed on 12 May 2021.", "She didn't say why."]
    expected = ours(read_pack(BUILT_IN / "en-hi"), texts, beam=1)
    assert list(map(names["translate"], texts)) == expected
    assert capsys.readouterr().out.strip() == expected[0]


def test_argos_translates_as_our_engine_does(tmp_path):
    rows = "".join(f"{source}\t{target}\n" for source, target in PAIRS.items())
    (tmp_path / "pairs.tsv").write_text(rows * 8, encoding="utf-8")
    dhyan("train", "translate", "--train", "pairs.tsv", "--out", "small", *LEARNS, *SMALL, *QUICK, folder=tmp_path)
    dhyan("export", "small", "out", "--to", "argos", "--compute", "float32", folder=tmp_path)
    texts = [*PAIRS, "The cat, the dog!", "a child ☃ sleeps", "सड़क"]
    found = argos_translations(tmp_path / "out" / "translate-en_hi.argosmodel", texts, home=tmp_path / "home")
    assert found == ours(read_pack(tmp_path / "small"), texts, beam=4, length_penalty=0.2)
    right = [said == target for said, target in zip(found, PAIRS.values(), strict=False)]
    assert sum(right) > len(right) / 2  # it has learned something, so that a mix-up of pieces would show


def test_without_its_package_onnx_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['onnx'] = None; from dhyan.cli import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "export", "sentiment", "out", "--to", "onnx"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (told,) = done.stderr.splitlines()
    assert "[onnx]" in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("to", "file"), [("onnx", "model.onnx"), ("ctranslate2", "model.bin")])
def test_an_export_says_its_licence_and_settings(to, file, tmp_path):
    dhyan("export", "sentiment", "out", "--to", to, folder=tmp_path)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names >= {file, "README.md", "dhyan.json"}
    licence = read_pack(BUILT_IN / "sentiment").manifest.licence
    assert all(licence in (tmp_path / "out" / name).read_text("utf-8") for name in ("README.md", "dhyan.json"))
