"""HTML that comes as strings: the texts of many documents at once, and the documents again with them translated."""

import io
from collections.abc import Mapping, Sequence

from dhyan.documents.batches import translate_units
from dhyan.documents.formats import FORMATS, read_units
from dhyan.documents.inline_tags import TAG
from dhyan.documents.line_reader import LineReader
from dhyan.documents.options import DocumentOptions
from dhyan.documents.units import Text, Unit

_HTML = FORMATS["html"]


class MarkupStrings:
    """Documents, read."""

    def __init__(self, documents: Sequence[Sequence[Unit]]) -> None:
        self._units = documents

    def texts(self, document: int) -> list[str]:
        """What is to be translated in one of them, with the tags that stand within a line."""
        return [unit.text for unit in self._units[document] if isinstance(unit, Text)]

    def words(self, document: int) -> str:
        """The same without any tag, for whoever asks which language it is in."""
        return "\n".join(TAG.sub(" ", text) for text in self.texts(document))

    def written(self, document: int, translations: Mapping[str, str]) -> str:
        """The document with the translation of each of its texts; one that lost a tag is not used."""
        translated = translate_units(self._units[document], lambda texts: [translations[text] for text in texts])
        return translated.content


class HtmlStrings(MarkupStrings):
    """Tags, comments, scripts, what says translate="no" and what stands in `kept` elements stay as they are."""

    def __init__(
        self, documents: Sequence[str], options: DocumentOptions | None = None, kept: Sequence[str] = ()
    ) -> None:
        options = (options or DocumentOptions()).model_copy(update={"kept_elements": tuple(kept)})
        super().__init__(
            [
                list(read_units(LineReader("the HTML", io.BytesIO(document.encode("utf-8"))), _HTML, options))
                for document in documents
            ]
        )
