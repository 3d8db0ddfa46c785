"""Whatever is sent, the server goes on: no status 500, no hang, every refusal in words, memory within bounds."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from support.hostile_requests import (
    FORM,
    JSON,
    MULTIPART,
    ODD_BODIES,
    ODD_TYPES,
    ODD_VALUES,
    exchange,
    mutated,
    written,
)
from support.packs import random_pack

resource = pytest.importorskip("resource")  # the limits of Unix

HANDLES = 256  # files and connections that the server may have open
PATIENCE = ("--header-seconds", "3", "--body-seconds", "3")
MOST_MEMORY = 400 << 20  # bytes by which the server may grow while all of this is sent
FRIENDLY = {  # path: fields of a request that is fine
    "/api/translate": {"text": "the river"},
    "/api/v1/translate": {"text": "the river", "model": "", "alternatives": 1, "style": None, "formality": "formal"}
    | {"glossary": {"river": "नदी"}},
    "/api/v1/continuations": {"text": "the river", "prefix": "नदी", "count": 2, "model": "", "style": None}
    | {"formality": "formal", "gender": None},
    "/api/v1/documents": {"file": "a", "model": ""},
    "/api/v1/align": {"source": "the river", "target": "नदी का घर", "model": ""},
    "/api/v1/embed": {"texts": ["the river", "the bank"], "model": ""},
    "/api/v1/similar": {"text": "the river", "among": ["the bank"], "model": ""},
    "/api/v1/classify": {"texts": ["the river"], "model": ""},
    "/api/v1/write": {"prompt": "the", "max_length": 3, "temperature": 1.0, "top_k": 3, "top_p": 0.9, "seed": 1},
    "/api/v1/labs/nothing/live": {"settings": {}, "width": 640},
    "/translate": {
        "q": "the river",
        "source": "en",
        "target": "hi",
        "format": "html",
        "alternatives": 1,
        "api_key": "",
    },
    "/detect": {"q": "the river", "api_key": ""},
    "/suggest": {"q": "the", "s": "घर", "source": "en", "target": "hi"},
    "/translate_file": {"file": "a", "source": "en", "target": "hi"},
    "/v1/completions": {"model": "author", "prompt": ["the"], "max_tokens": 3, "temperature": 1, "top_p": 0.9, "n": 1}
    | {"seed": 1, "stop": ["."], "stream": False, "echo": False, "logprobs": None, "best_of": 1},
    "/v1/embeddings": {"model": "moods", "input": ["the"], "encoding_format": "base64", "dimensions": None},
    "/v1/chat/completions": {"model": "author", "messages": [{"role": "user", "content": "the"}]},
    "/v2/translate": {"text": ["the river"], "target_lang": "HI", "source_lang": "EN", "tag_handling": "xml"}
    | {"formality": "more", "show_billed_characters": True, "split_sentences": "1", "ignore_tags": ["x"]},
    "/v2/document": {"file": "a", "target_lang": "HI", "source_lang": "EN"},
    "/v2/document/nothing/result": {"document_key": "a"},
    "/embed": {"inputs": ["the"], "normalize": True, "truncate": True, "dimensions": None},
    "/predict": {"inputs": "the river", "raw_scores": False, "truncate": True},
    "/similarity": {"inputs": {"source_sentence": "the", "sentences": ["the river", "bank"]}},
    "/rerank": {"query": "the", "texts": ["the"], "raw_scores": False},
}
ODD_TEXTS = [
    "",
    "%00",
    "%ff",
    "%ed%a0%80",
    "%F0%9F%98%80",
    "..%2f..%2fetc%2fpasswd",
    "'\"<script>",
    "1e999",
    "-1",
    "a" * 5000,
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    for name, shape in (("to-hindi", "encoder-decoder"), ("moods", "encoder"), ("author", "decoder")):
        random_pack(folder / name, shape)
    return {name: folder / name for name in ("to-hindi", "moods", "author")}


@pytest.fixture(scope="module")
def routes(folders):
    """(method, path) of everything that is answered."""
    described = create_app(ServedPacks(folders)).openapi()["paths"]
    return [(method.upper(), path) for path, methods in described.items() for method in methods]


@pytest.fixture(scope="module")
def server(folders):
    named = [part for folder in folders.values() for part in ("--model", str(folder))]
    process = subprocess.Popen(
        [sys.executable, "-m", "dhyan.cli", "serve", "--port", "0", *PATIENCE, *named],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (HANDLES, HANDLES)),
    )
    line = process.stderr.readline()
    process.port = int(re.search(r"http://127\.0\.0\.1:(\d+)", line)[1])
    for path, fields in FRIENDLY.items():  # everything is loaded before memory is looked at
        exchange(process.port, written("POST", path, json.dumps(fields).encode()))
    yield process
    process.send_signal(signal.SIGTERM)
    process.wait(20)
    assert "Traceback" not in process.stderr.read()


@pytest.fixture(autouse=True)
def is_well_afterwards(server):
    """It lives, answers at once, and has not grown beyond bounds."""
    before = memory_of(server)
    yield
    assert server.poll() is None
    began = time.monotonic()
    well = exchange(server.port, written("POST", "/api/v1/translate", b'{"text": "the river"}'))
    assert well.status == 200
    assert time.monotonic() - began < 5
    assert memory_of(server) - before < MOST_MEMORY


def memory_of(process):
    status = Path(f"/proc/{process.pid}/status")
    return int(status.read_text().split("VmRSS:")[1].split()[0]) * 1024 if status.exists() else 0


def check(answer, sent):
    """A refusal says what is wrong; a failure of ours is never the client's to see."""
    assert answer is not None, sent[:300]
    assert answer.status != 500, (sent[:300], answer)
    if answer.status >= 400:
        assert max(map(len, answer.words), default=0) >= 10, (sent[:300], answer)
        assert "Traceback" not in str(answer.words), sent[:300]
    return answer


def send(server, *request, **more):
    raw = written(*request, **more)
    return check(exchange(server.port, raw), raw)


def test_the_friendly_ones_are_answered(server):
    for path in ("/api/translate", "/api/v1/translate", "/api/v1/embed", "/api/v1/classify", "/api/v1/write"):
        assert send(server, "POST", path, json.dumps(FRIENDLY[path]).encode()).status == 200


@pytest.mark.parametrize("path", FRIENDLY)
def test_odd_values_in_every_field(server, path):
    fields = FRIENDLY[path]
    for number, name in enumerate(fields):
        others = json.dumps({key: one for key, one in fields.items() if key != name})[1:-1]
        for other, value in enumerate(ODD_VALUES):
            if (number == 0) if len(value) > 100 else (number + other) % 3 == 0:  # time is short: not all everywhere
                body = "{" + f"{json.dumps(name)}: {value}{', ' * bool(others)}{others}" + "}"
                send(server, "POST", path, body.encode())


def test_odd_bodies(server, routes):
    paths = {path for method, path in routes if method == "POST"} | set(FRIENDLY)
    for number, path in enumerate(sorted(paths)):
        for other, body in enumerate(ODD_BODIES):
            if len(body) < 1000 or (number + other) % 4 == 0:
                kind = (JSON, FORM, MULTIPART)[(number + other) % 3]
                send(server, "POST", re.sub(r"\{[^}]*\}", "nothing", path), body, kind)


def test_odd_content_types(server):
    for path, fields in FRIENDLY.items():
        for kind in ODD_TYPES:
            send(server, "POST", path, json.dumps(fields).encode(), kind)
        send(server, "POST", path, json.dumps(fields).encode(), headers=["Content-Encoding: gzip"])


@pytest.mark.parametrize("seed", range(2))
def test_mutated_bodies(server, seed):
    draw = random.Random(seed)
    for path, fields in FRIENDLY.items():
        for _ in range(6):
            send(server, "POST", path, mutated(json.dumps(fields).encode(), draw))


def test_odd_addresses(server, routes):
    for method, path in routes:
        for text in ODD_TEXTS:
            address = "/".join(quote(text) if part.startswith("{") else part for part in path.split("/"))
            query = "&".join(
                f"{name}={text}"
                for name in ("text", "model", "q", "langpair", "off", "force", "beam", "type", "hide", "set", "patch")
            )
            if method in ("GET", "DELETE"):
                send(server, method, f"{address}?{query}")
    for path in (
        "/page/..%2f..%2fapp.py",
        "/page/../app.py",
        "//",
        "/%2e%2e/",
        "/api/v1/translate/",
        "/" + "a" * 9000,
    ):
        assert send(server, "GET", path).status in (307, 400, 404, 405)
    for method in ("TRACE", "PUT", "PATCH", "PROPFIND"):
        answer = exchange(server.port, written(method, "/api/v1/translate"))
        assert answer.status in (400, 404, 405)


# -- connections -----------------------------------------------------------------------------------------------

HEAD = b"POST /api/v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
BODY = b'{"text": "the river"}'
NOT_HTTP = [
    b"\r\n\r\n",
    b"GET /\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET  HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 200,  # a greeting in TLS
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x00" * 5_000,
    b"GET / HTTP/1.1\r\n\r\n",  # no host
    b"GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    HEAD + b"Content-Length: -1\r\n\r\n" + BODY,
    HEAD + b"Content-Length: +21\r\n\r\n" + BODY,
    HEAD + b"Content-Length: 21\r\nContent-Length: 5\r\n\r\n" + BODY,
    HEAD + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    HEAD + b"Content-Length: 21\r\nTransfer-Encoding: chunked\r\n\r\n" + BODY,
    HEAD + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + BODY,
    HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    HEAD + b"".join(b"X-%d: a\r\n" % number for number in range(20_000)) + b"\r\n",
    HEAD + b"X: " + b"a" * 1_000_000 + b"\r\n\r\n",
    HEAD + b" folded: a\r\nContent-Length: 0\r\n\r\n",
    HEAD + b"Upgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n",
]


@pytest.mark.parametrize("raw", NOT_HTTP, ids=range(len(NOT_HTTP)))
def test_what_is_no_good_http(server, raw):
    answer = exchange(server.port, raw, timeout=15)
    assert answer is None or 400 <= check(answer, raw).status < 500


def test_a_body_that_is_announced_and_does_not_come(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(HEAD + b"Expect: 100-continue\r\nContent-Length: 21\r\n\r\n")
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(HEAD + b"Content-Length: 21\r\n\r\n" + BODY[:9])


def test_many_requests_in_one_breath(server):
    """Pipelined: each is answered."""
    one = HEAD + b"Content-Length: 21\r\n\r\n" + BODY
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(one * 20 + written("GET", "/api/v1/models"))  # the last one closes the connection
        with connection.makefile("rb") as answers:
            assert answers.read().count(b"HTTP/1.1 200 OK") == 21


def test_more_connections_than_the_server_has_handles(server):
    """All of them half-open: they are made room from, and whoever asks properly is answered."""
    with ExitStack() as stack:
        for number in range(HANDLES + 100):
            held = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            held.sendall(HEAD[: number % len(HEAD)])
        began = time.monotonic()
        assert send(server, "POST", "/api/v1/translate", BODY).status == 200
        assert time.monotonic() - began < 5


def test_clients_that_are_slow_on_purpose(server):
    """A byte now and then holds a connection no longer than the time for headers or a body, and delays nobody."""
    with ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 20)) for _ in range(20)]
        for number, connection in enumerate(slow):
            connection.sendall(HEAD if number % 2 else HEAD + b"Content-Length: 999999\r\n\r\n")
        for _ in range(5):
            for connection in slow:
                connection.sendall(b"X")
            began = time.monotonic()
            assert send(server, "POST", "/api/v1/translate", BODY).status == 200
            assert time.monotonic() - began < 5
        for connection in slow:
            with suppress(ConnectionResetError):
                while connection.recv(1000):  # until it is closed: a time-out here is a failure
                    pass


def test_clients_that_hang_up_at_once(server):
    long = json.dumps({"text": "the river bank flows and the money bank grows. " * 200}).encode()
    for _ in range(100):
        with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
            connection.sendall(written("POST", "/api/v1/translate", long))
