"""Zipped documents for tests: small ones by hand, so that every tag is known."""

import re
import zipfile
from html import unescape
from xml.etree import ElementTree

from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import translate_file

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = "application/vnd.openxmlformats-officedocument."
_KINDS = {
    "word/document.xml": "wordprocessingml.document.main",
    "word/styles.xml": "wordprocessingml.styles",
    "word/footnotes.xml": "wordprocessingml.footnotes",
    "xl/sharedStrings.xml": "spreadsheetml.sharedStrings",
    "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet",
    "xl/tables/table1.xml": "spreadsheetml.table",
    "ppt/slides/slide1.xml": "presentationml.slide",
    "ppt/slideLayouts/slideLayout1.xml": "presentationml.slideLayout",
}
_NAMESPACES = (
    f'xmlns:w="{WORD}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
)
ODF = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style",
        "fo": "xsl-fo-compatible", "svg": "svg-compatible",
    }.items()
)  # fmt: skip


def zipped(path, parts, stored=("mimetype",)):
    """A zip of these parts; with a comment, a picture and a date, to see that they stay."""
    with zipfile.ZipFile(path, "w") as file:
        file.comment = b"a comment"
        for name, content in parts.items():
            info = zipfile.ZipInfo(name, (2001, 2, 3, 4, 5, 6))
            info.compress_type = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            file.writestr(info, content)
    return path


def office(path, parts):
    """Word, PowerPoint or Excel: the list of what the parts are is added."""
    kinds = "".join(
        f'<Override PartName="/{name}" ContentType="{_TYPES}{_KINDS[name]}+xml"/>' for name in parts if name in _KINDS
    )
    types = f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{kinds}</Types>'
    return zipped(
        path, {"[Content_Types].xml": types, **parts, "media/picture.png": b"\x89PNG\0\1"}, ("media/picture.png",)
    )


def word(path, body, **others):
    return office(path, {"word/document.xml": word_part(body), **others})


def word_part(body, root="document"):
    return f'<?xml version="1.0" encoding="UTF-8"?>\r\n<w:{root} {_NAMESPACES}><w:body>{body}</w:body></w:{root}>'


def slide(body):
    return f"<p:sld {_NAMESPACES}><p:cSld><p:spTree>{body}</p:spTree></p:cSld></p:sld>"


def sheet(body, root="sst"):
    return f'<{root} xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">{body}</{root}>'


def open_document(path, body, styles="", kind="text"):
    content = (
        f"<office:document-content {ODF}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    return zipped(path, {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def epub(path, chapters, language="en"):
    items = "".join(f'<item href="{name}" media-type="application/xhtml+xml"/>' for name in chapters)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>A book</dc:title><dc:creator>Jane Doe</dc:creator><dc:language>{language}</dc:language>"
        "</metadata>"
        f'<manifest>{items}<item href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest></package>'
    )
    ncx = (
        '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">'
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><docTitle><text>A book</text></docTitle>'
        "<navMap><navPoint><navLabel><text>The first chapter</text></navLabel></navPoint></navMap></ncx>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    return zipped(
        path,
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/book.opf": package,
            "OEBPS/toc.ncx": ncx,
            **{f"OEBPS/{name}": content for name, content in chapters.items()},
            "OEBPS/style.css": "p { color: red }",
        },
    )


def entries(path):
    """Everything that a zip says of its parts, and what is in them."""
    with zipfile.ZipFile(path) as file:
        found = [(info.filename, info.date_time, info.compress_type, file.read(info)) for info in file.infolist()]
        return file.comment, found


def part(path, name):
    """A part as text; it must be well-formed."""
    with zipfile.ZipFile(path) as file:
        content = file.read(name)
    ElementTree.fromstring(content)
    return content.decode("utf-8")


def words(xml):
    """What can be read of Word's XML."""
    return unescape("".join(re.findall(r"<w:t(?: [^>]*)?>([^<]*)</w:t>", xml)))


# -- sent through a translator ---------------------------------------------------------------------------------------

HINDI = DocumentOptions(source_language="en", target_language="hi")
_TAG = re.compile(r"(</?[A-Za-z][^<>]*>)")


def shout(texts):
    """Every letter changed, every tag and line kept."""
    return ["".join(one if _TAG.fullmatch(one) else one.upper() for one in _TAG.split(text)) for text in texts]


def texts_in(path):
    """What a translator is given, each text once."""
    found = []

    def note(texts):
        found.extend(texts)
        return list(texts)

    report = translate_file(path, path.with_name(f"noted{path.suffix}"), note, overwrite=True)
    assert not report.failed
    return found


def translated(path, translate=shout, options=None, failures=0):
    target = path.with_name(f"translated{path.suffix}")
    report = translate_file(path, target, translate, options, overwrite=True)
    assert len(report.failed) == failures, report.failed
    return target
