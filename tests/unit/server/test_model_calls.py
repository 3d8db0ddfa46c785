"""Work is let in, waits, runs, is refused and is given up: the gate, the workers, and the server around them."""

import asyncio
import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient
from starlette.requests import Request

from dhyan.core.cancellation import stop_if_cancelled
from dhyan.core.cores import usable_cores
from dhyan.explain.explainer import Explainer
from dhyan.server import admission
from dhyan.server.admission import Admission, estimated_tokens
from dhyan.server.app import create_app
from dhyan.server.http_errors import HttpError
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from dhyan.server.workers import ClientGone, Workers
from support.coroutines import run_coroutine
from support.packs import random_pack
from support.serving import running

LONG = "the river bank flows and the money bank grows " * 5


class Client:
    """A request whose client can go away."""

    def __init__(self):
        self.gone = asyncio.Event()
        self.request = Request({"type": "http"}, self.receive)

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}


class Step:
    """Work that goes on step by step until it may end, or is given up."""

    def __init__(self):
        self.begun, self.may_end, self.ended = threading.Event(), threading.Event(), threading.Event()

    def __call__(self):
        self.begun.set()
        try:
            while not self.may_end.wait(0.01):
                stop_if_cancelled()
            return "done"
        finally:
            self.ended.set()


def until(condition):
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < 10
        time.sleep(0.01)


@pytest.fixture
def workers():
    workers = Workers("test", 1, waiting=1)
    yield workers
    workers.close(5)
    assert not workers.in_flight


# -- admission -------------------------------------------------------------------------------------------------


def test_so_many_tokens_are_let_in_and_no_more():
    gate = Admission(100)
    gate.enter(80)
    with pytest.raises(HttpError, match="as much to do as it can take") as refused:
        gate.enter(30)
    assert refused.value.http_status == 503
    assert 1 <= int(refused.value.headers["Retry-After"]) <= 60
    gate.enter(20)
    gate.leave(80)
    gate.enter(80)
    assert (gate.tokens, gate.refused) == (100, 1)


def test_what_is_larger_than_the_gate_goes_alone():
    gate = Admission(100)
    gate.enter(1000)
    with pytest.raises(HttpError):
        gate.enter(1)
    gate.leave(1000)
    gate.enter(1)


def test_retry_after_is_the_queue_divided_by_the_speed(monkeypatch):
    now = 100.0
    monkeypatch.setattr(admission, "time", SimpleNamespace(monotonic=lambda: now))
    gate = Admission(2000)
    gate.enter(2000)
    for _ in range(30):  # in bursts of two, 200 tokens per second
        now += 1
        for _ in range(2):
            gate.leave(100)
            gate.enter(100)
        for _ in range(100):  # to find out a language uses no tokens, and says nothing of the speed
            gate.enter(0)
            gate.leave(0)
    with pytest.raises(HttpError) as refused:
        gate.enter(1)
    assert 9 <= int(refused.value.headers["Retry-After"]) <= 11


def test_long_texts_cost_more_and_empty_ones_something():
    assert 0 < estimated_tokens([""]) < estimated_tokens(["the river"]) < estimated_tokens(["the river"] * 2)
    assert estimated_tokens(["the river"], passes=3) == 3 * estimated_tokens(["the river"])


# -- the workers -----------------------------------------------------------------------------------------------


def test_a_result_and_an_error_come_back(workers):
    async def ask():
        ended = []
        assert await workers.run(Client().request, lambda: 3, 10, lambda: ended.append(1)) == 3
        with pytest.raises(ZeroDivisionError):
            await workers.run(Client().request, lambda: 1 / 0, 10, lambda: ended.append(2))
        assert ended == [1, 2]

    run_coroutine(ask())


def test_whoever_goes_away_frees_the_worker(workers):
    async def ask():
        client, work, never = Client(), Step(), Step()
        running = asyncio.ensure_future(workers.run(client.request, work, 60))
        await asyncio.to_thread(work.begun.wait, 10)
        impatient = Client()
        waiting = asyncio.ensure_future(workers.run(impatient.request, never, 60))
        await asyncio.sleep(0)
        impatient.gone.set()
        with pytest.raises(ClientGone):
            await waiting
        client.gone.set()
        with pytest.raises(ClientGone):
            await running
        assert await asyncio.to_thread(work.ended.wait, 10)
        assert await workers.run(Client().request, lambda: "next", 10) == "next"
        assert not never.begun.is_set()

    run_coroutine(ask())


def test_time_is_limited_for_what_runs_and_for_what_waits(workers):
    async def ask():
        work = Step()
        late = asyncio.ensure_future(workers.run(Client().request, work, 0.3))
        await asyncio.to_thread(work.begun.wait, 10)
        with pytest.raises(HttpError, match=r"no time for this request within 0\.05 seconds") as waited:
            await workers.run(Client().request, Step(), 0.05)
        assert waited.value.http_status == 503
        assert waited.value.headers["Retry-After"]
        with pytest.raises(HttpError, match=r"longer than the 0\.3 seconds") as ran:
            await late
        assert ran.value.http_status == 504
        assert await asyncio.to_thread(work.ended.wait, 10)

    run_coroutine(ask())


def test_so_many_wait_and_no_more(workers):
    async def ask():
        work, ended = Step(), []
        first = asyncio.ensure_future(workers.run(Client().request, work, 10))
        await asyncio.to_thread(work.begun.wait, 10)
        second = asyncio.ensure_future(workers.run(Client().request, lambda: 2, 10))
        await asyncio.sleep(0)
        with pytest.raises(HttpError, match="too many requests wait") as refused:
            await workers.run(Client().request, lambda: 3, 10, lambda: ended.append(3))
        assert (refused.value.http_status, ended) == (503, [3])
        work.may_end.set()
        assert (await first, await second) == ("done", 2)

    run_coroutine(ask())


# -- the server ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    for name, shape in (("to-hindi", "encoder-decoder"), ("moods", "encoder")):
        random_pack(folder / name, shape)
    return {name: folder / name for name in ("to-hindi", "moods")}


@pytest.fixture(scope="module")
def app(folders):
    settings = ServerSettings(
        queue_tokens=2000, explain_workers=1, explain_queue=1, header_seconds=0.5, body_seconds=0.5, threads=2
    )
    return create_app(ServedPacks(folders, settings), settings)


@pytest.fixture(scope="module")
def port(app):
    with running(app) as address:
        yield int(address.rpartition(":")[2])


def post(port, path, **asked):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path, json.dumps(asked), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read()), answer.headers


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    return connection


def test_many_clients_get_what_each_gets_alone(app, port):
    texts = [" ".join(LONG.split()[:words]) for words in range(1, 25, 2)]
    alone = [post(port, "/api/v1/translate", text=text)[1]["text"] for text in texts]
    vectors = [post(port, "/api/v1/embed", texts=[text])[1] for text in texts]
    with ThreadPoolExecutor(12) as pool:
        translated = pool.map(lambda text: post(port, "/api/v1/translate", text=text)[1]["text"], texts)
        embedded = pool.map(lambda text: post(port, "/api/v1/embed", texts=[text])[1], texts)
        assert list(translated) == alone
        assert list(embedded) == vectors
    batches, rows, *_ = app.state.calls.packs.find("moods").engine_work
    assert batches < rows  # some of them went together


def test_beyond_the_queue_is_503_and_the_server_goes_on(app, port):
    calls = app.state.calls
    calls.admission.enter(1990)
    try:
        status, told, headers = post(port, "/api/v1/translate", text=LONG)
        assert status == 503
        assert "try again" in told["error"]
        assert int(headers["Retry-After"]) >= 1
        assert post(port, "/api/v1/embed", texts=[LONG])[0] == 503  # one gate for all
    finally:
        calls.admission.leave(1990)
    assert post(port, "/api/v1/translate", text="the river")[0] == 200
    until(lambda: calls.admission.tokens == 0)


def test_opening_up_never_delays_translation(port, monkeypatch):
    may_go_on = threading.Event()
    answer = Explainer.answer
    monkeypatch.setattr(Explainer, "answer", lambda *asked: may_go_on.wait(20) and answer(*asked))
    held = [get(port, f"/api/v1/explain?text=the+river+{number}") for number in range(2)]
    time.sleep(0.3)
    refused = get(port, "/api/v1/explain?text=the+river+2").getresponse()
    assert refused.status == 503
    assert refused.headers["Retry-After"]
    assert post(port, "/api/v1/translate", text="the river")[0] == 200
    may_go_on.set()
    assert [connection.getresponse().status for connection in held] == [200, 200]


def test_a_client_that_hangs_up_leaves_no_work_behind(app, port):
    calls = app.state.calls
    connection = get(port, f"/api/v1/alignment?beam=16&text={LONG.strip().replace(' ', '+')}")
    until(lambda: calls.explain_workers.in_flight == 1)
    connection.close()
    began = time.monotonic()
    until(lambda: calls.explain_workers.in_flight == 0)
    assert time.monotonic() - began < 3
    body = json.dumps({"texts": [LONG] * 20}).encode()
    with socket.create_connection(("127.0.0.1", port)) as sending:
        sending.sendall(b"POST /api/v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n")
        sending.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        until(lambda: calls.admission.tokens > 0)
    until(lambda: calls.admission.tokens == 0)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "http://127.0.0.1"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[::1"}, 403),
    ],
)
def test_pages_of_other_origins_may_not_ask(app, headers, status):
    client = TestClient(app, base_url="http://127.0.0.1")
    assert client.get("/api/v1/explain", params={"text": "the"}, headers=headers).status_code == status
    assert client.post("/api/v1/translate", json={"text": "the"}, headers=headers).status_code == status
    assert client.delete("/api/labs/measuring", headers=headers).status_code == status
    assert client.get("/", headers=headers).status_code == 200  # a link to the page is fine


@pytest.mark.parametrize(
    ("limit", "cores"), [("100000 100000", 1), ("50000 100000", 1), ("max 100000", None), ("", None)]
)
def test_a_container_has_the_cores_that_it_is_given(tmp_path, limit, cores):
    (tmp_path / "cpu.max").write_text(limit)
    everything = usable_cores(tmp_path / "no such file")
    assert usable_cores(tmp_path / "cpu.max") == (cores or everything)
    assert everything >= 1
