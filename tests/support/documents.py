"""What the tests of documents share: small translators, and a document sent through one."""

import io

from dhyan.documents.batches import translate_units
from dhyan.documents.formats import FORMATS, read_units
from dhyan.documents.line_reader import LineReader
from dhyan.documents.options import DocumentOptions


def same(texts):
    return list(texts)


def brackets(texts):
    return [f"[{text}]" for text in texts]


def units(format, content, **options):
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    return list(read_units(LineReader("the file", io.BytesIO(data)), FORMATS[format], DocumentOptions(**options)))


def through(format, content, translate=brackets, **options):
    """The document after translation; nothing in it may fail."""
    done = translate_units(units(format, content, **options), translate)
    assert not done.failed
    return done.content


def texts(format, content, **options):
    """The texts that the translator is given."""
    return [unit.text for unit in units(format, content, **options) if hasattr(unit, "text")]
