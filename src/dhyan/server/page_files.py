"""The page's files as a browser gets them: compressed once, and kept for good under an address with their version.

A document (`index.html`, `docs.html`) is asked for anew each time and leads to `page/VERSION/…`. The version is a
digest of all files: after an upgrade the document names other addresses, so nothing of an earlier version is shown.
The document also names all modules that its script imports, so that they come at once and not one after the other.
"""

import gzip
import mimetypes
import posixpath
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request, Response

VERSION_DIGITS = 12
VERSIONED = re.compile(rf"(?P<version>[0-9a-f]{{{VERSION_DIGITS}}})/(?P<name>.+)")
FOR_GOOD = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
IMPORTED = re.compile(
    r'^(?:import|export)\b[^"\'();]*"(\.[^"]+\.js)";$', re.MULTILINE
)  # not import(…): that comes later
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}


@dataclass(frozen=True)
class PageFile:
    content: bytes
    compressed: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, name: str, content: bytes) -> "PageFile":
        suffix = posixpath.splitext(name)[1]
        kind = TYPES.get(suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        return cls(content, gzip.compress(content, mtime=0), kind, f'"{sha256(content).hexdigest()[:20]}"')

    def answer(self, request: Request, cache: str) -> Response:
        headers = {"Cache-Control": cache, "ETag": self.etag, "Vary": "Accept-Encoding"}
        if self.etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        content = self.content
        if "gzip" in request.headers.get("accept-encoding", "") and len(self.compressed) < len(content):
            content = self.compressed
            headers["Content-Encoding"] = "gzip"
        return Response(content, headers=headers, media_type=self.media_type)


class PageFiles:
    """All files of a folder, in memory. Whoever edits one sees it at the next visit: a document looks for changes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seen: dict[str, tuple[int, int]] = {}
        self.files: dict[str, PageFile] = {}
        self.documents: dict[str, PageFile] = {}
        self.version = ""

    def document(self, name: str) -> PageFile:
        self._look()
        return self.documents[name]

    def find(self, path: str) -> tuple[PageFile, str] | None:
        """A file by its path, with a version or without one, and how long it may be kept."""
        if not self.files:
            self._look()
        found = VERSIONED.fullmatch(path)
        file = self.files.get(found["name"] if found else path)
        if file is None:
            return None
        # A tab of another version gets what there is now, and may not keep it.
        return file, FOR_GOOD if found and found["version"] == self.version else ASK_AGAIN

    def _look(self) -> None:
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        names = {path.relative_to(self.folder).as_posix(): path for path in paths}
        seen = {name: (path.stat().st_mtime_ns, path.stat().st_size) for name, path in names.items()}
        if seen == self.seen:
            return
        contents = {name: path.read_bytes() for name, path in names.items()}
        everything = sha256(b"".join(name.encode() + b"\0" + content for name, content in contents.items()))
        version = everything.hexdigest()[:VERSION_DIGITS]
        scripts = {name: text.decode() for name, text in contents.items() if name.endswith(".js")}
        files = {name: PageFile.of(name, content) for name, content in contents.items()}
        documents = {
            name: PageFile.of(name, linked(content.decode(), version, scripts).encode())
            for name, content in contents.items()
            if name.endswith(".html")
        }
        self.files, self.documents, self.version, self.seen = files, documents, version, seen


def linked(document: str, version: str, scripts: dict[str, str]) -> str:
    """A document that leads to this version of its files, and names all modules that it needs at once."""
    starts = re.findall(r'type="module" src="page/([^"]+)"', document)
    needed = [name for start in starts for name in imports(start, scripts)]
    preloads = "".join(f'<link rel="modulepreload" href="page/{name}" />\n    ' for name in needed)
    document = re.sub(r'(?=<script type="module")', preloads, document, count=1)
    return re.sub(r'((?:src|href)="page/)', rf"\g<1>{version}/", document)


def imports(start: str, scripts: dict[str, str]) -> list[str]:
    """A module and all that it imports, directly or by others; nearest first."""
    found = [start]
    for name in found:  # it grows while we go through it
        nearby = (
            posixpath.normpath(posixpath.join(posixpath.dirname(name), one))
            for one in IMPORTED.findall(scripts[name])
        )
        found += [one for one in dict.fromkeys(nearby) if one in scripts and one not in found]
    return found


def page_routes(folder: Path) -> APIRouter:
    files = PageFiles(folder)
    routes = APIRouter(include_in_schema=False)

    @routes.head("/")
    @routes.get("/")
    def page(request: Request) -> Response:
        return files.document("index.html").answer(request, ASK_AGAIN)

    @routes.head("/docs")
    @routes.get("/docs")
    def docs(request: Request) -> Response:
        return files.document("docs.html").answer(request, ASK_AGAIN)

    @routes.head("/page/{path:path}")
    @routes.get("/page/{path:path}")
    def file(path: str, request: Request) -> Response:
        found = files.find(path)
        if found is None:
            raise HTTPException(404)
        return found[0].answer(request, found[1])

    return routes
