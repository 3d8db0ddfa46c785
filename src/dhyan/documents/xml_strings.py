"""XML that comes as strings, with or without a root: like html_strings.py.

An element that holds words is one text, with the tags inside it; one that holds nothing but elements is taken apart.
"""

from collections.abc import Collection, Iterator, Sequence
from html import unescape

from dhyan.core.errors import DhyanError
from dhyan.documents.html_strings import MarkupStrings
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Fixed, Text, Unit, has_letters
from dhyan.documents.xml_messages import InlineXml, XmlToken, element, xml_tokens

_DEEPEST = 100  # elements inside each other


class XmlStrings(MarkupStrings):
    """Documents, read. What stands in `kept` elements is left alone; `splitting` ones end a text."""

    def __init__(
        self,
        documents: Sequence[str],
        kept: Collection[str] = (),
        splitting: Collection[str] = (),
        options: DocumentOptions | None = None,
    ) -> None:
        """options: as for HTML; marks of the language are not known in XML, so they stay."""
        self._kept, self._splitting = frozenset(kept), frozenset(splitting)
        super().__init__([list(self._read(document)) for document in documents])

    def _read(self, document: str) -> Iterator[Unit]:
        if "<!DOCTYPE" in document:
            raise DhyanError("The XML has a DOCTYPE, which may declare anything: send the elements alone.")
        # Expat wants one root, and a declaration in front of everything.
        begin = document.find("?>") + 2 if document.lstrip().startswith("<?xml ") else 0
        if begin:
            yield Fixed(document[:begin])
        wrapped = xml_tokens("The XML", f"<r>{document[begin:]}</r>")
        depth = 0
        for number, token in enumerate(wrapped, start=1):
            depth += (token.kind == "open") - (token.kind == "close")
            if not depth and number < len(wrapped):
                raise DhyanError("The XML is not well-formed: a tag closes what was not opened.")
            if depth > _DEEPEST + 1:
                raise DhyanError(f"The XML has more than {_DEEPEST} elements inside each other.")
        yield from self._split(wrapped[1:-1])

    def _split(self, tokens: Sequence[XmlToken]) -> Iterator[Unit]:
        nodes = list(_nodes(tokens))
        has_words = any(node[0].kind == "text" and has_letters(unescape(node[0].raw)) for node in nodes)
        run: list[XmlToken] = []
        for node in nodes:
            first = node[0]
            if has_words and first.name not in self._splitting:
                run += node
                continue
            yield from self._text(run)
            run = []
            if first.kind == "open" and first.name not in self._kept:
                yield Fixed(first.raw)
                yield from self._split(node[1:-1])
                yield Fixed(node[-1].raw)
            else:
                yield Fixed(_raw(node))
        yield from self._text(run)

    def _text(self, tokens: Sequence[XmlToken]) -> Iterator[Unit]:
        inline = InlineXml(tokens, self._kept)
        if not inline.has_words:
            yield Fixed(_raw(tokens))
            return
        yield Text(inline.text, tokens[0].line, _raw(tokens), inline.written)


def _nodes(tokens: Sequence[XmlToken]) -> Iterator[Sequence[XmlToken]]:
    """An element with all that is in it, or a single token."""
    index = 0
    while index < len(tokens):
        end = element(tokens, index) if tokens[index].kind == "open" else index
        yield tokens[index : end + 1]
        index = end + 1


def _raw(tokens: Sequence[XmlToken]) -> str:
    return "".join(token.raw for token in tokens)
