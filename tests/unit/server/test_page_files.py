"""The page's files: compressed, kept by version, never stale, and all modules named at once."""

import gzip
import re
import shutil

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from dhyan.server.app import PAGE
from dhyan.server.page_files import PageFiles, imports, page_routes


@pytest.fixture
def folder(tmp_path):
    """A copy that may be changed."""
    return shutil.copytree(PAGE, tmp_path / "page")


@pytest.fixture
def client(folder):
    app = FastAPI()
    app.include_router(page_routes(folder))
    return TestClient(app)


def script(client):
    return re.search(r'<script type="module" src="([^"]+)"', client.get("/").text)[1]


def test_files_come_compressed_and_stay_for_good(client, folder):
    answer = client.get(script(client))
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert int(answer.headers["content-length"]) < len(answer.content) / 2
    assert answer.content == (folder / "main.js").read_bytes()
    plain = client.get(script(client), headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == answer.content


def test_a_document_is_asked_for_each_time(client):
    answer = client.get("/")
    assert answer.headers["cache-control"] == "no-cache"
    again = client.get("/", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    assert not again.content


def test_after_a_change_everything_has_another_address(client, folder):
    before, document = script(client), client.get("/")
    style = folder / "style.css"
    style.write_text(style.read_text(encoding="utf-8") + "/* new */", encoding="utf-8")
    assert client.get("/", headers={"if-none-match": document.headers["etag"]}).status_code == 200
    assert script(client) != before
    old_tab = client.get(before)  # it gets what there is, and may not keep it
    assert old_tab.status_code == 200
    assert old_tab.headers["cache-control"] == "no-cache"


def test_two_servers_of_one_version_agree(folder):
    one, other = PageFiles(PAGE), PageFiles(folder)
    assert one.document("index.html") == other.document("index.html")
    assert gzip.decompress(one.files["main.js"].compressed) == one.files["main.js"].content


def test_what_is_not_there_is_not_found(client):
    for path in (
        "/page/nothing.js",
        "/page/000000000000/nothing.js",
        "/page/../app.py",
        "/page/%2e%2e/app.py",
        "/page/",
    ):
        assert client.get(path).status_code == 404


def test_all_modules_that_a_script_imports_are_named():
    scripts = {
        "main.js": 'import { a } from "./parts/a.js";\nimport {\n  b,\n} from "./b.js";\nc = import("./c.js");\n',
        "parts/a.js": 'export { d } from "../d.js";\n',
        "b.js": 'import "./parts/a.js";\nimport { x } from "./missing.js";\n',
        "c.js": "",
        "d.js": "",
    }
    assert imports("main.js", scripts) == ["main.js", "parts/a.js", "b.js", "d.js"]
