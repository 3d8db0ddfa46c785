"""`dhyan site`: a folder for any static host, with the page, packs, and all that runs them in a visitor's browser.

    index.html, manifest.webmanifest, service-worker.js, icon-….png, dhyan.js (leads to VERSION/js/dhyan.js)
    VERSION/page/   the page, as `dhyan serve` has it, but for parts/transport.js
    VERSION/js/     what answers it, with rules.json; an npm package, too
    VERSION/site.json, labs.json
    packs/NAME/     the packs, unchanged

The version is a digest of all but the packs: a new one has other addresses, so nothing of two versions is mixed.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from dhyan._version import __version__
from dhyan.browser.rules import rules
from dhyan.browser.runnable import check_answers, check_readable, check_runnable
from dhyan.core.atomic import atomic_folder
from dhyan.core.errors import DhyanError
from dhyan.core.paths import lab_folder
from dhyan.lab.framework.registry import EXPERIMENTS
from dhyan.lab.framework.results import kept_results, read_kept
from dhyan.pack.pack import MANIFEST, WEIGHTS
from dhyan.pack.words_head import NUMBERS, WORDS
from dhyan.server import schemas, schemas_labs
from dhyan.server.app import PAGE
from dhyan.server.page_files import VERSION_DIGITS, linked
from dhyan.server.routes_labs import figures_of, listed, live_result
from dhyan.server.routes_models import TASKS, model_info
from dhyan.server.served_packs import ServedPack, ServedPacks
from dhyan.server.settings import ServerSettings

SCRIPTS = Path(__file__).parent / "js"
TRANSPORT = "page/transport.js"  # takes the place of the page's own
INFO = "site.json"
OF_THE_SERVER = ("docs.html", "docs.js", "docs.css")  # the page of the HTTP API, which a site has not
# A <meta> knows no frame-ancestors. Nothing is opened up but WebAssembly, which no page can run without it.
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'none'"
)
ICONS = {"icon-180.png": 180, "icon-192.png": 192, "icon-512.png": 512}
FIGURE_WIDTH = 640
LESSON_KNOBS = {"sqrt-dk": {"sizes": [2**power for power in range(2, 11)]}}  # views/learn/stages/square-root.js
COPIED_AT_ONCE = 2**20  # bytes

Tell = Callable[[int], object]


@dataclass(frozen=True)
class SitePack:
    """One pack of a site, and what a visitor fetches of it."""

    served: ServedPack
    files: dict[str, dict[str, Any]]  # name → size and digest

    @property
    def folder(self) -> Path:
        return self.served.pack.folder

    @property
    def bytes(self) -> int:
        return sum(int(one["bytes"]) for one in self.files.values())

    @property
    def licence(self) -> str:
        return self.served.pack.manifest.licence


@dataclass(frozen=True)
class Site:
    """All of it, ready to be written."""

    version: str
    own: dict[str, bytes]  # path → content
    packs: dict[str, SitePack]

    @property
    def bytes(self) -> int:
        return sum(map(len, self.own.values()))

    @property
    def pack_bytes(self) -> int:
        """Of all that is copied."""
        return sum(file.stat().st_size for one in self.packs.values() for file in _files(one.folder).values())


def plan_site(folders: Mapping[str, Path]) -> Site:
    """folders: the packs by name."""
    served = ServedPacks(folders)
    for name, one in served.served.items():
        check_runnable(name, one.pack.manifest.architecture)
        check_answers(name, one.pack.manifest)
        check_readable(name, one.pack.tokenizers.values())
    packs = {name: SitePack(one, _fetched(one)) for name, one in served.served.items()}
    documents = {INFO: _info(served, packs), "labs.json": _labs(), "js/rules.json": rules()}
    inner = {name: json.dumps(content, ensure_ascii=False).encode() for name, content in documents.items()}
    inner |= {f"js/{name}": content for name, content in _scripts().items()}
    inner |= {f"page/{name}": content for name, content in _page().items()}
    icons = {name: _icon(size) for name, size in ICONS.items()}
    version = _digest({**inner, **icons, "index.html": (PAGE / "index.html").read_bytes()})
    own = {f"{version}/{name}": content for name, content in inner.items()}
    own |= icons
    own["index.html"] = _document(version, inner).encode()
    own["manifest.webmanifest"] = json.dumps(_manifest(version), ensure_ascii=False, indent=1).encode()
    own["dhyan.js"] = f'export * from "./{version}/js/dhyan.js";\n'.encode()
    own["service-worker.js"] = _service_worker(version, own).encode()
    own[INFO] = json.dumps({"dhyan": __version__, "version": version, "packs": list(packs)}).encode()
    return Site(version, own, packs)


def write_site(site: Site, out: Path, tell: Tell = lambda done: None) -> None:
    """All of it or nothing; a site that was there before is replaced. tell: gets the bytes of packs copied so far."""
    check_place(out)
    with atomic_folder(out) as part:
        for path, content in site.own.items():
            (part / path).parent.mkdir(parents=True, exist_ok=True)
            (part / path).write_bytes(content)
        done = 0
        for name, pack in site.packs.items():
            for path, file in _files(pack.folder).items():
                target = part / "packs" / name / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with file.open("rb") as source, target.open("wb") as copy:
                    while piece := source.read(COPIED_AT_ONCE):
                        copy.write(piece)
                        done += len(piece)
                        tell(done)


def check_place(out: Path) -> None:
    """Refuses whatever is no site, so that nobody's folder is replaced by one."""
    for place in (out, *out.parents):
        if place.is_file():
            raise DhyanError(f"{place} is a file: name a folder to write.")
    if out.exists() and any(out.iterdir()) and not _is_site(out):
        raise DhyanError(f"{out} is there and is no site of Dhyan's: name another folder, or empty it.")


def _is_site(folder: Path) -> bool:
    try:
        return "dhyan" in json.loads((folder / INFO).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def _files(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _fetched(served: ServedPack) -> dict[str, dict[str, Any]]:
    """What a browser reads of a pack; the card and the recipe lie beside it for people."""
    manifest = served.pack.manifest
    of_words = [WORDS, NUMBERS] if manifest.words_head else []
    names = dict.fromkeys([MANIFEST, *manifest.tokenizers.values(), WEIGHTS, *of_words])
    found = {}
    for name in names:
        content = (served.pack.folder / name).read_bytes()
        found[name] = {"bytes": len(content), "sha256": sha256(content).hexdigest()}
    return found


def _info(served: ServedPacks, packs: Mapping[str, SitePack]) -> dict[str, Any]:
    """What the worker must know: the answer of /models, and the files of each pack."""
    settings = ServerSettings()
    models = schemas.ModelList(
        models=[model_info(one) for one in served.served.values()],
        version=__version__,
        how_to_get={task: how_to_get(task) for task in TASKS},
        most_characters=settings.max_characters,
        most_alternatives=settings.max_alternatives,
        most_file_bytes=0,
        file_suffixes=[],
        dev_pairs=0,
        explain=True,
        labs=True,
        trainings=0,
    )
    return {
        "version": __version__,
        "models": models.model_dump(mode="json"),
        "packs": {
            name: {"folder": f"packs/{name}", "files": one.files, "licence": one.licence}
            for name, one in packs.items()
        },
    }


def how_to_get(task: str) -> str:
    return f"this site has no pack that can {task}: `dhyan site OUT --model PACK` puts one in."


def _labs() -> dict[str, Any]:
    """The experiments, what this machine has measured, and the light ones as the lab and the lesson show them."""
    root = lab_folder()
    live: dict[str, list[dict[str, Any]]] = {}
    kept: dict[str, dict[str, Any]] = {}
    for one in EXPERIMENTS:
        if one.live:
            several = [{}, LESSON_KNOBS[one.name]] if one.name in LESSON_KNOBS else [{}]
            live[one.name] = [{"knobs": knobs, "result": _live(one.name, knobs)} for knobs in several]
        kept[one.name] = {}
        for folder in kept_results(one.name, root)[:1]:
            result = read_kept(folder)
            if result is not None:
                fields = result.model_dump(include=set(schemas_labs.KeptResult.model_fields))
                figures = figures_of(result.plots, FIGURE_WIDTH)
                known = schemas_labs.KeptResult(figures=figures, **fields).model_dump(mode="json")
                kept[one.name][folder.name] = known | {"folder": folder.name}  # not where it lay
    list_ = [listed(one, root).model_dump(mode="json") for one in EXPERIMENTS]
    for lab in list_:
        lab["kept"] = [one for one in lab["kept"] if one["id"] in kept[lab["name"]]]
    return {"list": list_, "live": live, "kept": kept}


def _live(name: str, knobs: Mapping[str, Any]) -> dict[str, Any]:
    found = live_result(name, schemas_labs.LiveRequest(knobs=dict(knobs), width=FIGURE_WIDTH))
    return found.model_dump(mode="json") | {"seconds": 0}  # the same site again has the same version


def _scripts() -> dict[str, bytes]:
    """The modules: with the rules beside them, an npm package of this version."""
    found = {name: path.read_bytes() for name, path in _files(SCRIPTS).items()}
    del found[TRANSPORT], found["service-worker.js"]
    described = json.loads(found["package.json"]) | {"version": __version__}
    found["package.json"] = json.dumps(described, ensure_ascii=False, indent=2).encode() + b"\n"
    if licence := distribution("dhyan").read_text("licenses/LICENSE"):
        found["LICENSE"] = licence.encode()
    return found


def _page() -> dict[str, bytes]:
    found = {name: path.read_bytes() for name, path in _files(PAGE).items() if name not in OF_THE_SERVER}
    del found["index.html"]
    found["parts/transport.js"] = (SCRIPTS / TRANSPORT).read_bytes()
    return found


def _document(version: str, inner: Mapping[str, bytes]) -> str:
    scripts = {
        name.removeprefix("page/"): content.decode()
        for name, content in inner.items()
        if name.startswith("page/") and name.endswith(".js")
    }
    document = linked((PAGE / "index.html").read_text(encoding="utf-8"), version, scripts)
    document = document.replace(f"page/{version}/", f"{version}/page/")
    head = (
        f'\n    <meta http-equiv="Content-Security-Policy" content="{POLICY}" />'
        '\n    <link rel="manifest" href="manifest.webmanifest" />'
        '\n    <link rel="apple-touch-icon" href="icon-180.png" />'
    )
    return re.sub(r'(<meta charset="utf-8" />)', rf"\g<1>{head}", document, count=1)


def _manifest(version: str) -> dict[str, Any]:
    icons: list[dict[str, str]] = [
        {"src": name, "sizes": f"{size}x{size}", "type": "image/png", "purpose": "any"}
        for name, size in ICONS.items()
    ]
    icons.append({"src": f"{version}/page/icon.svg", "sizes": "any", "type": "image/svg+xml"})
    return {
        "name": "Dhyan",
        "short_name": "Dhyan",
        "description": "A translator that you can open, in this browser",
        "id": "./",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#1d5fc4",
        "icons": icons,
    }


def _icon(size: int) -> bytes:
    import resvg_py

    svg = (PAGE / "icon.svg").read_text(encoding="utf-8")
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size, height=size))


def _service_worker(version: str, own: Mapping[str, bytes]) -> str:
    kept = {"": ""}  # the document itself, which some hosts change a little
    kept |= {path: _integrity(own[path]) for path in own if _is_for_the_page(path)}
    source = (SCRIPTS / "service-worker.js").read_text(encoding="utf-8")
    empty = 'const PAGE = { version: "", files: {} };'
    if empty not in source:
        raise AssertionError("service-worker.js has no place for its files")
    return source.replace(empty, f"const PAGE = {json.dumps({'version': version, 'files': kept})};")


def _is_for_the_page(path: str) -> bool:
    is_package = path.endswith((".md", ".d.ts", ".wat", "js/LICENSE", "js/package.json", "js/dhyan.js"))
    return path not in ("index.html", "dhyan.js") and not is_package


def _integrity(content: bytes) -> str:
    return f"sha256-{b64encode(sha256(content).digest()).decode()}"


def _digest(contents: Mapping[str, bytes]) -> str:
    def parts() -> Iterator[bytes]:
        for name in sorted(contents):
            yield name.encode() + b"\0" + contents[name]

    return sha256(b"".join(parts())).hexdigest()[:VERSION_DIGITS]
