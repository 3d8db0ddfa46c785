"""Whole files translated, with everything that is not prose kept exactly as it was.

A reader for each format cuts a document into units, fixed ones and texts; the texts go to the translator many at
a time, and the result is written beside its place, with a journal that lets an interrupted run go on. Gigabytes
stream through: no file is ever held in memory.
"""

from dhyan.documents.batches import Failed, TranslatedLine, TranslateTexts
from dhyan.documents.formats import FORMATS, known_format
from dhyan.documents.options import DocumentOptions
from dhyan.documents.translate_file import Progress, Report, translate_file
from dhyan.documents.translate_folder import FolderReport, translate_folder
from dhyan.documents.translate_stream import translate_stream

__all__ = [
    "FORMATS",
    "DocumentOptions",
    "Failed",
    "FolderReport",
    "Progress",
    "Report",
    "TranslateTexts",
    "TranslatedLine",
    "known_format",
    "translate_file",
    "translate_folder",
    "translate_stream",
]
