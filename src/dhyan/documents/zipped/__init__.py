"""Documents that are zip files of XML: Word, PowerPoint, Excel, OpenDocument, EPUB.

`container` opens the zip and puts it together again. `open_packaging`, `open_document` and `epub` say which parts of
it hold texts, and who reads each. `xml_tokens` reads XML without losing a byte, `part_reader` finds the paragraphs,
and `line` makes one text with inline tags out of a paragraph's runs.
"""
