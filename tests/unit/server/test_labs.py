"""The Labs view's answers: what `dhyan lab` keeps and what its light experiments compute; runs one at a time."""

import threading
import time

import pytest
from fastapi.testclient import TestClient

from dhyan.core.errors import DhyanError
from dhyan.lab.framework.live import LIVE, run_live
from dhyan.lab.framework.plot_svg import plot_svg
from dhyan.lab.framework.registry import EXPERIMENTS, about, experiment
from dhyan.lab.framework.results import RESULT, knobs_of, run
from dhyan.server import routes_labs as labs
from dhyan.server.app import create_app
from dhyan.server.lab_runs import LabRuns
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings

pytestmark = pytest.mark.long

SMALL = {"lengths": [8, 16], "size": 16, "repeats": 1}


@pytest.fixture
def client(tmp_path):
    with TestClient(create_app(ServedPacks({}), lab=tmp_path), base_url="http://127.0.0.1") as client:
        yield client


def listed(client, name):
    return next(one for one in client.get("/api/v1/labs").json() if one["name"] == name)


def test_all_experiments_are_listed_with_the_knobs_of_the_light_ones(client):
    found = client.get("/api/v1/labs").json()
    assert [one["name"] for one in found] == [one.name for one in EXPERIMENTS]
    assert all(one["question"].endswith("?") and one["method"].endswith(".") for one in found)
    assert [one["name"] for one in found if one["knobs"]] == list(LIVE)
    knobs = {knob["name"]: knob for knob in listed(client, "sqrt-dk")["knobs"]}
    assert knobs["keys"] == {
        "name": "keys",
        "help": "keys that a query looks at",
        "kind": "number",
        "value": 32,
        "least": 2,
        "most": 256,
        "step": 1,
    }
    assert knobs["sizes"]["kind"] == "numbers"
    assert 0 < knobs["variance"]["least"] < 1


@pytest.mark.parametrize("name", LIVE)
def test_both_ends_of_every_slider_are_computed(client, name):
    for knob in listed(client, name)["knobs"]:
        for end in ("least", "most") if knob["kind"] == "number" else ():
            answer = client.post(f"/api/v1/labs/{name}/live", json={"knobs": {knob["name"]: knob[end]}})
            assert answer.status_code == 200, answer.text


def test_a_turned_knob_gives_what_python_gives(client):
    turned = {"sizes": ["16", "128"], "keys": "8"}  # as a URL has them
    found = client.post("/api/v1/labs/sqrt-dk/live", json={"knobs": turned, "seed": 5, "width": 400}).json()
    expected = run_live("sqrt-dk", {"sizes": [16, 128], "keys": 8}, seed=5)
    assert found["sentence"].format_map(found["numbers"]) == expected.says
    assert found["tables"] == [table.model_dump() for table in expected.tables]
    assert [one["svg"] for one in found["figures"]] == [plot_svg(plot, 400, titled=False) for plot in expected.plots]
    assert 'width="400"' in found["figures"][0]["svg"]


@pytest.mark.parametrize(
    ("name", "asked", "status", "told"),
    [
        ("sqrt-dk", {"knobs": {"keys": 1}}, 400, "keys = 1"),
        ("sqrt-dk", {"knobs": {"sizes": [100_000], "queries": 800}}, 400, "make one of them smaller"),
        ("sqrt-dk", {"knobs": {"sizes": [1] * 13}}, 400, "sizes"),
        ("positions", {"knobs": {"position": 3}}, 400, "did you mean 'positions'"),
        ("positions", {"seed": -1}, 422, "seed"),
        ("positions", {"width": 9000}, 422, "width"),
        ("leak", {}, 400, "'leak' is not live"),
        ("leek", {}, 404, "did you mean 'leak'"),
    ],
)
def test_what_cannot_be_turned_is_refused_in_words(client, name, asked, status, told):
    answer = client.post(f"/api/v1/labs/{name}/live", json=asked)
    assert answer.status_code == status
    assert told in answer.json()["error"]


def test_one_knob_is_turned_at_a_time(tmp_path, monkeypatch):
    begun, may_go_on = threading.Event(), threading.Event()

    def slow(*asked):
        begun.set()
        may_go_on.wait(10)
        return run_live(*asked)

    monkeypatch.setattr(labs, "run_live", slow)
    app = create_app(ServedPacks({}), ServerSettings(lab_queue=0), lab=tmp_path)
    client = TestClient(app, base_url="http://127.0.0.1")
    first = []
    asking = threading.Thread(target=lambda: first.append(client.post("/api/v1/labs/norms/live", json={})))
    asking.start()
    assert begun.wait(10)
    second = client.post("/api/v1/labs/norms/live", json={})
    may_go_on.set()
    asking.join()
    assert second.status_code == 503
    assert "try again" in second.json()["error"]
    assert int(second.headers["retry-after"]) > 0
    assert first[0].status_code == 200


def test_what_was_measured_is_shown_the_newest_first(client, tmp_path):
    one = experiment("autoregressive")
    results = [
        run(about("autoregressive"), one, knobs_of(one, True, SMALL | {"length": length}, ""), [0], tmp_path)
        for length in (5, 6)
    ]
    kept = listed(client, "autoregressive")["kept"]
    assert [each["id"] for each in kept] == [result.folder.rpartition("/")[2] for result in reversed(results)]
    shown_result = client.get(f"/api/v1/labs/autoregressive/kept/{kept[0]['id']}").json()
    for field in ("verdict", "because", "fair", "knobs", "seeds", "seconds", "machines", "folder"):
        assert shown_result[field] == getattr(results[1], field)
    assert shown_result["tables"] == [table.model_dump() for table in results[1].tables]
    assert [figure["title"] for figure in shown_result["figures"]] == [plot.title for plot in results[1].plots]

    (tmp_path / "autoregressive" / kept[0]["id"] / RESULT).write_text('{"verdict": "he')  # a damaged one
    assert [each["id"] for each in listed(client, "autoregressive")["kept"]] == [kept[1]["id"]]
    for wrong in (kept[0]["id"], "nowhere", "..%2f..", "%2e%2e"):
        assert client.get(f"/api/v1/labs/autoregressive/kept/{wrong}").status_code == 404


def test_a_quick_run_is_measured_and_kept(client):
    assert client.get("/api/v1/labs/measuring").json() is None
    assert (
        client.post("/api/v1/labs/autoregressive/measure").status_code == 422
    )  # another site's page can ask no more
    begun = client.post("/api/v1/labs/autoregressive/measure", json={"quick": True}).json()
    assert begun["running"]
    again = client.post("/api/v1/labs/leak/measure", json={"quick": True})
    assert again.status_code == 409
    assert "autoregressive is being measured" in again.json()["error"]
    shares = [0.0]
    while (now := client.get("/api/v1/labs/measuring").json())["running"]:
        shares.append(now["share"])
        time.sleep(0.1)
    assert shares == sorted(shares)
    assert not now["failed"]
    assert listed(client, "autoregressive")["kept"][0]["verdict"] == "held"


def test_a_run_can_be_stopped_and_what_it_cannot_do_is_told(client, tmp_path):
    client.post("/api/v1/labs/leak/measure", json={"quick": True})
    client.delete("/api/v1/labs/measuring")
    assert client.get("/api/v1/labs/measuring").json() is None
    (tmp_path / "a file").write_text("mine")
    measuring = LabRuns(tmp_path / "a file")  # nothing can be kept in it
    with pytest.raises(DhyanError, match="no experiment 'leek'"):
        measuring.start("leek")
    measuring.start("autoregressive")
    while measuring.state().running or not measuring.state().failed:
        time.sleep(0.1)
    assert "has ended early" in measuring.state().failed
