"""Documents that are zip files of XML: Word, PowerPoint, Excel, OpenDocument, EPUB.

`container` opens the zip and puts it together again; a reader for each family says which parts of it hold texts.
`xml_tokens` reads XML without losing a byte, `paragraph` makes one text out of a paragraph's runs.
"""
