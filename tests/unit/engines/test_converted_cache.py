"""Converted models: made once, made again when the pack changes or the cache is damaged, and nowhere else."""

import json
from pathlib import Path

import pytest

from dhyan.engines import converted_cache
from dhyan.engines.converted_cache import converted_model, pack_digest
from dhyan.engines.ctranslate2 import CTranslate2Engine
from support.packs import random_pack


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "outer" / "cache"))
    return tmp_path / "outer" / "cache"


def flip_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [flip_a_bit, truncate, empty, Path.unlink])
@pytest.mark.parametrize("name", ["model.bin", "config.json", "classifier.npz", converted_cache.CHECKSUMS])
def test_a_damaged_conversion_is_made_again(damage, name, tmp_path):
    pack = random_pack(tmp_path / "pack", "encoder")
    folder = converted_model(pack, "int8")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    damage(folder / name)
    assert CTranslate2Engine(pack, threads=1).encode([pack.tokenizer.encode("bank")])[0].shape == (5, 48)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize("name", ["../../elsewhere", "/x/y", "..", ".hidden", "a b", "न" * 80, "x" * 250])
def test_no_name_of_a_pack_leads_out_of_the_cache(name, tmp_path, cache):
    pack = random_pack(tmp_path / "pack", "encoder")
    pack.manifest.name = name
    before = set(tmp_path.rglob("*"))
    folder = converted_model(pack, "int8")
    assert folder.parent == cache
    assert not folder.name.startswith(".")
    outside = {path for path in set(tmp_path.rglob("*")) - before if cache not in [path, *path.parents]}
    assert outside == {cache.parent}


def test_what_a_killed_conversion_left_is_removed_by_the_next(tmp_path, cache):
    left_over = cache / ".another-pack-0123-int8.a1b2c3d4.part"
    left_over.mkdir(parents=True)
    (left_over / "model.bin").write_bytes(b"half")
    converted_model(random_pack(tmp_path / "pack", "encoder"), "int8")
    assert not left_over.exists()


def test_a_digest_is_computed_once_for_as_long_as_the_files_stay_as_they_are(tmp_path, cache, monkeypatch):
    pack = random_pack(tmp_path / "pack", "encoder")
    first = pack_digest(pack)
    assert not (cache / "digests").exists()  # too new: it may change again within a tick of the clock
    monkeypatch.setattr(converted_cache, "SETTLED", -1)
    assert pack_digest(pack) == first
    (kept,) = (cache / "digests").iterdir()
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"digest": "from the file"}))
    assert pack_digest(pack) == "from the file"
    flip_a_bit(tmp_path / "pack" / "model.safetensors")
    assert pack_digest(pack) not in ("from the file", first)
    kept.write_text("{")
    assert pack_digest(pack) not in ("from the file", first)
