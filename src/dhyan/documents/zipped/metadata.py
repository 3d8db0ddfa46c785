"""What a document says of itself: title, subject, description, language."""

from dhyan.documents.zipped.language_marks import is_source, with_country
from dhyan.documents.zipped.part_reader import PartReader
from dhyan.documents.zipped.xml_tokens import XmlToken


class MetadataReader(PartReader):
    plain = frozenset({"dc:title", "dc:subject", "dc:description"})

    def kept(self, token: XmlToken) -> str:
        target = self.options.target_language
        if token.kind == "text" and self.parent == "dc:language" and target and is_source(token.value, self.options):
            return with_country(target) if "-" in token.value else target
        return token.raw
