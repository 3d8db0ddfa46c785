"""`dhyan site`: what is in the folder, and what is refused."""

import json
import re
import shutil
import subprocess
from base64 import b64decode
from hashlib import sha256

import pytest

from dhyan.browser.runnable import check_answers, check_readable, check_runnable
from dhyan.browser.site import POLICY, SCRIPTS, check_place, plan_site, write_site
from dhyan.core.errors import DhyanError
from dhyan.pack.pack import open_pack
from dhyan.server.app import PAGE
from dhyan.text.tokenizer import Tokenizer
from support.foreign_tokenizers import word_piece_json
from support.javascript import call_javascript
from support.packs import random_pack

READ = "../../../../tests/support/read_manifest.mjs"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    for name, shape in {"to-hindi": "encoder-decoder", "author": "decoder"}.items():
        random_pack(folder / name, shape)
    return {name: folder / name for name in ("to-hindi", "author")}


@pytest.fixture(scope="module")
def out(folders, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites") / "out"
    write_site(plan_site(folders), folder)
    return folder


def inner(out):
    (found,) = out.glob("*/js")
    return found.parent


def test_packs_are_copied_unchanged_and_their_digests_are_told(out, folders):
    known = json.loads((inner(out) / "site.json").read_text(encoding="utf-8"))
    assert list(known["packs"]) == list(folders)
    for name, folder in folders.items():
        copied = out / "packs" / name
        for file in folder.iterdir():
            assert (copied / file.name).read_bytes() == file.read_bytes()
        for file, wanted in known["packs"][name]["files"].items():
            content = (copied / file).read_bytes()
            assert wanted == {"bytes": len(content), "sha256": sha256(content).hexdigest()}


def test_the_page_is_that_of_the_server_but_for_how_it_asks(out):
    for file in PAGE.rglob("*.js"):
        name = file.relative_to(PAGE)
        copied = inner(out) / "page" / name
        if name.as_posix() == "parts/transport.js":
            assert copied.read_bytes() == (SCRIPTS / "page" / "transport.js").read_bytes()
        elif name.as_posix() != "docs.js":
            assert copied.read_bytes() == file.read_bytes()
    assert not (inner(out) / "page" / "docs.js").exists()


def test_both_ways_to_ask_offer_the_same():
    files = (PAGE / "parts" / "transport.js", SCRIPTS / "page" / "transport.js")
    offered = [set(re.findall(r"^export (?:const|function) (\w+)", one.read_text(), re.MULTILINE)) for one in files]
    assert offered[0] == offered[1] == {"ask", "isAnswering", "tab"}


def test_every_address_of_the_document_is_a_file_below_it(out):
    document = (out / "index.html").read_text(encoding="utf-8")
    addresses = re.findall(r'(?:src|href)="([^"]+)"', document)
    assert len(addresses) > 20
    assert all((out / one).is_file() and not one.startswith("/") for one in addresses)
    assert f'content="{POLICY}"' in document
    assert "unsafe-inline" not in POLICY
    assert " 'unsafe-eval'" not in POLICY
    manifest = json.loads((out / "manifest.webmanifest").read_text(encoding="utf-8"))
    assert all((out / icon["src"]).is_file() for icon in manifest["icons"])


def test_the_service_worker_knows_all_files_of_the_page_by_their_digests(out):
    source = (out / "service-worker.js").read_text(encoding="utf-8")
    known = json.loads(re.search(r"^const PAGE = (.+);$", source, re.MULTILINE)[1])
    assert known["version"] == inner(out).name
    files = known["files"]
    assert files.pop("") == ""
    for path, integrity in files.items():
        assert b64decode(integrity.removeprefix("sha256-")) == sha256((out / path).read_bytes()).digest()
    modules = {path.relative_to(out).as_posix() for path in inner(out).rglob("*.js")} - {
        f"{inner(out).name}/js/dhyan.js"
    }
    assert modules <= set(files)


def test_the_same_again_has_the_same_version_and_another_pack_another(out, folders):
    assert plan_site(folders).version == inner(out).name
    assert plan_site({"author": folders["author"]}).version != inner(out).name


def test_an_earlier_site_is_replaced_and_nothing_else(out, folders, tmp_path):
    again = tmp_path / "out"
    shutil.copytree(out, again)
    (again / "left").touch()
    write_site(plan_site({"author": folders["author"]}), again)
    assert not (again / "left").exists()
    assert [path.name for path in (again / "packs").iterdir()] == ["author"]
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").touch()
    with pytest.raises(DhyanError, match=r"is no site of Dhyan's"):
        check_place(mine)
    for place in ("thesis.txt", "thesis.txt/site"):
        with pytest.raises(DhyanError, match=r"thesis\.txt is a file"):
            check_place(mine / place)


def test_what_a_tab_cannot_run_is_refused_where_the_site_is_built_and_where_a_pack_is_read(folders):
    manifest = open_pack(folders["to-hindi"]).manifest
    strange = manifest.architecture.model_copy(update={"activation": "sine"})
    with pytest.raises(DhyanError, match=r'to-hindi has activation = "sine", which a browser\'s tab cannot run'):
        check_runnable("to-hindi", strange)

    with pytest.raises(DhyanError, match=r"to-hindi reads pairs of texts, which a browser's tab cannot run"):
        check_answers("to-hindi", manifest.model_copy(update={"reads_pairs": True}))

    foreign = Tokenizer.from_json(word_piece_json())
    with pytest.raises(DhyanError, match=r"to-hindi has the tokenizer of another program, which a browser's tab"):
        check_readable("to-hindi", [foreign])

    def read(more=None, **changed):
        description = manifest.model_dump(mode="json") | {"format": 2} | (more or {})
        description["architecture"] |= changed
        [found] = call_javascript(READ, "problem", [[json.dumps(description)]])
        return found

    assert read() is None
    assert read({"label_kind": "several"}) is None
    assert read({"label_kind": "any"}) == "pack.json: label_kind = 'any' is not one of one, several, number."
    assert read({"reads_pairs": True}) == "pack.json: pairs of texts are nothing that a browser's tab can run."
    assert read(norm="none") == "pack.json: architecture.norm = 'none' is not one of pre, post."
    assert (
        read(norm_kind="rms") == 'pack.json: architecture.norm_kind = "rms" is nothing that a browser\'s tab can run.'
    )
    assert "architecture.special = " in read(special={"starts_text": False})
    assert read(tenses="two") == 'pack.json: architecture.tenses = "two" is nothing that a browser\'s tab can run.'


@pytest.mark.parametrize("kind", ["several", "number"])
def test_classifiers_of_several_labels_and_of_numbers_are_in_a_site(kind, tmp_path):
    pack = random_pack(tmp_path / "other", "encoder", words=True, label_kind=kind)
    site = plan_site({"other": pack.folder})
    known = json.loads(site.own[f"{site.version}/site.json"])
    assert known["models"]["models"][0]["label_kind"] == kind


def test_the_npm_package_is_whole_and_works_where_it_is_installed(out, folders, tmp_path):
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm is None or node is None:
        pytest.skip("no Node: install it to test the npm package (Debian: apt-get install nodejs npm)")
    packed = subprocess.run(
        [npm, "pack", "--json", "--offline", str(inner(out) / "js")], cwd=tmp_path, capture_output=True, text=True
    )
    assert packed.returncode == 0, packed.stderr
    (described,) = json.loads(packed.stdout)
    names = {one["path"] for one in described["files"]}
    assert {
        "package.json",
        "LICENSE",
        "README.md",
        "dhyan.js",
        "dhyan.d.ts",
        "rules.json",
        "kernels/kernels.wasm",
    } <= names
    assert not [name for name in names if name.startswith(("page/", "api/")) or name == "worker.js"]
    place = tmp_path / "node_modules" / "dhyan"
    place.mkdir(parents=True)
    subprocess.run(
        ["tar", "xzf", described["filename"], "-C", place, "--strip-components=1"], cwd=tmp_path, check=True
    )
    script = tmp_path / "use.mjs"
    script.write_text(
        'import { DhyanError, load } from "dhyan";\n'
        f"const model = await load({json.dumps(str(folders['to-hindi']))});\n"
        'const explanation = model.explain("the river bank flows");\n'
        "const { shape } = explanation.get('dec.0.cross.h0.weights');\n"
        "let refused = '';\n"
        "try { model.classify('a film'); }\n"
        "catch (error) { refused = error instanceof DhyanError && error.message; }\n"
        f"const author = await load({json.dumps(str(folders['author']))});\n"
        "console.log(JSON.stringify({ task: model.task, text: model.translate('the river'), several:"
        " model.translate(['the river', 'the bank']).length, shape, refused, wrote: typeof author.write('the') }));\n"
    )
    done = subprocess.run([node, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["task"], said["several"], said["wrote"]) == ("translate", 2, "string")
    assert isinstance(said["text"], str)
    assert len(said["shape"]) == 2
    assert said["refused"] == "to-hindi is a pack for `translate`, not for `classify`; load another."
