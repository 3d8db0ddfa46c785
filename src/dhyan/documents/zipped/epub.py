"""EPUB: chapters are XHTML, read as HTML is; titles stand in the package document and the table of contents."""

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import BinaryIO
from urllib.parse import unquote

from dhyan.core.errors import DhyanError
from dhyan.documents.html import read_html
from dhyan.documents.line_reader import LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit
from dhyan.documents.zipped.container import Part, small_part
from dhyan.documents.zipped.elements import with_attribute
from dhyan.documents.zipped.language_marks import is_source
from dhyan.documents.zipped.metadata import MetadataReader
from dhyan.documents.zipped.xml_tokens import XmlToken, encoding_of, xml_tokens

_FONTS_ONLY = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")


class PackageReader(MetadataReader):
    """The package document (.opf) and the older table of contents (.ncx)."""

    plain = MetadataReader.plain | {"ncx:text"}

    def kept(self, token: XmlToken) -> str:
        target = self.options.target_language
        if token.kind == "start" and target and is_source(token.attributes.get("xml:lang"), self.options):
            return with_attribute(token.raw, "xml:lang", target)
        return super().kept(token)


def find_epub_parts(file: zipfile.ZipFile, options: DocumentOptions) -> list[Part]:
    name = file.filename or "The file"
    encrypted = small_part(file, "META-INF/encryption.xml")
    if encrypted.count(b"EncryptionMethod ") > sum(encrypted.count(method) for method in _FONTS_ONLY):
        raise DhyanError(f"{name} is protected against copying (DRM), so its text cannot be read.")
    container = small_part(file, "META-INF/container.xml")
    if not container:
        raise DhyanError(f"{name} is a zip file, but no EPUB; check what it is.")
    tokens = xml_tokens("META-INF/container.xml", BytesIO(container))
    packages = [path for token in tokens if (path := token.attributes.get("full-path")) and token.kind == "start"]
    there = set(file.namelist())
    found: dict[str, Part] = {}
    for package in dict.fromkeys(packages):
        if package not in there:
            raise DhyanError(f"{name} has no part {package}, which should list its chapters; check the file.")
        found[package] = Part(package, PackageReader(options).units)
        for token in xml_tokens(package, BytesIO(small_part(file, package))):
            if token.name != "opf:item" or token.kind != "start":
                continue
            path = posixpath.join(posixpath.dirname(package), unquote(token.attributes.get("href", "")))
            path = posixpath.normpath(path)
            kind = token.attributes.get("media-type")
            if path in there and kind == "application/xhtml+xml":
                found[path] = Part(path, _Chapter(options).units)
            elif path in there and kind == "application/x-dtbncx+xml":
                found[path] = Part(path, PackageReader(options).units)
    return list(found.values())


class _Chapter:
    def __init__(self, options: DocumentOptions) -> None:
        self._options = options

    def units(self, name: str, stream: BinaryIO, number: int) -> Iterator[Unit]:
        content = stream.read()
        encoding = encoding_of(content[:256])
        if encoding != "utf-8":
            content = content.decode(encoding).encode("utf-8")
        lines = LineReader(name, BytesIO(content))
        if lines.byte_order_mark:
            yield Fixed(lines.byte_order_mark)
        for unit in read_html(lines, self._options):
            if isinstance(unit, Text):  # counted over the whole book
                number += 1
                yield replace(unit, line=number)
            else:
                yield unit
