"""Who is answered: hosts, keys and their limits in each protocol's words, other sites, this machine alone."""

import asyncio
import json
import re

import pytest
from fastapi.testclient import TestClient

from dhyan.server.app import create_app
from dhyan.server.every_answer import EveryAnswer
from dhyan.server.operations.api_keys import KeyLimits, add_key
from dhyan.server.operations.lifecycle import Lifecycle
from dhyan.server.served_packs import ServedPacks
from dhyan.server.settings import ServerSettings
from support.coroutines import run_coroutine
from support.packs import random_pack

TEXT = "the river bank"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs") / "to-hindi"
    random_pack(folder, "encoder-decoder")
    return {"to-hindi": folder}


@pytest.fixture(scope="module")
def packs(folders):
    return ServedPacks(folders)


@pytest.fixture(scope="module")
def client(packs):
    """client(cors=…): a client of a server with these settings, made once."""
    known = {}

    def made(lifecycle=None, **settings):
        key = ServerSettings(**settings), lifecycle
        if key not in known:
            app = create_app(packs, key[0], lifecycle=lifecycle)
            known[key] = TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)
        return known[key]

    return made


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "keys.toml"
    return path, add_key(path, "me", KeyLimits())


# -- hosts -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "localhost", "[::1]:8080", "MT.example.org", "a.b.example.net:1"])
def test_known_hosts_are_answered(client, host):
    served = client(allow_host=("mt.example.org", "*.example.net"))
    assert served.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.com", "mt.example.org.evil.com", "example.net", "127.0.0.1.evil.com", ""])
def test_other_hosts_are_refused_in_words(client, host):
    answer = client(allow_host=("mt.example.org", "*.example.net")).get("/", headers={"Host": host})
    assert answer.status_code == 400
    assert "--allow-host" in answer.json()["error"]
    assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_the_address_that_is_listened_on_is_answered(client):
    assert client(host="127.0.0.2").get("/health", headers={"Host": "127.0.0.2:8080"}).status_code == 200
    assert client(host="127.0.0.2").get("/health", headers={"Host": "127.0.0.3:8080"}).status_code == 400


@pytest.mark.parametrize("page", ["/", "/docs"])
def test_whether_a_page_is_there_can_be_asked(client, page):
    answer = client().head(page)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["cache-control"] == "no-cache"


def test_a_proxy_is_named_by_its_address():
    assert ServerSettings(trust_proxy=("127.0.0.1", "10.0.0.0/8", "::1")).trust_proxy[1] == "10.0.0.0/8"
    assert ServerSettings(trust_proxy=("127.0.0.1", "*")).trust_proxy == ("*",)
    for wrong in ("proxy.example.org", "10.0.0.1/8", "127.0.0.1:80", ""):
        with pytest.raises(ValueError, match="is no address"):
            ServerSettings(trust_proxy=(wrong,))


# -- keys ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent",
    [
        {"headers": {"Authorization": "Bearer {}"}},
        {"headers": {"Authorization": "bearer   {}"}},
        {"headers": {"Authorization": "DeepL-Auth-Key {}"}},
        {"headers": {"X-API-Key": "{}"}},
        {"params": {"api_key": "{}"}},
        {"json": {"api_key": "{}"}},
        {"json": {"api_key": "", "apiKey": "{}"}},
        {"data": {"api_key": "{}"}},
        {"data": {"api_key": "{}"}, "files": {"file": ("a.txt", b"hello")}},
    ],
    ids=str,
)
def test_a_key_is_taken_wherever_clients_put_it(client, keys, sent):
    path, key = keys
    filled = json.loads(re.sub(r"\{\}", key, json.dumps(sent, default=repr)))
    if "files" in sent:
        filled["files"] = sent["files"]
    answer = client(keys=path).post("/detect", **filled)
    assert answer.json() == {"error": "Invalid request: missing q parameter"}  # the key was right


def test_the_body_is_there_after_its_key_was_read(client, keys):
    path, key = keys
    sent = {"text": TEXT, "api_key": key}
    open_server = client().post("/api/v1/translate", json={"text": TEXT}).json()
    answer = client(keys=path).post("/api/v1/translate", json=sent)
    assert answer.json().get("text", answer.json()) == open_server["text"]


@pytest.mark.parametrize(
    ("path", "missing", "wrong"),
    [
        ("/api/v1/translate", (401, "error", "Bearer KEY"), (401, "error", "not known here")),
        ("/translate", (400, "error", "Please contact the server operator"), (403, "error", "Invalid API key")),
        ("/v1/completions", (401, "error", "Bearer KEY"), (401, "error", "Incorrect API key")),
        ("/v2/translate", (403, "message", "DeepL-Auth-Key KEY"), (403, "message", "not known here")),
        ("/embed", (401, "error", "Bearer KEY"), (401, "error", "not known here")),
    ],
)  # fmt: skip
def test_each_protocol_is_told_in_its_own_way(client, keys, path, missing, wrong):
    served = client(keys=keys[0])
    for headers, (status, field, said) in (({}, missing), ({"Authorization": "Bearer nonsense"}, wrong)):
        answer = served.post(path, json={}, headers=headers)
        assert answer.status_code == status
        found = answer.json()[field]
        assert said in (found["message"] if isinstance(found, dict) else found)


def test_what_is_needed_before_a_key_needs_none(client, keys):
    served = client(keys=keys[0])
    for path in (
        "/",
        "/docs",
        "/openapi.json",
        "/health",
        "/ready",
        "/languages",
        "/page/main.js",
        "/frontend/settings",
    ):
        assert served.get(path).status_code == 200, path
    for path in ("/api/v1/models", "/metrics", "/v1/models", "/api/v1/labs", "/api/v1/explain?text=a", "/nothing"):
        assert served.get(path).status_code == 401, path
    assert served.post("/", json={"inputs": TEXT}).status_code == 401
    assert served.get("/frontend/settings").json()["keyRequired"] is True


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"api_key": 1}', b'{"api_key": ["x"]}', b"\xff", b"", b"null"])
def test_odd_bodies_hold_no_key(client, keys, body):
    served = client(keys=keys[0])
    for kind in ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x"):
        answer = served.post("/api/v1/translate", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 401


def test_limits_of_a_key(client, tmp_path):
    path = tmp_path / "keys.toml"
    key = add_key(path, "small", KeyLimits(requests_per_minute=4, characters_per_minute=30))
    served = client(keys=path)
    headers = {"Authorization": f"Bearer {key}"}

    def translate(text):
        return served.post("/api/v1/translate", json={"text": text}, headers=headers)

    assert translate(TEXT).status_code == 200
    assert translate("x" * 31).status_code == 413
    refused = translate("the money bank flows")
    assert (refused.status_code, 50 < int(refused.headers["retry-after"]) < 62) == (429, True)
    assert "30 characters per minute" in refused.json()["error"]
    assert translate(TEXT).status_code == 200
    refused = translate(TEXT)
    assert "4 requests per minute" in refused.json()["error"]
    assert 50 < int(refused.headers["retry-after"]) < 62
    said = served.post("/translate", json={"q": "a", "source": "en", "target": "hi", "api_key": key})
    assert (said.status_code, said.json()) == (429, {"error": "Slowdown: 4 per 1 minute"})


# -- other sites -----------------------------------------------------------------------------------------------


def test_other_sites_are_refused_unless_named(client):
    asked = {"Origin": "https://a.example", "Sec-Fetch-Site": "cross-site"}
    closed = client()
    assert closed.get("/languages", headers=asked).status_code == 403
    assert closed.get("/", headers=asked).status_code == 200  # a link may lead here
    assert closed.options("/translate", headers=asked | {"Access-Control-Request-Method": "POST"}).status_code != 204
    named = client(cors=("https://a.example",))
    answer = named.get("/languages", headers=asked)
    assert answer.headers["access-control-allow-origin"] == "https://a.example"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert named.get("/languages", headers=asked | {"Origin": "https://b.example"}).status_code == 403
    assert "access-control-allow-origin" not in named.get("/").headers
    assert named.get("/").headers["cross-origin-resource-policy"] == "same-origin"


def test_the_headers_of_libretranslate(client, keys):
    every = client(cors=("*",), keys=keys[0])
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    before = every.options("/translate", headers=asked | {"Access-Control-Request-Headers": "x-stainless-os"})
    assert before.status_code == 204
    assert before.headers["access-control-allow-headers"] == "x-stainless-os"
    for answer in (every.get("/languages"), every.post("/translate", headers={"Origin": "https://a.example"})):
        assert answer.headers["access-control-allow-origin"] == "*"
        assert answer.headers["access-control-allow-methods"] == "GET, POST"
        assert answer.headers["access-control-max-age"] == "1728000"
        assert "authorization" in answer.headers["access-control-allow-headers"].lower()
        assert "access-control-allow-credentials" not in answer.headers


def test_behind_a_proxy_the_page_may_still_post(client):
    """The proxy calls us 127.0.0.1, the browser knows us as mt.example.org: what the browser says counts."""
    headers = {"Origin": "https://mt.example.org", "Sec-Fetch-Site": "same-origin"}
    assert client().post("/api/v1/translate", json={"text": TEXT}, headers=headers).status_code == 200


# -- for this machine alone ------------------------------------------------------------------------------------

ALLOWING = ("allow_explain", "allow_labs", "allow_trainings")
DEAR = (
    "/api/v1/explain",
    "/api/explain",
    "/api/v1/hide",
    "/api/v1/space",
    "/api/v1/space/paths",
    "/api/space/parting",
    "/api/v1/labs",
    "/api/labs/measuring",
    "/api/v1/trainings",
    "/api/v1/trainings/x/samples/1/attention",
)


@pytest.mark.parametrize(
    ("settings", "headers", "allowed"),
    [
        ({}, {}, True),
        ({}, {"X-Forwarded-For": "1.2.3.4"}, False),
        ({}, {"Forwarded": "for=1.2.3.4"}, False),
        ({"host": "0.0.0.0", "allow_host": ("mt.example.org",)}, {}, False),
        ({"allow_host": ("mt.example.org",)}, {}, False),
        ({"root_path": "/mt"}, {}, False),
        ({"trust_proxy": ("127.0.0.1",)}, {}, False),
        ({"host": "0.0.0.0", **dict.fromkeys(ALLOWING, True)}, {"X-Forwarded-For": "1.2.3.4"}, True),
        (dict.fromkeys(ALLOWING, False), {}, False),
    ],
    ids=str,
)
def test_what_costs_much_is_for_this_machine_alone(client, settings, headers, allowed):
    served = client(**settings)
    for path in DEAR:
        answer = served.get(path, params={"text": TEXT}, headers=headers)
        assert (answer.status_code != 403) == allowed, path
        if not allowed:
            assert "--allow-" in answer.json()["error"]
    known = served.get("/api/v1/models", headers=headers).json()
    assert (known["explain"], known["labs"]) == (allowed, allowed)


def test_nothing_of_our_own_is_answered_without_a_key(client, keys):
    served = client(keys=keys[0])
    described = served.get("/openapi.json").json()["paths"]
    own = [(method, path) for path, methods in described.items() for method in methods if path.startswith("/api/")]
    assert {("post", "/api/v1/documents"), ("post", "/api/v1/continuations"), ("get", "/api/v1/space")} <= set(own)
    for method, path in own:
        for address in (path, path.replace("/v1", "")):
            answer = served.request(method, re.sub(r"\{[^}]*\}", "1", address), params={"text": TEXT})
            assert (answer.status_code, "asks for a key" in answer.text) == (401, True), address


def test_nothing_of_our_own_is_answered_to_pages_of_other_sites(client):
    served = client()
    for path in (*DEAR, "/api/v1/models", "/api/v1/documents/1"):
        answer = served.get(path, params={"text": TEXT}, headers={"Sec-Fetch-Site": "cross-site"})
        assert (answer.status_code, "another origin" in answer.json()["error"]) == (403, True), path


# -- a prefix --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["/mt", ""])
def test_below_a_prefix_whether_a_proxy_takes_it_off_or_not(client, prefix):
    served = client(root_path="/mt/")
    assert b"<title>Dhyan</title>" in served.get(f"{prefix}/").content
    assert served.get(f"{prefix}/page/main.js").status_code == 200
    assert served.get(f"{prefix}/api/v1/models").status_code == 200
    assert served.get(f"{prefix}/v1/models/none").json()["error"]["type"]  # the shape of the protocol
    assert served.get(f"{prefix}/openapi.json").json()["servers"] == [{"url": "/mt"}]
    assert served.get(f"{prefix}/nothing").json() == {"error": "GET /nothing: not found."}
    assert served.get(f"{prefix}/page/").status_code == 404


def test_the_prefix_alone_leads_to_the_page(client):
    answer = client(root_path="/mt").get("/mt", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, "/mt/")
    assert client(root_path="/mt").get("/mtx").status_code == 404


# -- while it ends ---------------------------------------------------------------------------------------------


def test_while_it_drains(client):
    lifecycle = Lifecycle("starting")
    served = client(lifecycle=lifecycle)
    assert served.get("/ready").status_code == 503
    assert served.post("/api/v1/translate", json={"text": TEXT}).status_code == 200  # whoever is early is not refused
    lifecycle.started()
    assert served.get("/ready").json() == {"status": "ready"}
    assert served.head("/ready").status_code == served.head("/health").status_code == 200
    lifecycle.drain()
    lifecycle.started()  # a warm-up that ends late
    assert (served.get("/ready").status_code, served.get("/ready").json()) == (503, {"status": "draining"})
    # Whoever has a link to a result may still fetch it: these are only unknown.
    assert served.get("/download_file/0000.txt").status_code == 404
    assert served.post("/v2/document/0000", json={"document_key": "0"}).status_code == 404
    assert served.get("/health").json() == {"status": "ok"}
    assert served.get("/metrics").status_code == 200
    refused = served.post("/v1/completions", json={"model": "x", "prompt": "y"})
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert "about to end" in refused.json()["error"]["message"]


# -- bodies ----------------------------------------------------------------------------------------------------


def test_all_bodies_together_have_a_limit():
    """They are held before any key is looked for."""

    async def until_told(scope, receive, send):
        await go_on.wait()

    async def ask(length):
        headers = [(b"content-length", str(length).encode()), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/api/v1/translate", "headers": headers}
        await served(scope, None, answered)

    async def answered(message):
        if message["type"] == "http.response.start":
            statuses.append((message["status"], dict(message["headers"]).get(b"retry-after")))

    async def all_of_it():
        first = asyncio.create_task(ask(900))  # larger than a second one leaves room for, and alone: let in
        await asyncio.sleep(0)
        await ask(200)
        go_on.set()
        await first
        await ask(200)
        assert served.bytes_in_flight == 0

    go_on, statuses = asyncio.Event(), []
    served = EveryAnswer(until_told, ServerSettings(max_bytes_in_flight=1_000))
    run_coroutine(all_of_it())
    assert statuses == [(503, b"1")]
