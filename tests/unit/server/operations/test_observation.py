"""Metrics and the access log: what was asked is counted by route, and no text, key or address is in the numbers."""

import asyncio
import json
import re

import pytest
from fastapi.testclient import TestClient

from dhyan.server.app import create_app
from dhyan.server.operations.api_keys import KeyLimits, add_key
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from support.packs import random_pack

SECRET = "the secret river"
SAMPLE = re.compile(r'(\w+)(\{(?:\w+="(?:\\.|[^"\\])*",?)*\})? (-?[0-9.e+-]+)')


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "to-hindi"
    random_pack(folder, "encoder-decoder")
    return ServedPacks({"to-hindi": folder})


def samples(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(SAMPLE.fullmatch(line) for line in lines)
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_what_is_counted_and_what_is_not_told(packs, tmp_path):
    keys, log = tmp_path / "keys.toml", tmp_path / "access.jsonl"
    key = add_key(keys, "blog", KeyLimits(requests_per_minute=7))
    app = create_app(packs, ServerSettings(keys=keys, access_log=str(log), allow_explain=True))
    served = TestClient(app, base_url="http://127.0.0.1", headers={"X-API-Key": key})
    for _ in range(2):
        served.post("/api/v1/translate", json={"text": SECRET})
    served.get("/api/v1/at/enc.0.self.W_Q", params={"text": SECRET})
    served.get(f"/{SECRET}")
    served.get("/api/v1/models", params={"model": SECRET})
    served.post("/v1/completions", json={"model": SECRET, "prompt": SECRET})
    served.get("/page/main.js", headers={"X-API-Key": ""})
    served.post("/translate", headers={"X-API-Key": "wrong " + SECRET})
    answer = served.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = samples(answer.text)
    assert found['dhyan_requests_total{route="/api/v1/translate",status="200"}'] == 2
    assert found['dhyan_requests_total{route="/api/v1/at/{address}",status="200"}'] == 1
    assert found['dhyan_requests_total{route="other",status="404"}'] == 1
    assert found['dhyan_request_seconds_count{route="/api/v1/translate"}'] == 2
    assert found['dhyan_request_seconds_bucket{route="/api/v1/translate",le="+Inf"}'] == 2
    assert found['dhyan_requests_total{route="/translate",status="403"}'] == 1  # refused before it was routed
    assert found['dhyan_refused_total{why="key"}'] == 1
    assert found['dhyan_pack_loaded{pack="to-hindi"}'] == 1
    assert found['dhyan_batch_texts_total{pack="to-hindi"}'] >= found['dhyan_batches_total{pack="to-hindi"}'] >= 2
    assert found['dhyan_batch_tokens_total{pack="to-hindi"}'] > 2
    assert found['dhyan_engine_seconds_total{pack="to-hindi"}'] > 0
    assert found["dhyan_characters_total"] == 2 * len(SECRET)
    assert found["dhyan_requests_in_flight"] == 1  # this one
    assert found["dhyan_queue_tokens"] == 0
    assert found["process_resident_memory_bytes"] > 1e6
    for told in (answer.text, log.read_text()):
        assert not re.search(rf"river|{re.escape(key)}|W_Q|wrong", told)
    assert "testclient" not in answer.text  # the caller's address
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["status"] for line in lines][:4] == [200, 200, 200, 404]
    assert {"time", "method", "route", "status", "seconds", "bytes_in", "bytes_out", "client", "key"} == set(lines[0])
    assert (lines[0]["key"], lines[0]["route"], lines[0]["method"]) == ("blog", "/api/v1/translate", "POST")
    assert lines[0]["bytes_in"] > len(SECRET)
    assert lines[-2]["key"] is None
    assert served.get("/metrics").status_code == 429  # the seventh with the key was the last


@pytest.mark.parametrize("path", ["/api/v1/translate", "/v1/completions", "/v2/translate", "/detect"])
@pytest.mark.parametrize("with_keys", [False, True])
def test_who_goes_away_while_sending_is_no_defect(packs, tmp_path, path, with_keys):
    keys = tmp_path / "keys.toml"
    add_key(keys, "blog", KeyLimits())
    app = create_app(packs, ServerSettings(keys=keys if with_keys else None))
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"1000")]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    coming = iter([{"type": "http.request", "body": b'{"q": "', "more_body": True}])

    async def receive():
        return next(coming, {"type": "http.disconnect"})

    async def send(message):
        pass

    asyncio.run(app(scope, receive, send))
    assert samples(app.state.metrics.text())[f'dhyan_requests_total{{route="{path}",status="499"}}'] == 1


def test_a_defect_of_ours_is_counted_too(packs, monkeypatch):
    app = create_app(packs, ServerSettings())

    def broken(*_):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(packs, "find_for", broken)
    served = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    answer = served.post("/api/v1/translate", json={"text": "a"})
    assert answer.status_code == 500
    assert set(answer.json()) == {"error"}
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert 'route="/api/v1/translate",status="500"' in served.get("/metrics").text
