"""PowerPoint's parts: slides, their notes, layouts, comments. All text is in drawings."""

from dhyan.documents.options import DocumentOptions
from dhyan.documents.zipped.drawing import DrawingReader
from dhyan.documents.zipped.xml_tokens import XmlToken


class SlideReader(DrawingReader):
    plain = DrawingReader.plain | {"p:text"}  # of a comment


class LayoutReader(SlideReader):
    """In a layout the text of a placeholder ("Click to edit Master title style") is shown to nobody who reads."""

    def __init__(self, options: DocumentOptions, keys: frozenset[str] = frozenset()) -> None:
        super().__init__(options, keys)
        self._in_placeholder = False

    def kept(self, token: XmlToken) -> str:
        if token.name == "p:ph" and token.kind == "start":
            self._in_placeholder = True
        elif token.name == "p:sp":
            self._in_placeholder = False
        return super().kept(token)

    def is_text(self, token: XmlToken) -> bool:
        return not self._in_placeholder and super().is_text(token)
