"""Installing: all of a pack or nothing, from a folder, an archive or an address."""

import functools
import hashlib
import http.server
import json
import shutil
import threading

import pytest

from dhyan.core.download import Redirects
from dhyan.core.errors import DhyanError
from dhyan.core.paths import user_packs
from dhyan.loading import load
from dhyan.pack.install_pack import install_pack, remove_pack
from dhyan.pack.pack import find_pack, known_packs
from dhyan.pack.pack_archive import write_archive
from support.hostile_files import STORED

PACK = STORED / "writer"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DHYAN_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DHYAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def bundle(path, name="shakes", folder=PACK):
    with path.open("wb") as out:
        write_archive(folder, name, out)
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def left_behind():
    """What lies in the folder of packs that is no pack of a name."""
    return [path.name for path in user_packs().glob("*") if path.name.startswith(".")]


def test_from_a_folder(tmp_path):
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "shakes").symlink_to(PACK)
    done = install_pack("given/shakes")
    assert (done.name, done.folder, done.sha256) == ("shakes", user_packs() / "shakes", "")
    assert find_pack("shakes") == done.folder
    assert load("shakes")("the", max_length=3) == load(PACK)("the", max_length=3)
    assert not left_behind()


def test_from_an_archive_with_its_hash(tmp_path):
    path, digest = bundle(tmp_path / "a.tar.gz")
    assert install_pack(str(path), sha256=f"sha256:{digest.upper()}").sha256 == digest
    assert install_pack(str(path), "other").name == "other"
    assert known_packs().keys() >= {"shakes", "other"}


def test_another_hash_installs_nothing(tmp_path):
    path, digest = bundle(tmp_path / "a.tar.gz")
    with pytest.raises(DhyanError, match=f"its SHA-256 is {digest}; nothing was installed"):
        install_pack(str(path), sha256="0" * 64)
    with pytest.raises(DhyanError, match="64 digits"):
        install_pack(str(path), sha256=digest[1:])
    with pytest.raises(DhyanError, match="is a folder: leave it out"):
        install_pack(str(PACK), sha256=digest)
    assert not user_packs().exists()


@pytest.mark.parametrize("change", ["text.tokenizer.json", "pack.json", "model.safetensors"])
def test_a_broken_pack_is_not_installed(change, tmp_path):
    shutil.copytree(PACK, tmp_path / "broken")
    (tmp_path / "broken" / change).unlink()
    path, _ = bundle(tmp_path / "a.tar.gz", folder=tmp_path / "broken")
    for source in (str(path), "broken"):
        with pytest.raises(DhyanError, match=source.replace(".", r"\.")) as caught:
            install_pack(source)
        assert ".part" not in str(caught.value)
    assert not list(user_packs().iterdir())


def test_nothing_is_overwritten_unless_told_to(tmp_path):
    path, _ = bundle(tmp_path / "a.tar.gz")
    bundle(tmp_path / "b.tar.gz", "en-hi")
    install_pack(str(path))
    for source in ("a.tar.gz", "b.tar.gz"):  # one's own, and one that came with Dhyan
        with pytest.raises(DhyanError, match="already"):
            install_pack(source)
    shutil.copytree(PACK, tmp_path / "newer")
    manifest = json.loads((PACK / "pack.json").read_text(encoding="utf-8")) | {"licence": "CC0"}
    (tmp_path / "newer" / "pack.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert install_pack("newer", "shakes", replace=True).manifest.licence == "CC0"
    assert install_pack("b.tar.gz", replace=True).folder == find_pack("en-hi")
    assert not left_behind()
    assert remove_pack("en-hi") == user_packs() / "en-hi"
    assert find_pack("en-hi").parent != user_packs()


@pytest.mark.parametrize("name", ["../x", "a/b", ".x", "nul", "", "हिन्दी"])
def test_names_that_are_none(name, tmp_path):
    path, _ = bundle(tmp_path / "a.tar.gz")
    if name:
        with pytest.raises(DhyanError, match="is no name for a pack"):
            install_pack(str(path), name)
    with pytest.raises(DhyanError):
        remove_pack(name)


def test_a_link_in_place_of_a_pack_is_removed_alone(tmp_path):
    user_packs().mkdir(parents=True)
    (user_packs() / "linked").symlink_to(PACK)
    with pytest.raises(DhyanError, match="is a link"):
        install_pack(str(PACK), "linked", replace=True)
    remove_pack("linked")
    assert (PACK / "pack.json").exists()
    assert not list(user_packs().iterdir())


def test_what_cannot_be_removed():
    with pytest.raises(DhyanError, match="comes with Dhyan and stays"):
        remove_pack("writer")
    with pytest.raises(DhyanError, match="there is no pack 'x'"):
        remove_pack("x")


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"x" * 10)
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def served(tmp_path):
    """The address of a server for the files of a folder, and the folder."""
    (tmp_path / "served").mkdir()
    handler = functools.partial(Handler, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", tmp_path / "served"
        server.shutdown()


def test_from_an_address(served):
    address, folder = served
    _, digest = bundle(folder / "shakes.tar.gz", ".")  # the files lie in no folder
    done = install_pack(f"{address}/shakes.tar.gz?token=secret", sha256=digest)
    assert (done.name, done.sha256) == ("shakes", digest)
    assert not left_behind()
    with pytest.raises(DhyanError, match="is not what was asked for") as caught:
        install_pack(f"{address}/shakes.tar.gz?token=secret", "other", sha256="1" * 64)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "said"),
    [("none", "answers 404"), ("elsewhere", "not allowed"), ("cut", "only in part")],
)
def test_what_an_address_may_answer(path, said, served):
    with pytest.raises(DhyanError, match=said):
        install_pack(f"{served[0]}/{path}", sha256="1" * 64)
    assert not list(user_packs().iterdir())


def test_a_redirect_is_no_less_safe():
    with pytest.raises(DhyanError, match="name https://"):
        Redirects(plain_http=False).redirect_request(None, None, 302, "Found", {}, "http://example.org/x")


def test_addresses_that_are_not_asked():
    for address, said in (
        ("http://example.org/x.tar.gz", "name https://, or its hash"),
        ("file:///etc/passwd", "begins with https://"),
        ("https://", "begins with https://"),
        ("https://127.0.0.1:1/x.tar.gz", "cannot be fetched"),
        ("https://[x/y", "check it"),
        ("none.tar.gz", "there is no such folder or archive"),
    ):
        with pytest.raises(DhyanError, match=said):
            install_pack(address)
