"""The map over HTTP is the one that Python draws."""

import numpy as np
import pytest
from fastapi.testclient import TestClient

from dhyan.core.cancellation import Cancellation, Cancelled
from dhyan.explain.analyses.meaning_map import meaning_map, parting, paths
from dhyan.explain.explainer import Explainer
from dhyan.server import kept_maps
from dhyan.server.app import create_app
from dhyan.server.kept_maps import KeptMaps
from dhyan.server.served_packs import ServedPacks
from support.packs import random_pack

SENTENCE = "the river bank"


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    return random_pack(tmp_path_factory.mktemp("packs") / "moods", "encoder")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DHYAN_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def client(pack, cache):
    with TestClient(create_app(ServedPacks({"moods": pack.folder})), base_url="http://127.0.0.1") as client:
        yield client


def test_the_map_and_the_paths(client, pack):
    explainer = Explainer(pack)
    wanted = meaning_map(explainer)
    found = client.get("/api/v1/space", params={"across": "r", "up": "m"}).json()
    assert [word["text"] for word in found["words"]] == wanted.words
    assert [word["near"] for word in found["words"]] == wanted.near.tolist()
    assert [word["between"] for word in found["words"]] == wanted.between("r", "m").tolist()
    assert found["share"] == list(wanted.share)
    explanation = explainer.explain(SENTENCE, heads_off=["enc.0.h1"])
    asked = {"text": SENTENCE, "off": "enc.0.h1", "across": "r", "up": "m"}
    for said, way in zip(
        client.get("/api/v1/space/paths", params=asked).json(), paths(wanted, explanation), strict=True
    ):
        assert said["near"] == way.near.tolist()
        assert said["plane"] == way.plane.tolist()
        assert said["between"] == way.cosines[:, [wanted.number("r"), wanted.number("m")]].tolist()
        address = f"{found['stages'][-1]['address']}[{said['row']}]"
        assert explanation[address].shape == (48,)
    assert found["stages"][1] == {"name": "input", "address": "enc.input"}


def test_without_axes_there_is_no_third_layout(client):
    assert client.get("/api/v1/space").json()["words"][0]["between"] is None
    assert client.get("/api/v1/space/paths", params={"text": SENTENCE, "across": "r"}).json()[0]["between"] is None


def test_a_word_that_is_not_on_the_map_is_said(client):
    answer = client.get("/api/v1/space", params={"across": "zebra", "up": "m"})
    assert answer.status_code == 400
    assert "'zebra' is not on the map of" in answer.json()["error"]


def test_where_two_tokens_part_to(client, pack):
    explainer = Explainer(pack)
    found = meaning_map(explainer)
    ways = [paths(found, explainer.explain(text)) for text in (SENTENCE, "money bank")]
    one, other = parting(found, ways[0][10], ways[1][6])
    assert ways[0][10].text == ways[1][6].text == "b"
    asked = {"first": SENTENCE, "second": "money bank", "token": 10, "token2": 6}
    said = client.get("/api/v1/space/parting", params=asked).json()
    assert said == {"first": list(map(list, one)), "second": list(map(list, other))}
    assert "b" not in dict(one) | dict(other)
    word, apart = one[0]
    late = [way.cosines[-2:, found.number(word)].mean() for way in (ways[0][10], ways[1][6])]
    assert apart == pytest.approx(late[0] - late[1], abs=1e-6)
    assert apart > 0
    answer = client.get("/api/v1/space/parting", params=asked | {"token2": 99})
    assert answer.status_code == 404
    assert "the tokens are 0 to 9" in answer.json()["error"]


def test_a_map_is_drawn_once_and_found_again(client, pack, cache, monkeypatch):
    client.get("/api/v1/space")
    (file,) = (cache / "maps").iterdir()
    served = ServedPacks({"moods": pack.folder}).find()
    drawn = []
    monkeypatch.setattr(kept_maps, "meaning_map", lambda explainer: drawn.append(1) or meaning_map(explainer))
    found, wanted = KeptMaps().of(served), meaning_map(Explainer(pack))
    assert not drawn
    assert (found.words, found.ids, found.stages) == (wanted.words, wanted.ids, wanted.stages)
    assert (found.kept, found.share) == (wanted.kept, wanted.share)
    np.testing.assert_array_equal(found.units, wanted.units)
    file.write_bytes(file.read_bytes()[:-100])  # torn
    maps = KeptMaps()
    np.testing.assert_array_equal(maps.of(served).near, wanted.near)
    assert maps.of(served) is maps.of(served)
    assert len(drawn) == 1
    assert KeptMaps().of(served).words == wanted.words
    assert len(drawn) == 1


def test_who_does_not_wait_for_a_drawing_frees_its_thread(pack):
    maps, gone = KeptMaps(), Cancellation(0.1)
    with maps._lock, gone.around(), pytest.raises(Cancelled):  # somebody else draws
        maps.of(ServedPacks({"moods": pack.folder}).find())


def test_a_map_is_finished_though_nobody_waits_for_it(pack, cache):
    for file in (cache / "maps").iterdir():
        file.unlink()
    gone = Cancellation()
    gone.cancel()
    with gone.around():
        assert KeptMaps().of(ServedPacks({"moods": pack.folder}).find()).words
    assert list((cache / "maps").iterdir())
