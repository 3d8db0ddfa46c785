"""A training's folder is read while it grows, is replaced, is killed and goes on; and only what was named is read."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient

from dhyan.core.errors import DhyanError
from dhyan.pack.training_folder import SampleResult, Samples, write_samples
from dhyan.server import training_reader
from dhyan.server.app import create_app
from dhyan.server.routes_trainings import trainings_named
from dhyan.server.serve import check_trainings
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from dhyan.server.training_reader import TrainingReader
from dhyan.text.settings import TextSettings
from dhyan.text.tokenizer import Tokenizer
from support.serving import running

HERE = {"host": socket.gethostname(), "process": os.getpid()}


@pytest.fixture
def folder(tmp_path):
    """What a training has written after its preparation."""
    folder = tmp_path / "my-pack.training"
    (folder / "data").mkdir(parents=True)
    (folder / "recipe.toml").write_text(
        'task = "translate"\n[training]\nobjective = "translation"\nsteps = 100\nvalidate_every = 10\n'
        'metric = "bleu"\n'
    )
    tokenizer = Tokenizer.train(["a b c d"] * 9, TextSettings(), 300, exact=False)
    tokenizer.save(folder / "data" / "shared.tokenizer.json")
    about = {"tokenizers": {"source": "shared.tokenizer.json", "target": "shared.tokenizer.json"}}
    (folder / "data" / "prepared.json").write_text(json.dumps(about))
    return folder


def write(folder, *entries, mode="a"):
    with (folder / "log.jsonl").open(mode) as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)


def start(step=0, **more):
    return {"step": step, "kind": "start", "time": 1000.0 + step, "steps": 100} | HERE | more


def trained(step, loss=1.0):
    return {"step": step, "kind": "train", "time": 1000.0 + step, "loss": loss, "learning_rate": 0.1}


def end(step, how, said=""):
    return {"step": step, "kind": "end", "time": 1000.0 + step, "how": how, "said": said}


def test_it_is_told_whether_a_training_runs(folder, tmp_path):
    reader = TrainingReader(folder)
    assert TrainingReader(tmp_path / "later.training").look()["how"] == "preparing"
    assert reader.look()["how"] == "prepared"
    write(folder, start())
    assert reader.look()["how"] == "running"
    write(folder, end(7, "failed", "the loss is no longer a number"))
    assert (reader.look()["how"], reader.look()["said"]) == ("failed", "the loss is no longer a number")
    write(folder, start(7))
    assert reader.look()["how"] == "running"
    write(folder, end(9, "stopped"))
    assert reader.look()["how"] == "stopped"
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    write(folder, start(9, process=gone.pid))
    assert reader.look()["how"] == "killed"
    write(folder, start(9, process=gone.pid, host="elsewhere"))  # nobody can tell
    assert reader.look()["how"] == "running"


def test_a_log_is_read_as_it_grows_and_begun_anew_where_it_was_replaced(folder):
    reader = TrainingReader(folder)
    write(folder, start(), trained(10, 3.0))
    assert reader.look()["train"]["step"] == [10]
    with (folder / "log.jsonl").open("a") as file:
        file.write('{"step": 20, "kind": "train", "time": 1020, "lo')  # in the middle of a line
    assert reader.look()["train"]["step"] == [10]
    with (folder / "log.jsonl").open("a") as file:
        file.write('ss": 2.5}\nnot JSON\n[1]\n')
    found = reader.look()
    assert (found["train"]["step"], found["train"]["loss"]) == ([10, 20], [3.0, 2.5])
    assert found["train"]["gradient_norm"] == [None, None]  # as of earlier versions
    write(folder, trained(22, float("nan")), {"step": "x", "kind": "train"})
    assert reader.look()["train"]["loss"] == [3.0, 2.5, None]  # no number, and JSON knows none such
    new = folder / "new"
    new.write_text((folder / "log.jsonl").read_text().splitlines()[0] + "\n")
    new.replace(folder / "log.jsonl")  # as a resumed training does it
    write(folder, start(0), trained(15, 2.0), {"step": 20, "kind": "valid", "time": 1, "loss": 1.5, "bleu": 7.0})
    found = reader.look()
    assert (found["train"]["step"], found["resumed"]) == ([15], [0])
    assert found["validations"] == [{"step": 20, "metrics": {"loss": 1.5, "bleu": 7.0}}]


def test_a_long_curve_is_thinned_to_means(folder, monkeypatch):
    monkeypatch.setattr(training_reader, "MOST_POINTS", 8)
    write(folder, start(), *(trained(step, float(step)) for step in range(1, 101)))
    found = TrainingReader(folder).look()
    per_point, steps, losses = found["entries_per_point"], found["train"]["step"], found["train"]["loss"]
    assert per_point == 8
    assert steps == [*range(8, 97, 8), 100]
    assert losses[:2] == [4.5, 12.5]
    assert losses[-1] == 98.5  # of those that are there by now


def test_the_time_left_is_told_from_the_newest_run(folder):
    reader = TrainingReader(folder)
    write(folder, start(), trained(10), trained(40))
    assert reader.look()["seconds_left"] == pytest.approx(60)  # a second per step
    write(folder, start(40, time=9000.0), trained(50) | {"time": 9020.0})
    assert reader.look()["seconds_left"] == pytest.approx(100)  # two, by now; the night between them does not count
    write(folder, end(50, "stopped"))
    assert reader.look()["seconds_left"] is None


@pytest.fixture
def client(folder):
    weights = np.random.default_rng(1).dirichlet(np.ones(3), (2, 4)).astype(np.float32)  # (heads, queries, keys)
    arrays = {"dec.0.cross.weights": weights, "dec.0.self.weights": weights * 0, "enc.0.self.weights": weights}
    result = SampleResult(text="a b", said="b a", reference="b c")
    write_samples(folder, Samples(step=10, source=[262, 263, 3], target=[2], predicted=[3], results=[result]), arrays)
    write(folder, start(), trained(10, 2.0))
    settings = ServerSettings(training=(folder,))
    with TestClient(create_app(ServedPacks({}, settings)), base_url="http://127.0.0.1") as client:
        client.weights = weights
        yield client


def test_the_answers_are_what_the_folder_says(client, folder):
    assert client.get("/api/v1/models").json()["trainings"] == 1
    listed = client.get("/api/v1/trainings").json()
    assert [(one["name"], one["how"], one["step"], one["steps"]) for one in listed] == [
        ("my-pack", "running", 10, 100)
    ]
    found = client.get("/api/v1/trainings/my-pack").json()
    assert (found["train"]["loss"], found["metric"], found["checkpoints"]) == ([2.0], "bleu", [10])
    same = client.get("/api/v1/trainings/my-pack", params={"seen": found["tag"]})
    assert same.json() is None
    write(folder, trained(20))
    assert client.get("/api/v1/trainings/my-pack", params={"seen": found["tag"]}).json()["step"] == 20

    sample = client.get("/api/v1/trainings/my-pack/samples/10").json()
    assert sample["results"][0]["said"] == "b a"
    assert [token["text"] for token in sample["target"]["tokens"]] == ["<start>"]
    assert [one["part"] for one in sample["attention"]] == ["enc.0.self", "dec.0.self", "dec.0.cross"]
    numbers = np.frombuffer(client.get("/api/v1/trainings/my-pack/samples/10/attention").content, "<f4")
    np.testing.assert_array_equal(numbers[:24].reshape(2, 4, 3), client.weights)
    one = client.get("/api/v1/trainings/my-pack/samples/10/at/dec.0.cross.h1.weights[3,2]").json()
    assert np.float32(one) == client.weights[1, 3, 2]


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("my-pakc", 404, "did you mean 'my-pack'"),
        ("..%2Fmy-pack", 404, "not found"),
        ("my-pack/samples/11", 404, "no samples of step 11"),
        ("my-pack/samples/-1", 422, "step"),
        ("my-pack/samples/1e3", 422, "step"),
        ("my-pack/samples/10/at/enc.9.self.weights", 404, "enc.9.self.weights"),
        ("my-pack/samples/10/at/enc.0.self.h7.weights", 404, "h0 to h1"),
    ],
)
def test_what_is_not_there_is_told(client, path, status, told):
    answer = client.get(f"/api/v1/trainings/{path}")
    assert (answer.status_code, told in answer.json()["error"]) == (status, True), answer.text


def test_a_tokenizer_outside_of_the_folder_is_not_read(client, folder):
    (folder / "data" / "shared.tokenizer.json").rename(folder.parent / "shared.tokenizer.json")
    about = {"tokenizers": {"source": "../../shared.tokenizer.json", "target": "../../shared.tokenizer.json"}}
    (folder / "data" / "prepared.json").write_text(json.dumps(about))
    assert client.get("/api/v1/trainings/my-pack/samples/10").status_code == 400


def test_others_may_not_watch_unless_they_are_allowed_to(folder):
    for allowed, status in ((None, 403), (True, 200)):
        settings = ServerSettings(training=(folder,), host="0.0.0.0", allow_host=("*",), allow_trainings=allowed)
        with TestClient(create_app(ServedPacks({}, settings)), base_url="http://example.org") as client:
            assert client.get("/api/v1/trainings").status_code == status
            assert client.get("/api/v1/models").json()["trainings"] == (status == 200)


def test_who_watches_waits_in_a_line_of_their_own(folder, monkeypatch):
    may_go_on = threading.Event()
    look = TrainingReader.look
    monkeypatch.setattr(TrainingReader, "look", lambda reader: may_go_on.wait(20) and look(reader))
    app = create_app(ServedPacks({}), ServerSettings(training=(folder,), explain_queue=0))
    with running(app) as address, ThreadPoolExecutor() as pool:
        held = [pool.submit(httpx.get, f"{address}/api/v1/trainings", timeout=30) for _ in range(2)]
        while app.state.calls.watch_workers.in_flight < 2:
            time.sleep(0.01)
        refused = httpx.get(f"{address}/api/v1/trainings")
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        assert httpx.get(f"{address}/api/v1/models").status_code == 200
        may_go_on.set()
        assert [one.result().status_code for one in held] == [200, 200]


def test_what_is_no_training_is_refused_at_the_start(folder, tmp_path):
    with pytest.raises(DhyanError, match=r"did you mean .*my-pack\.training"):
        check_trainings([tmp_path / "my-pack"])
    other = tmp_path / "other" / folder.name
    with pytest.raises(DhyanError, match="two trainings of the same name"):
        trainings_named([folder, other])
