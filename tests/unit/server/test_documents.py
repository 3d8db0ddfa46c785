"""A document that the page sends: its progress line by line, the file at the end, and what is refused in words."""

import json
import time
from pathlib import Path
from threading import Event

import httpx
import pytest
from fastapi.testclient import TestClient

from dhyan.loading import load
from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from dhyan.translation.translator import Translator
from support.packs import random_pack
from support.serving import running

HOST = "http://127.0.0.1"
LINES = [f"the river bank flows {number}" for number in range(150)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    random_pack(folder := tmp_path_factory.mktemp("packs") / "en-hi", "encoder-decoder", languages=("en", "hi"))
    return folder


@pytest.fixture(scope="module")
def client(folder):
    app = create_app(ServedPacks({"en-hi": folder}), ServerSettings(max_file_characters=10_000))
    with TestClient(app, base_url=HOST) as client:
        yield client


def send(client, name, content, **fields):
    return client.post("/api/v1/documents", files={"file": (name, content)}, data=fields)


def test_a_document_is_watched_and_fetched(client, folder):
    answer = send(client, "notes.md", "\n\n".join(LINES).encode(), model="en-hi")
    assert answer.status_code == 200, answer.text
    *steps, last = map(json.loads, answer.text.splitlines())
    done = [step["done"] for step in steps]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, len(LINES))
    assert len(done) > 3  # in batches, so that one sees it move
    assert {step["of"] for step in steps} == {len(LINES)}
    assert (last["name"], last["texts"], last["failed"]) == ("notes_hi.md", len(LINES), 0)
    fetched = client.get(f"/api/v1/documents/{last['key']}")
    assert fetched.text.splitlines()[0] == load(folder)(LINES[0])
    assert "notes_hi.md" in fetched.headers["content-disposition"]


@pytest.mark.parametrize(
    ("name", "content", "fields", "sentence"),
    [
        ("a.exe", b"x", {}, "a file of this kind (.exe) cannot be translated"),
        ("", b"x", {}, "there is no file"),
        ("a.txt", b"\xff\xfe", {}, "a.txt, line 1: byte 0xFF is not UTF-8"),
        ("a.txt", b"word " * 3000, {}, "exceeds text limit (10000)"),
        ("a.txt", b"word", {"model": "nobody"}, "no pack 'nobody' is served here"),
    ],
)
def test_a_document_that_is_refused(client, name, content, fields, sentence):
    answer = send(client, name, content, **fields)
    assert answer.status_code in (400, 404)
    assert sentence in answer.json()["error"]


def test_a_document_that_is_not_there(client):
    assert client.get(f"/api/v1/documents/{'0' * 32}").status_code == 404


def test_who_goes_away_gives_the_work_up(folder, monkeypatch):
    may_go_on, translate = Event(), Translator.translate
    batches = []

    def slow(self, texts, *given, **settings):
        batches.append(len(texts))
        may_go_on.wait(10)
        return translate(self, texts, *given, **settings)

    monkeypatch.setattr(Translator, "translate", slow)
    app = create_app(ServedPacks({"en-hi": folder}))
    with running(app) as address:
        files = {"file": ("notes.txt", "\n".join(LINES).encode())}
        with httpx.Client() as client, client.stream("POST", f"{address}/api/v1/documents", files=files) as answer:
            assert json.loads(next(answer.iter_lines()))["done"] == 0
        time.sleep(0.3)  # until it is noticed
        may_go_on.set()
        began = time.monotonic()
        while app.state.calls.in_flight and time.monotonic() - began < 10:
            time.sleep(0.02)
        assert not app.state.calls.in_flight
        assert sum(batches) < len(LINES)


def test_files_are_sent_by_the_suffixes_that_are_told(client):
    told = client.get("/api/v1/models").json()
    assert {".docx", ".md", ".srt", ".po", ".txt"} <= set(told["file_suffixes"])
    assert told["most_file_bytes"] == ServerSettings().max_file_bytes
    assert not Path(told["file_suffixes"][0]).suffix  # a suffix alone


TAKERS = (
    ("/api/v1/documents", {}),
    ("/translate_file", {"source": "en", "target": "hi"}),
    ("/v2/document", {"target_lang": "HI"}),
)


def test_what_waits_to_be_fetched_has_one_limit_for_all_routes(folder):
    app = create_app(ServedPacks({"en-hi": folder}), ServerSettings(max_kept_files=1))
    with TestClient(app, base_url=HOST) as one:
        key = json.loads(send(one, "a.txt", b"the river").text.splitlines()[-1])["key"]
        assert one.get(f"/api/v1/documents/{key}").status_code == 200
        for path, fields in TAKERS[1:]:
            assert one.post(path, files={"file": ("b.txt", b"the bank")}, data=fields).status_code == 200
        assert one.get(f"/api/v1/documents/{key}").status_code == 404


def test_a_server_may_take_no_files(folder):
    app = create_app(ServedPacks({"en-hi": folder}), ServerSettings(max_kept_files=0))
    with TestClient(app, base_url=HOST) as one:
        for path, fields in TAKERS:
            answer = one.post(path, files={"file": ("a.txt", b"the river")}, data=fields)
            assert (answer.status_code, "files are not translated by this server" in answer.text) == (403, True), path
        assert one.get("/api/v1/models").json()["file_suffixes"] == []
        known = one.get("/frontend/settings").json()
        assert (known["filesTranslation"], known["supportedFilesFormat"]) == (False, [])
