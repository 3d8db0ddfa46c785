"""Packs that change while they are served."""

import shutil

import pytest
from fastapi.testclient import TestClient

from dhyan.server.app import create_app
from dhyan.server.operations.pack_reload import PackReload
from dhyan.server.served_packs import ServedPacks
from dhyan.translation.translator import Translator
from support.packs import random_pack

TEXT = "the river bank"


@pytest.fixture
def home(tmp_path):
    random_pack(tmp_path / "one", "encoder-decoder")
    random_pack(tmp_path / "aside" / "other", "encoder-decoder", norm="post")
    return tmp_path


@pytest.fixture
def reload(home):
    def find():
        return {file.parent.name: file.parent for file in sorted(home.glob("*/pack.json"))}

    said = []
    made = PackReload(ServedPacks(find()), find, said.append)
    made.said = said
    return made


def replace(folder, new):
    shutil.rmtree(folder)
    shutil.copytree(new, folder)


def test_new_requests_get_the_new_pack_and_running_ones_keep_the_old(home, reload):
    old = reload.packs.find("one")
    before = old.model(Translator)(TEXT)
    replace(home / "one", home / "aside" / "other")
    reload.look()
    assert reload.packs.find("one") is old  # it may still be being copied
    reload.look()
    new = reload.packs.find("one")
    assert new.pack.manifest.architecture.norm == "post"
    assert new.is_loaded  # so that nobody waits for it
    assert old.model(Translator)(TEXT) == before
    assert new.model(Translator)(TEXT) != before
    assert reload.said == ["one has changed and was loaded again."]
    reload.look()
    reload.look(told=True)
    assert reload.packs.find("one") is new
    assert len(reload.said) == 1


def test_a_broken_pack_is_reported_once_and_the_old_one_goes_on(home, reload):
    old = reload.packs.find("one")
    weights = home / "one" / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    for _ in range(4):
        reload.look()
    (said,) = reload.said
    assert said.startswith(f"{home / 'one'} is broken")
    assert said.endswith("the one that was served goes on.")
    assert reload.packs.find("one") is old
    weights.write_bytes(whole)
    reload.look(told=True)
    assert reload.packs.find("one") is not old


def test_new_packs_come_and_those_that_are_gone_go_when_told(home, reload):
    shutil.copytree(home / "aside" / "other", home / "two")
    reload.look()
    reload.look()
    assert list(reload.packs.served) == ["one", "two"]
    assert reload.packs.find("two").expected() == 1
    shutil.rmtree(home / "one")
    reload.look()
    reload.look()
    assert list(reload.packs.served) == ["one", "two"]  # it may be gone for a moment only
    reload.look(told=True)
    assert list(reload.packs.served) == ["two"]
    assert reload.said == ["two is new and is served now.", "one is served no more: its folder is gone."]


def test_when_the_last_pack_is_gone_it_is_said(home, reload):
    shutil.rmtree(home / "one")
    reload.look(told=True)
    client = TestClient(create_app(reload.packs), base_url="http://127.0.0.1", raise_server_exceptions=False)
    assert client.get("/health").status_code == 200
    assert client.get("/v1/models").json()["data"] == []
    for path in ("/info", "/api/v1/explain?text=a"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "no pack is served here any more" in answer.json()["error"]
